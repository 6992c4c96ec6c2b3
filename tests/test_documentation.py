"""What the documents promise is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
READ = re.compile(r'env\.(?:text|flag|number|words)\(\s*"([A-Z_]+)"')


def test_every_variable_is_explained_to_operators() -> None:
    text = (ROOT / "docs/operating.md").read_text()
    sources = [ROOT / "gemserver/settings.py", ROOT / "gemserver/gunicorn.py"]
    names = {name for source in sources for name in READ.findall(source.read_text())}
    assert len(names) > 30
    assert {name for name in names if not re.search(rf"`[^`]*\b{name}\b[^`]*`", text)} == set()


def test_every_process_is_explained_to_operators() -> None:
    text = (ROOT / "docs/operating.md").read_text()
    for line in (ROOT / "Procfile").read_text().splitlines():
        name, command = line.split(": ", 1)
        assert f"| `{name}` |" in text
        unit = (ROOT / f"deploy/systemd/gem-{name}.service").read_text()
        started = rf"^ExecStart=/srv/gemserver/.venv/bin/{re.escape(command)}( --lmtp \S+)?$"
        assert re.search(started, unit, re.MULTILINE)


def test_the_example_of_an_environment_sets_variables_that_exist_and_all_that_are_required() -> None:
    source = "".join((ROOT / path).read_text() for path in ("gemserver/settings.py", "gemserver/gunicorn.py"))
    lines = (ROOT / "deploy/environment").read_text().splitlines()
    names = {line.partition("=")[0] for line in lines if not line.startswith("#")}
    assert names <= set(READ.findall(source))
    required = (ROOT / "docs/operating.md").read_text().partition("Required in production:")[2]
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", required.partition("The site:")[0], re.M)) <= names


@pytest.mark.parametrize(
    ("field", "taken_out"),
    [
        ("Authentication-Results: play.example.org; dmarc=pass", True),
        ("authentication-results :\n play.example.org; dmarc=pass", True),
        ("X-Authentication-Results: kept", False),
        ("Subject: Authentication-Results: kept", False),
    ],
)
def test_postfix_takes_out_the_verdicts_that_a_sender_has_written(field: str, taken_out: bool) -> None:
    """S2: the environment of `deploy/` believes what stands there under our name."""
    assert "\nMAIL_AUTHSERV_ID=play.example.org\n" in (ROOT / "deploy/environment").read_text()
    rules = re.findall(
        r"^header_checks = regexp:\{\{/(.+)/ IGNORE\}\}$", (ROOT / "deploy/postfix.cf").read_text(), re.M
    )
    [pattern] = [rule.replace("[[:space:]]", r"\s") for rule in rules]
    assert bool(re.search(pattern, field, re.IGNORECASE)) is taken_out


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_make_command_exists(document: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"`make ([a-z-]+)", document.read_text()))
    assert named <= targets


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document: Path) -> None:
    links = re.findall(r"(?<!!)\[[^\]]*\]\(([^)#]+)\)", document.read_text())
    missing = [link for link in links if "://" not in link and not (document.parent / link).exists()]
    assert missing == []


def test_every_requirement_of_mail_names_a_test_that_exists() -> None:
    text = (ROOT / "docs/e-mail.md").read_text()
    tests = {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    assert set(re.findall(r"\b(test_\w+\.py)`", text)) <= tests
    rows = re.findall(r"^\| ((?:[A-Z]\d+|\d+)[^|]*?) [a-z`][^|]*\|", text, re.MULTILINE)
    named = {name for row in rows for name in _spelt_out(row)}
    wanted = {
        *(f"{letter}{number}" for letter, most in _REQUIREMENTS.items() for number in range(1, most + 1)),
        *(str(number) for number in range(1, 29)),
    }
    assert wanted - named == {"A9"}, "the stateless tokens were given up"


def _rows_of_mail() -> list[tuple[str, list[Path]]]:
    """The requirements of each row, and its files of tests."""
    rows = re.findall(r"^\| ([A-Z]\d[^|]*)\|[^|]*\|([^|]*)\|$", (ROOT / "docs/e-mail.md").read_text(), re.M)
    return [
        (
            ids,
            [
                ROOT / (name if "/" in name else f"tests/mailgate/{name}")
                for name in re.findall("`(.+?)`", tests)
            ],
        )
        for ids, tests in rows
    ]


@pytest.mark.parametrize(("ids", "tests"), _rows_of_mail())
def test_each_requirement_of_mail_is_named_in_a_test_that_the_table_lists(
    ids: str, tests: list[Path]
) -> None:
    named = set().union(*(_requirements_in(path) for path in tests))
    assert {each for each in _spelt_out(ids) if each[0].isalpha()} - named == set()


def _requirements_in(path: Path) -> set[str]:
    """Those that the docstrings of a file of tests name."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, documented)]
    words = " ".join(ast.get_docstring(node) or "" for node in nodes)
    return {
        each
        for found in re.findall(r"\b[A-Z]\d{1,2}(?:[–-][A-Z]\d{1,2})?\b", words)
        for each in _spelt_out(found)
    }


_REQUIREMENTS = {"A": 9, "H": 4, "L": 10, "U": 4, "S": 5, "I": 4, "T": 11, "M": 10, "O": 4}


def _spelt_out(row: str) -> set[str]:
    """`T4–T7, T10` as T4, T5, T6, T7, T10."""
    found = set()
    for part in re.findall(r"([A-Z]?)(\d+)(?:[–-][A-Z]?(\d+))?", row):
        found |= {f"{part[0]}{number}" for number in range(int(part[1]), int(part[2] or part[1]) + 1)}
    return found
