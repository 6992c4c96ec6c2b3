"""Sections of a receipt besides the results: lists, logs and tables that were asked for, or have just changed."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from games import registry
from gemserver.accounts.models import User
from gemserver.clubs.selectors import shown_to
from gemserver.inbox.help_list import list_commands
from gemserver.inbox.own_mails import read_mails_from, read_mails_to
from gemserver.inbox.results import LineResult
from gemserver.lib import clock
from gemserver.lib.text.plain import COLUMNS, indent_lines
from gemserver.lib.text.translator import translator
from gemserver.mailgate.answering.event_sections import list_events, show_standings
from gemserver.mailgate.answering.rules_layout import lay_out_html, lay_out_text, read_blocks
from gemserver.mailgate.handlers.club_commands import CLUB_COMMANDS
from gemserver.mailgate.handlers.people_commands import PEOPLE_COMMANDS
from gemserver.mailgate.handlers.table_commands import TABLE_COMMANDS, open_tables
from gemserver.mailgate.replies import lessons
from gemserver.mailgate.replies.lessons import Lesson
from gemserver.mailgate.replies.puzzle_replies import COMMAND as PUZZLE
from gemserver.mailgate.replies.puzzle_replies import AnsweredPuzzle
from gemserver.matches import replay, selectors, sitters
from gemserver.matches.actions.play.preview import preview
from gemserver.matches.actions.play.submit import Actor
from gemserver.matches.clubs.club_page import ClubPage, ClubsPage
from gemserver.matches.log import log_story, match_log
from gemserver.matches.mails.about_match import MatchMail
from gemserver.matches.models import Invitation, Match, Seat
from gemserver.matches.offered.rules_text import read_rules
from gemserver.matches.own_matches import OwnMatches
from gemserver.matches.privacy import seen_by
from gemserver.matches.prompts import find_asked
from gemserver.matches.refusal import Refused
from gemserver.matches.tables import host_of
from gemserver.matches.words.clocks import clock_terms, rough_span, time_sentence
from gemserver.matches.words.options import say_options
from gemserver.ratings.statistics import PlayerStatistics, name_game

MOST_OPEN_TABLES = 10
MOST_MAILS = 10
MOST_LOG_ENTRIES = 300
"""Keeps a mail well below the 100 kB at which some clients cut it off."""


@dataclass(frozen=True, slots=True)
class Section:
    """A titled text, every line of it indented, so that none looks like a command that somebody has typed."""

    title: str
    text: str
    html: str = ""
    """HTML of `text`, where it needs no fixed columns."""
    is_drawn: bool = False
    """True for a board in words, which needs fixed columns."""

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()


def sections(user: User, seat: Seat | None, results: Iterable[LineResult]) -> list[Section]:
    """One section for each thing asked for, and one for each table that a command was about."""
    found: dict[tuple[str, str], Section | None] = {}
    for result in results:
        code, _, word = result.line.rpartition(": ") if result.outcome == "shown" else ("", "", "")
        if result.outcome == "shown" and result.code in _WRITERS:
            meant = _seat_at(user, code) if code else seat
            found.setdefault((result.code, code), _WRITERS[result.code](user, meant, bool(code)))
        if result.outcome == "shown" and result.code == "preview" and code:
            found[("preview", result.line)] = _preview(user, code, word.removeprefix("preview "))
        if result.outcome == "shown" and result.code == "standings" and result.message:
            slug = str(result.message.params["slug"])
            found[("standings", slug)] = Section(*show_standings(user, slug))
        if lesson := Lesson.of(result):
            found[(lessons.COMMAND, lesson.title)] = Section(
                lesson.title, lesson.write_text(), lesson.write_html()
            )
        if told := AnsweredPuzzle.of(result, user):
            found[(PUZZLE, told.title)] = Section(told.title, told.write_text(), told.write_html())
        about = result.message.params if result.outcome == "done" and result.message else {}
        if result.code in {*TABLE_COMMANDS, *CLUB_COMMANDS} and "club" in about:
            found[("club", str(about["club"]))] = _club(user, str(about["club"]))
        elif result.code in TABLE_COMMANDS and about:
            found[("table", str(about["code"]))] = _table(user, str(about["code"]))
        elif result.code in PEOPLE_COMMANDS and about:
            found[("player", str(about["name"]))] = _player(user, str(about["name"]))
    return [section for section in found.values() if section]


def _seat_at(user: User, code: str) -> Seat | None:
    """The seat that the reader holds in this match, or plays for somebody."""
    seats = Seat.objects.select_related("match", "user")
    if seat := seats.filter(match__code=code, user=user).first():
        return seat
    sitting = sitters.sitting_of(user, code, clock.now())
    return sitting.seat if sitting else None


def draw_preview(user: User | None, seat: Seat, text: str) -> str:
    """The board as it would stand after the move, in words; the refusal if the match has gone on since."""
    assert user is not None
    try:
        state = preview(seat.match, Actor.player(user), text, now=clock.now())
    except Refused as refusal:
        return refusal.text()
    view = seat.match.rules.view(state, seat.index)
    asked = find_asked(seat.match, replay.position(seat.match))
    return indent_lines(seat.match.words.draw(view, translator(), selectors.names(seat.match), asked))


def _preview(user: User, code: str, text: str) -> Section | None:
    seat = _seat_at(user, code)
    if seat is None:
        return None
    title = gettext("This is how it would stand after: %(previewed)s") % {"previewed": text}
    return Section(f"{seat.match.title} {code}. {title}", draw_preview(user, seat, text), is_drawn=True)


def _help(user: User, seat: Seat | None, is_named: bool) -> Section:
    context = {"groups": list_commands()}
    text = render_to_string("emails/help.txt", context).strip("\n")
    html = render_to_string("emails/help.html", context)
    return Section(gettext("What you can write"), text, SafeString(html))


def _events(user: User, seat: Seat | None, is_named: bool) -> Section:
    return Section(gettext("Leagues and tournaments"), list_events(user))


def _lists(user: User, seat: Seat | None, is_named: bool) -> Section:
    """The player's matches and tables, invitations, open tables, and the games."""
    page = OwnMatches(user)
    free = open_tables(user).exclude(pk__in=[invitation.match_id for invitation in page.invitations])
    context = {
        "turns": [card.seat for card in page.my_turn],
        "playing": page.their_turn,
        "waiting": [_described(card.match) for card in page.my_tables],
        "invitations": page.invitations,
        "open": [_described(match) for match in free[:MOST_OPEN_TABLES]],
        "free": [card.seat for card in page.open_seats],
        "games": _games(),
    }
    return Section(gettext("Matches and tables"), render_to_string("emails/games.txt", context).strip("\n"))


