"""The documents agree with the code: variables, commands, links, files, requirements."""

from __future__ import annotations

import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from django.core.management import get_commands

from gemserver.gemctl.__main__ import main as gemctl
from gemserver.gemctl.init import QUESTIONS, write_sections
from tests.pictures import layers

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
DECISIONS = [path for path in ROOT.glob("docs/decisions/*.md") if path.name != "README.md"]
FOLDERS = (
    "deploy",
    "docs",
    "examples",
    "games",
    "gemserver",
    "locale",
    "requirements",
    "static",
    "templates",
    "tests",
)
PLACES = {
    f"/{end}"
    for path in [
        *ROOT.glob("*.*"),
        *(path for folder in FOLDERS for path in [ROOT / folder, *(ROOT / folder).rglob("*")]),
    ]
    for parts in [path.relative_to(ROOT).parts]
    for end in ("/".join(parts[at:]) for at in range(len(parts)))
}
"""Every ending of every path in the repository, such as `/lib/clock.py` and `/clock.py`."""
NOT_IN_THE_REPOSITORY = {"var/", "staticfiles/"}
"""Made by commands."""
READ = re.compile(r'env\.(?:text|flag|number|words|address)\(\s*"([A-Z_]+)"')


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
        command = command.replace("%", "%%")  # which systemd reads as one
        started = rf"^ExecStart=/srv/gemserver/.venv/bin/{re.escape(command)}( --lmtp \S+)?$"
        assert re.search(started, unit, re.MULTILINE)


def test_init_writes_variables_that_exist_and_all_that_are_required() -> None:
    source = "".join((ROOT / path).read_text() for path in ("gemserver/settings.py", "gemserver/gunicorn.py"))
    names = set(init_settings())
    assert names <= set(READ.findall(source))
    required = (ROOT / "docs/operating.md").read_text().partition("Required in production:")[2]
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", required.partition("The site:")[0], re.M)) <= names


def init_settings() -> dict[str, str]:
    """The settings that `gemctl init` writes for the site of docs/operating.md."""
    answers = {question.option: question.default for question in QUESTIONS}
    answers |= {"domain": "play.example.org", "operator": "you@example.org"}
    return {name: value for _remark, values in write_sections(answers) for name, value in values.items()}


def test_operators_are_stopped_by_a_statement_that_fails() -> None:
    """Without ON_ERROR_STOP psql continues, rolls everything back at the end and reports success."""
    lines = [line for line in (ROOT / "docs/operating.md").read_text().splitlines() if "-- psql " in line]
    assert len(lines) >= 2
    assert [line for line in lines if "--set ON_ERROR_STOP=1" not in line] == []


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
    """`gemctl init` lets verdicts under our name be believed (mail-requirements.md S2)."""
    assert init_settings()["MAIL_AUTHSERV_ID"] == "play.example.org"
    rules = re.findall(
        r"^header_checks = regexp:\{\{/(.+)/ IGNORE\}\}$", (ROOT / "deploy/postfix.cf").read_text(), re.M
    )
    [pattern] = [rule.replace("[[:space:]]", r"\s") for rule in rules]
    assert bool(re.search(pattern, field, re.IGNORECASE)) is taken_out


def test_what_the_machine_writes_to_root_is_not_sent_to_players() -> None:
    """Debian completes `root` by the name of the site, to whose addresses it does not belong: it would be dropped."""
    lines = (ROOT / "deploy/postfix.cf").read_text().splitlines()
    assert "virtual_alias_maps = inline:{root@play.example.org=root@localhost}" in lines
    assert "mydestination = localhost" in lines


every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


@every_document
def test_every_make_command_exists(document: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"`make ([a-z-]+)", document.read_text()))
    assert named <= targets


