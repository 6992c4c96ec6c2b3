"""Templates of Jinja write what the escaping of Jinja would; the day of a line of a log is in its reader's language."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import translation
from django.utils.safestring import SafeString
from jinja2 import UndefinedError
from markupsafe import Markup, escape

from gemserver.matches.boards.compiled_templates import environment


@pytest.mark.parametrize(
    "value",
    [
        "plain",
        "<b> & \"c\" 'd'",
        "",
        Markup("<b>"),
        SafeString("<b>"),
        7,
        2.5,
        True,
        None,
        translation.gettext_lazy("Move"),
    ],
)
def test_a_value_is_written_as_it_is_escaped(value: Any) -> None:
    written = environment().from_string("{% macro m(x) %}<i>{{ x }}</i>{% endmacro %}{{ m(x) }}{{ x }}")
    assert written.render(x=value) == f"<i>{escape(value)}</i>{escape(value)}"


def test_a_name_that_is_not_given_is_refused() -> None:
    with pytest.raises(UndefinedError):
        environment().from_string("{{ x }}").render()


def test_a_day_is_written_in_each_language() -> None:
    written = environment().from_string("{{ moment|day }}")
    for language, day in (("en", "9 May"), ("de", "9. Mai"), ("fr", "9 mai"), ("en", "9 May")):
        with translation.override(language):
            assert written.render(moment=datetime(2026, 5, 9, 23, 59, tzinfo=UTC)) == day