def _status(user: User, seat: Seat | None, is_named: bool) -> Section | None:
    """The clocks, below the position or the table if asked for by match; without a match, the lists.

    A seat's receipt shows the position anyway.
    """
    if seat is None:
        return _lists(user, None, False)
    board = _board(user, seat, is_named)
    if not seat.match.is_running:
        return board
    context = {"match": seat.match, "seats": seat.match.read_seats()}
    clocks = render_to_string("emails/clocks.txt", context).rstrip()
    if board:
        return replace(board, text=f"{board.text}\n\n{clocks}")
    return Section(gettext("The clocks of %(code)s") % {"code": seat.match.code}, clocks)


def _board(user: User, seat: Seat | None, is_named: bool) -> Section | None:
    if seat is None or not is_named:
        return None
    if not seat.match.position:
        return _table(user, seat.match.code)
    mail = MatchMail.of(seat, user, seat.prompt_ply)
    return Section(
        f"{seat.match.title} {seat.match.code}",
        f"{mail.drawing}\n\n{indent_lines(mail.prompt)}",
        is_drawn=True,
    )


def _log(user: User, seat: Seat | None, is_named: bool) -> Section | None:
    """The log, limited to its reader's knowledge, with the number of each move."""
    if seat is None:
        return None
    mail = MatchMail.of(seat, user, seat.prompt_ply)
    rows = match_log.LogRows.read(seat.match, seats=mail.seats)
    entries = log_story.tell_story(seat.match, mail.shown_seat, rows, is_own=mail.is_holder)
    lines = [f"{_number(entry)}{entry.text}" for entry in entries[-MOST_LOG_ENTRIES:]]
    if len(entries) > MOST_LOG_ENTRIES:
        lines.insert(0, gettext("The whole log is at %(url)s") % {"url": mail.url})
    return Section(
        gettext("The log of %(code)s") % {"code": seat.match.code},
        indent_lines("\n".join(map(_hang, lines))),
        format_html_join("\n", '<p style="margin:0 0 4px 0;">{}</p>', ((line,) for line in lines)),
    )


