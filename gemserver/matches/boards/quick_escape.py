"""Templates of Jinja that write a value without marking it as safe, which is of no use to what is joined at once.

Marking takes Jinja longer than all else about a value. A drawing has 400 to 1,500 of them, most of them numbers.
"""

from __future__ import annotations

import re
from typing import Any

from jinja2 import Environment
from jinja2.compiler import CodeGenerator
from markupsafe import Markup, escape

_PLAIN = frozenset({int, float, Markup})
_find_sign = re.compile("[&<>'\"]").search


def write_escaped(value: Any) -> str:
    """The text of `markupsafe.escape`, of whatever type."""
    kind = type(value)
    if kind in _PLAIN or (kind is str and not _find_sign(value)):
        return str(value)
    return escape(value)


class _Writer(CodeGenerator):
    def _output_child_pre(self, node: Any, frame: Any, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("environment.write_escaped(")


class QuickEnvironment(Environment):
    """Whose templates write each value by `write_escaped`."""

    code_generator_class = _Writer
    write_escaped = staticmethod(write_escaped)