@every_document
def test_every_command_and_unit_that_operators_are_told_exists(
    document: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if document.name == "CHANGELOG.md":  # tells of those that are gone, too
        return
    with pytest.raises(SystemExit):
        gemctl(["--help"])
    known = set(re.findall(r"^    ([a-z]+) ", capsys.readouterr().out, re.M))
    units = {path.stem for path in (ROOT / "deploy/systemd").iterdir()}
    unknown = []
    for code in _code_in(document):
        own = re.findall(r"\bgemctl (?:--settings \S+ )?([a-z]+)", code)
        unknown += [name for name in own if name not in known]
        of_django = re.findall(r"\b(?:manage\.py|gemctl manage)(?: --as-owner)? ([a-z_]+)", code)
        unknown += [name for name in of_django if name not in get_commands()]
        unknown += [name for name in re.findall(r"\bgem-[a-z]+", code) if name not in units]
    assert unknown == []


def _code_in(document: Path) -> list[str]:
    """The blocks and words of a document that are written as code."""
    blocks = re.split(r"^```.*$", document.read_text(), flags=re.M)
    return [*blocks[1::2], *(word for text in blocks[::2] for word in re.findall("`([^`]+)`", text))]


@every_document
def test_every_link_and_picture_leads_somewhere(document: Path) -> None:
    text = document.read_text()
    links = [*re.findall(r"\]\(([^)]+)\)", text), *re.findall(r'src="([^"]+)"', text)]
    missing = []
    for link in links:
        path, _, heading = link.partition("#")
        target = document.parent / path if path else document
        if "://" not in link and not (target.exists() and (not heading or heading in _headings(target))):
            missing.append(link)
    assert missing == []


def _headings(document: Path) -> set[str]:
    """The anchors of the document's headings."""
    titles = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}


@every_document
def test_every_file_that_is_named_exists(document: Path) -> None:
    """Named by its path from the root or from gemserver/, or by the end of it."""
    named = re.findall(
        r"(?<!`)`(\w[\w./-]*(?:\.(?:py|md|js|svg|sql|txt|css|toml|cf|in|match)|/))`", document.read_text()
    )
    unknown = {name for name in named if f"/{name.rstrip('/')}" not in PLACES}
    assert unknown - NOT_IN_THE_REPOSITORY == set()


@every_document
def test_no_line_is_too_long_to_be_read_beside_another(document: Path) -> None:
    has_long_rows = document.name == "adding-a-game.md"  # of its tables, whose rows cannot be wrapped
    lines = [line for line in document.read_text().splitlines() if len(line) > 120]
    assert [line for line in lines if not (has_long_rows and line.startswith("|"))] == []


@every_document
def test_no_two_versions_of_a_text_stand_side_by_side(document: Path) -> None:
    """As a merge leaves them that nobody has finished."""
    assert re.findall(r"^(?:<{7} |={7}$|>{7} ).*", document.read_text(), re.M) == []


def test_the_way_in_stays_short() -> None:
    assert len((ROOT / "docs/architecture.md").read_text().splitlines()) <= 150
    assert len(re.findall(r"^\| ", (ROOT / "docs/glossary.md").read_text(), re.M)) <= 1 + 25


def test_every_decision_says_what_why_what_else_and_where() -> None:
    index = (ROOT / "docs/decisions/README.md").read_text()
    for document in DECISIONS:
        parts = re.findall(r"^\*\*(Decided|Why|Considered|In the code)\b", document.read_text(), re.M)
        assert set(parts) == {"Decided", "Why", "Considered", "In the code"}, document.name
        assert f"]({document.name})" in index


def test_the_picture_of_the_layers_is_that_of_the_contract() -> None:
    """If this fails, run `make pictures`."""
    assert layers.PICTURE.read_text() == layers.draw(layers.read_layers())


def test_the_pictures_of_screens_are_small() -> None:
    pictures = list((ROOT / "docs/images").glob("*.png"))
    assert len(pictures) == 4
    assert [path.name for path in pictures if path.stat().st_size > 150_000] == []


