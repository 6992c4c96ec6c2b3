"""`makemessages` finds every sentence that is passed on untranslated, because calls contain it literally."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from gemserver.management.commands.makemessages import KEYWORDS

ROOT = Path(__file__).resolve().parent.parent
PLACES = {name: int(place) - 1 for name, _, place in (word.partition(":") for word in KEYWORDS)}
"""Callables, and the index of their argument that is the sentence."""

GETTEXT = frozenset({"_", "gettext", "ngettext", "pgettext", "npgettext"})

HANDED_ON = {"template", "message.template", "error.message.template"}
"""Expressions that pass on such an argument, or a stored copy of it."""


def test_no_sentence_hides_behind_a_name_or_a_condition() -> None:
    hidden = {f"{path}: {sentence}" for path, sentence in given_sentences() if sentence not in HANDED_ON}
    assert hidden == set()


def test_no_sentence_stands_in_the_braces_of_a_text() -> None:
    """There xgettext looks for nothing."""
    found = [
        (str(path.relative_to(ROOT)), call.lineno)
        for folder in ("games", "gemserver")
        for path in (ROOT / folder).rglob("*.py")
        for text in ast.walk(parse(path))
        if isinstance(text, ast.JoinedStr)
        for call in ast.walk(text)
        if isinstance(call, ast.Call) and ast.unparse(call.func).split(".")[-1] in GETTEXT
        if any(isinstance(argument, ast.Constant) for argument in call.args)
    ]
    assert found == []


def test_no_action_answers_in_the_syntax_of_mails() -> None:
    """Forms show these sentences too; `mailgate` says which line to write instead."""
    syntax = re.compile(r"\bwrite(?: for example)?:|\bwrite “|example: \w+|: [a-z]+ [A-Z]{4,}")
    files = [path for path in (ROOT / "gemserver").rglob("*.py") if "mailgate" not in path.parts]
    found = {
        given.value
        for path in files
        for given in arguments_of_keywords(parse(path))
        if isinstance(given, ast.Constant) and syntax.search(given.value)
    }
    assert found == set()


def test_no_template_sets_punctuation_of_its_own_language() -> None:
    """French puts a blank before : and ; so they are translated too, or set by `|colon`."""
    translated = re.compile(r"{%-? *blocktrans.*?{%-? *endblocktrans\w* *-?%}", re.DOTALL)
    loose = re.compile(r"(?:%\}|\}\}|</\w+>)[:;] [^\n]{0,40}")
    found = {
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in (ROOT / "templates").rglob("*.*")
        if path.parts[-2] != "api"  # plainly English
        for match in loose.finditer(translated.sub("", path.read_text(encoding="utf-8")))
    }
    assert found == set()


def given_sentences() -> Iterator[tuple[str, str]]:
    """File and expression of every sentence that is neither a literal nor a name marked with `gettext_noop`."""
    for folder in ("games", "gemserver"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            module = parse(path)
            marked = set(names_of_marked(module))
            for given in arguments_of_keywords(module):
                name = given.value if isinstance(given, ast.Subscript) else given
                if not isinstance(given, ast.Constant) and ast.unparse(name) not in marked:
                    yield str(path.relative_to(ROOT)), ast.unparse(given)


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def arguments_of_keywords(module: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PLACES:
            place = PLACES[node.func.id]
            if place < len(node.args):
                yield node.args[place]


def names_of_marked(module: ast.Module) -> Iterator[str]:
    """Names of sentences, and of tables of sentences, that are marked with `gettext_noop`."""
    for node in module.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values = node.value.values if isinstance(node.value, ast.Dict) else [node.value]
            if all(
                isinstance(each, ast.Call) and ast.unparse(each.func) == "gettext_noop" for each in values
            ):
                yield node.targets[0].id