def _hang(line: str) -> str:
    """Wrap a line of the log, below its number."""
    return textwrap.fill(line, COLUMNS - 2, subsequent_indent="    ", break_long_words=False)


def _number(entry: match_log.LogEntry) -> str:
    """The number of a move, or the first and the last of several."""
    if entry.seat is None:
        return ""
    return f"{entry.first_ply}–{entry.ply}. " if entry.first_ply else f"{entry.ply}. "


def _rules(user: User, seat: Seat | None, is_named: bool) -> Section | None:
    if seat is None:
        return None
    blocks = read_blocks(read_rules(seat.match.game))
    return Section(gettext("The rules"), lay_out_text(blocks), lay_out_html(blocks))


def _table(user: User, code: str) -> Section | None:
    """A table that waits for players: its players, free seats, the terms, and where the deal is proved."""
    match = Match.objects.filter(seen_by(user), code=code).first()
    if match is None:
        return None
    seats = match.read_seats()
    context = {
        "match": match,
        "seats": seats,
        "free": match.seat_count - len(seats),
        "is_mine": any(seat.user_id == user.pk for seat in seats),
        "is_host": host_of(match) == user,
        "invited": match.invitations.filter(state=Invitation.State.OPEN).exists(),
        "terms": clock_terms(match),
        "options": say_options(match),
        "url": settings.SITE_URL + match.get_absolute_url(),
        "deal_url": settings.SITE_URL + reverse("match-deal", args=[match.code]),
    }
    return Section(f"{match.title} {match.code}", render_to_string("emails/table.txt", context).strip("\n"))


def _player(user: User, name: str) -> Section | None:
    """The public figures of a player, and how the reader has fared against them."""
    player = User.objects.filter(username=name, is_active=True, is_guest=False).first()
    if player is None:
        return None
    found = PlayerStatistics(player)
    kept = found.punctuality
    context = {
        "found": found,
        "meetings": [(name_game(game), met) for game, met in (found.against(user) if player != user else [])],
        "median": rough_span(kept.median) if kept and kept.median else "",
        "url": settings.SITE_URL + reverse("player", args=[player.username]),
    }
    text = render_to_string("emails/player.txt", context).strip("\n")
    return Section(player.shown_name, indent_lines(text))


def _mails(user: User, seat: Seat | None, is_named: bool) -> Section:
    """The reader's last mails and what came of each, and those of ours that have not arrived."""
    now = clock.now()
    lost = [mail for mail in read_mails_to(user, now=now) if mail.is_lost]
    context = {
        "received": read_mails_from(user, now=now)[:MOST_MAILS],
        "lost": lost[:MOST_MAILS],
        "url": settings.SITE_URL + reverse("own-mails"),
    }
    return Section(gettext("Your mails"), render_to_string("emails/mails.txt", context).strip("\n"))


def _clubs(user: User, seat: Seat | None, is_named: bool) -> Section:
    """The player's clubs, invitations into clubs, and the listed ones."""
    text = render_to_string("emails/clubs.txt", {"page": ClubsPage(user)})
    return Section(gettext("Clubs"), text.strip("\n"))


def _club(user: User, slug: str) -> Section | None:
    """A club as this reader may see it; None once they may not."""
    club = shown_to(user).filter(slug=slug).first()
    if club is None:
        return None
    text = render_to_string("emails/club.txt", {"page": ClubPage(club, user)})
    return Section(club.name, text.strip("\n"))


def _described(match: Match) -> dict[str, Any]:
    return {"match": match, "taken": match.seats.count(), "time": time_sentence(match.time_control)}


def _games() -> list[Any]:
    return [game.rules.meta for game in registry.GAMES.values()]


_WRITERS: dict[str, Callable[[User, Seat | None, bool], Section | None]] = {
    "help": _help,
    "games": _lists,
    "clubs": _clubs,
    "events": _events,
    "mails": _mails,
    "status": _status,
    "board": _board,
    "log": _log,
    "rules": _rules,
}