def test_the_changelog_begins_with_this_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    first = re.search(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert first
    assert first[1] == version


def test_every_version_says_what_operators_must_do() -> None:
    """`make drill` prints it beside each upgrade."""
    _head, *versions = re.split(r"^## \[", (ROOT / "CHANGELOG.md").read_text(), flags=re.M)
    assert versions
    silent = [
        text.partition("]")[0] for text in versions if not re.search(r"^### For operators\n\n\* ", text, re.M)
    ]
    assert silent == []


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement of docs/mail-requirements.md, or a threat, named like `threat 7`."""

    id: str
    built_in: tuple[Path, ...]
    tested_in: tuple[Path, ...]


def _requirements() -> Iterator[Requirement]:
    text = (ROOT / "docs/mail-requirements.md").read_text()
    for found in re.finditer(
        r"^\*\*([A-Z]\d+)\. .*?\nBuilt in (.*?)\.\s+Tested in (.*?)\.$", text, re.M | re.S
    ):
        assert "\n\n" not in found[0], found[1]
        yield Requirement(found[1], tuple(_modules(found[2])), tuple(_tests(found[3])))
    for number, tests in re.findall(r"^\| (\d+) [^|]+\|[^|]+\|([^|]+)\|$", text, re.M):
        yield Requirement(f"threat {number}", (), tuple(_tests(tests)))


def _modules(named: str) -> Iterator[Path]:
    for name in re.findall("`([^`]+?)`", named):
        if not name.startswith("gemserver/"):
            name = f"gemserver/mailgate/{name}" if name.endswith("/") else f"gemserver/mailgate/{name}.py"
        yield ROOT / name


def _tests(named: str) -> Iterator[Path]:
    for name in re.findall("`(.+?)`", named):
        yield ROOT / (name if "/" in name else f"tests/mailgate/{name}")


REQUIREMENTS = list(_requirements())


def test_no_requirement_of_mail_is_left_out_or_told_twice() -> None:
    text = (ROOT / "docs/mail-requirements.md").read_text()
    letters = {each.id[0] for each in REQUIREMENTS if each.id[0].isupper()}
    begun = re.findall(r"^\*\*([A-Z]\d+)\. ", text, re.M)
    threats = [each.id for each in REQUIREMENTS if each.id.startswith("threat")]
    assert [each.id for each in REQUIREMENTS] == begun + threats
    for letter in letters:
        numbers = [int(each[1:]) for each in begun if each[0] == letter]
        assert numbers == list(range(1, len(numbers) + 1))
    assert len(letters) == 10
    assert len(threats) == 28


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda each: each.id)
def test_each_requirement_of_mail_is_built_and_tested_where_it_says(requirement: Requirement) -> None:
    assert [path for path in (*requirement.built_in, *requirement.tested_in) if not path.exists()] == []
    tests = [
        each for path in requirement.tested_in for each in (path.rglob("*.py") if path.is_dir() else [path])
    ]
    assert requirement.id in {cited for path in tests for cited in _cited_in(path)}


def test_every_requirement_that_is_cited_exists() -> None:
    known = {each.id for each in REQUIREMENTS}
    unknown = {
        f"{path.relative_to(ROOT)}: {cited}"
        for path in _sources()
        for cited in _cited_in(path)
        if cited not in known
    }
    assert unknown == set()


def test_every_citation_says_where_it_leads() -> None:
    """An id alone tells a reader nothing, so its document must be named beside it."""
    known = {each.id for each in REQUIREMENTS}
    riddles = {
        f"{path.relative_to(ROOT)}: {cited}"
        for path in _sources()
        for text in _comments(path)
        if "mail-requirements.md" not in text
        for cited in _spelt_out(text)
        if cited in known
    }
    assert riddles == {
        "gemserver/mailgate/receivers/providers.py: S3",  # Amazon's
        "tests/mailgate/conftest.py: M1",  # a match
    }


def _sources() -> Iterator[Path]:
    for folder in ("gemserver", "games", "tests"):
        yield from (ROOT / folder).rglob("*.py")


def _cited_in(path: Path) -> set[str]:
    return {cited for text in _comments(path) if "mail-requirements.md" in text for cited in _spelt_out(text)}


@cache
def _comments(path: Path) -> list[str]:
    """The comments and docstrings of a file that cites anything."""
    text = path.read_text()
    if not _spelt_out(text):
        return []
    with io.StringIO(text) as lines:
        return [
            token.string
            for token in tokenize.generate_tokens(lines.readline)
            if token.type == tokenize.COMMENT
            or (token.type == tokenize.STRING and token.string.startswith('"""'))
        ]


def _spelt_out(text: str) -> set[str]:
    """Spell out ranges: T4, T5, T6 for `T4–T6`, and threats 3 and 16 likewise (as in mail-requirements.md)."""
    found = set()
    for letter, first, last in re.findall(
        r"(?<![\w.#])([AHLUSITOQ]|M(?=\d\b|10\b))(\d{1,2})(?:[–-][A-Z]?(\d{1,2}))?\b", text
    ):
        found |= {f"{letter}{number}" for number in range(int(first), int(last or first) + 1)}
    for numbers in re.findall(r"\b[Tt]hreats? (\d+(?:(?:, | and |[–-])\d+)*)", text):
        for first, last in re.findall(r"(\d+)(?:[–-](\d+))?", numbers):
            found |= {f"threat {number}" for number in range(int(first), int(last or first) + 1)}
    return found
