"""No two sentences run together without a full stop, in templates, on pages and in mails."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from games import registry
from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.lib import clock
from gemserver.matches.actions.play.adjudicate import adjudicate
from gemserver.matches.actions.play.void_moves import void_moves
from gemserver.matches.actions.time.extend_clock import extend_clock
from gemserver.matches.actions.time.pause_match import pause_match, resume_match
from gemserver.matches.models import Match
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user, play_until
from tests.catalogues import list_entries
from tests.quick import one_in
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db

ROOT = Path(settings.BASE_DIR)
INLINE = frozenset({"span", "strong", "em", "b", "i", "small", "time"})
"""Elements whose text stands in one line with what surrounds it."""
TEXTS = re.compile(
    r'{% trans "(?P<short>[^"]*)"[^%]*%}|{% blocktrans[^%]*%}(?P<long>.*?){% endblocktrans %}'
    r"|(?P<tag>{%.*?%}|{{.*?}}|{#.*?#})|</?(?P<element>\w+)[^>]*>|(?P<text>[^<{]+|.)",
    re.DOTALL,
)


def starts() -> re.Pattern[str]:
    """A small letter or bracket, a blank, and the first two words of a sentence of ours."""
    found = {
        words
        for entry in list_entries("de")
        if entry.msgid.endswith((".", "?", ":"))
        for words in re.findall(r"(?:^|[.?!] |\)s )([A-Z][a-z]* [a-z]+)\b", entry.msgid)
    }
    return re.compile(rf"[a-z)\]] (?:{'|'.join(sorted(found))})\b")


STARTS = starts()


class _Blocks(HTMLParser):
    """Collects the text of each block of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = [""]
        self._silent = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in INLINE:
            self.blocks.append("")
        self._silent = tag in {"script", "style", "code", "kbd", "pre"}

    def handle_endtag(self, tag: str) -> None:
        if tag not in INLINE:
            self.blocks.append("")
        self._silent = False

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.blocks[-1] += data


def run_together(html: str) -> set[str]:
    """The places of a page or an HTML mail where a sentence of ours begins behind one that has no end."""
    blocks = _Blocks()
    blocks.feed(html)
    texts = (re.sub(r"\s+", " ", block) for block in blocks.blocks)
    return {text[max(0, at.start() - 40) : at.end() + 20] for text in texts for at in STARTS.finditer(text)}


def adjoining(template: str) -> Iterator[tuple[str, str]]:
    """Pairs of texts that a template puts one behind the other with nothing but blanks between."""
    before = ""
    for found in TEXTS.finditer(template):
        text = found["short"] if found["short"] is not None else found["long"]
        if text is not None:
            text = " ".join(text.partition("{% plural %}")[0].split())
            if before:
                yield before, text
            before = text
        elif _parts(found):
            before = ""


def _parts(found: re.Match[str]) -> bool:
    """True for anything that keeps two texts apart."""
    element, tag, text = (found["element"] or "").lower(), found["tag"] or "", found["text"] or ""
    if element:
        return element not in INLINE
    return bool(text.strip()) or tag.startswith(("{{", "{% else", "{% elif", "{% include"))


def split_lines(file: Path) -> list[str]:
    """The lines of a text mail's template, or the whole of a page's."""
    text = file.read_text(encoding="utf-8")
    return text.splitlines() if file.suffix == ".txt" else [text]


def test_no_template_puts_a_sentence_behind_words_without_an_end() -> None:
    files = [*(ROOT / "templates").rglob("*.*"), *(ROOT / "games").rglob("templates/*.html")]
    found = {
        (file.name, *pair)
        for file in files
        for text in split_lines(file)
        for pair in adjoining(text)
        if re.match(r"[A-Z]", pair[1])
        and pair[1].endswith((".", "?", ":"))
        and not re.search(r"\W$", pair[0])
    }
    assert found == set()


@pytest.mark.slow
@pytest.mark.parametrize("game", one_in(2, registry.GAMES))
def test_no_question_of_a_game_runs_into_another_sentence(game: str) -> None:
    ana, ben = make_user("ana"), make_user("ben")
    match = make_match(game, players=[ana, ben], bots=max(0, registry.GAMES[game].rules.meta.min_seats - 2))
    readers = [signed_in(ana), signed_in(ben), Client()]
    for ply in (0, 2, 5, 9, 14):
        match = play_until(match, lambda reached, ply=ply: reached.ply >= ply or reached.is_over)
        found = [
            run_together(reader.get(path).content.decode())
            for reader in readers
            for path in (match.get_absolute_url(), "/")
        ]
        assert found == [set()] * len(found)


def moderated(players: list[User]) -> Match:
    """A match in which a moderator has done everything for a reason without a full stop."""
    now = clock.now()
    match = make_match(players=players, now=now)
    match = play_until(match, lambda reached: reached.ply >= 2, now=now)
    extend_clock(match.pk, match.seats.get(is_waiting=True).index, 5, "the post was late", now=now)
    void_moves(match.pk, from_ply=1, why="ana misclicked", now=now)
    pause_match(match.pk, "a report", now=now)
    resume_match(match.pk, "all is well", now=now)
    adjudicate(match.pk, [0], "they asked for it", now=now)
    return Match.objects.get(pk=match.pk)


@pytest.mark.slow
def test_what_moderators_write_ends_before_our_own_words_go_on(players: list[User]) -> None:
    match = moderated(players)
    page = signed_in(players[0]).get(match.get_absolute_url()).content.decode()
    assert "ana misclicked. What has been shown" in page
    assert "a report. All clocks" in page
    assert run_together(page) == set()
    mod = signed_in(make_user("mod", role=Role.MODERATOR))
    for path in (f"/admin/timeline/{match.code}/", "/admin/"):
        assert run_together(mod.get(path).content.decode()) == set()


def test_no_sentence_of_a_mail_runs_into_another(players: list[User]) -> None:
    moderated(players)
    for row in OutboxMessage.objects.all():
        written = delivery.write(row)
        if written is None:
            continue
        lines = str(written.body).splitlines()
        assert [line for line in lines if STARTS.search(line)] == []
        for html, _kind in getattr(written, "alternatives", ()):
            assert run_together(str(html)) == set()


def test_the_search_finds_what_was_found_by_hand() -> None:
    assert run_together("<p>The match is paused: a report <span>All clocks</span> stand still.</p>")
    assert run_together("<p>Your hand: ruby (*D) A gem can go: first.</p>")
    assert not run_together(
        "<p>It is paused: a report.</p> <p>All clocks stand still</p> <p>A gem can go</p>"
    )
