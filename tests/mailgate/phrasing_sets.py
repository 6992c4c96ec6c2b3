"""Sentences that people write for a move, or beside one, and what the mail gate plays of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.db import transaction

from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.matches.models import Match, Move, Seat
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user, play
from tests.mailgate.letters import letter, receive

FOLDER = Path(__file__).parent / "phrasings"
BLIND = "blind.txt"
GAMES = ("florentine", "gem", "gembatan", "gemessengers", "jewellers")
LANGUAGES = ("en", "fr", "de")
_ATTRIBUTION = {
    "en": "On Fri, 6 Mar 2026 at 13:00, Gem server <play@gem.localhost> wrote:",
    "fr": "Le ven. 6 mars 2026 à 13:00, Gem server <play@gem.localhost> a écrit :",
    "de": "Am Fr., 6. März 2026 um 13:00 Uhr schrieb Gem server <play@gem.localhost>:",
}


@dataclass(frozen=True, slots=True)
class Phrasing:
    """One line of a set: a text as it is typed, and the move that it means; None if nothing may be played.

    In the text `{code}` stands for the code of the match.
    """

    game: str
    language: str
    position: str
    text: str
    move: str | None

    def __str__(self) -> str:
        return f"{self.game}.{self.language} [{self.position}] {self.text!r} => {self.move or '-'}"


@dataclass(frozen=True, slots=True)
class Position:
    """A position from its deal on; moves are of a player's name and a text."""

    players: Sequence[str]
    server_part: str
    options: dict[str, str]
    moves: Sequence[tuple[str, str]]
    is_drawn: bool
    """It was drawn by lot, for sentences by somebody who knew neither the phrases nor the other sentences."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Ana's seat where she is asked, and the turn mail that she answers."""

    seat: Seat
    mail: EmailMultiAlternatives
    language: str


def read_set(game: str, language: str) -> list[Phrasing]:
    """Read all lines of a set; those that were written blind come last."""
    found = []
    for position, line in chain(*map(_sections, _files(f"{game}.{language}"))):
        text, arrow, move = line.rpartition(" => ")
        assert arrow, line
        move = move.strip()
        found.append(
            Phrasing(game, language, position, text.replace("\\n", "\n"), None if move == "-" else move)
        )
    return found


def read_anywhere(language: str) -> list[str]:
    """Read the sentences that are no move in any position."""
    return [line for _, line in _sections(FOLDER / f"anywhere.{language}.txt")]


@cache
def read_positions(game: str) -> dict[str, Position]:
    """Read the positions of a game by their names."""
    found: dict[str, Position] = {}
    for path in _files(f"{game}.positions"):
        lines: dict[str, list[tuple[str, str]]] = {}
        for name, line in _sections(path):
            key, _, value = line.partition(": ")
            lines.setdefault(name, []).append((key, value))
        is_drawn = path.name.endswith(BLIND)
        found |= {name: _read_position(given, is_drawn=is_drawn) for name, given in lines.items()}
    return found


def _files(name: str) -> list[Path]:
    """The files of this name in the folder, those of what was written blind last."""
    paths = (FOLDER / f"{name}.{end}" for end in ("txt", BLIND))
    return [path for path in paths if path.exists()]


def _read_position(lines: Sequence[tuple[str, str]], *, is_drawn: bool) -> Position:
    head = dict(lines)
    players = head["players"].split()
    options = dict(each.split("=") for each in head.get("options", "").split())
    moves = [(key, value) for key, value in lines if key in players]
    return Position(players, f"{int(head['deal']):064x}", options, moves, is_drawn)


def _sections(path: Path) -> Iterator[tuple[str, str]]:
    section = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if re.fullmatch(r"\[[a-z]+\]", line):
            section = line[1:-1]
        elif line and not line.startswith("# "):
            yield section, line


def ask_ana(game: str, position: str, language: str = "en") -> Asked:
    """Play up to the position with Ana, who reads this language, and send her the mail that asks her."""
    given = read_positions(game)[position]
    users = {name: make_user(name, language=language if name == "ana" else "en") for name in given.players}
    match = make_match(
        game,
        list(users.values()),
        options=given.options,
        server_part=given.server_part,
        now=clock.now(),
    )
    for name, text in given.moves:
        play(match, given.players.index(name), text, now=clock.now())
    seat = Seat.objects.select_related("user", "match").get(match=match, user=users["ana"])
    assert seat.is_waiting, f"{game} [{position}] does not wait for Ana"
    # What the others are told is read by nobody: to write it takes longer than to play.
    OutboxMessage.objects.exclude(user=users["ana"]).delete()
    delivery.send_queued()
    last = [sent for sent in mail.outbox if users["ana"].email in sent.to][-1]
    return Asked(seat, last, language)  # type: ignore[arg-type]


def play_by_mail(asked: Asked, text: str) -> list[str]:
    """Answer the turn mail with the text; return what was played, and commands that were carried out.

    All of it is taken back.
    """
    with transaction.atomic():
        row = answer(asked, text)
        done = [result["line"] for result in row.results if result["outcome"] == "done"]
        moves = _moves(asked.seat)
        transaction.set_rollback(True)
    return moves or [f"({line})" for line in done]


def offered_by_mail(asked: Asked, text: str) -> list[str] | None:
    """Answer the turn mail with the text; return the ready replies in the receipt, None if anything was carried out."""
    with transaction.atomic():
        results = answer(asked, text).results
        transaction.set_rollback(True)
    is_done = any(result["outcome"] == "done" for result in results)
    return None if is_done else [move for result in results for move in result["candidates"]]


def answer(asked: Asked, text: str) -> InboundEmail:
    """Answer the turn mail with the text."""
    seat = asked.seat
    quoted = "\n".join(f"> {line}" for line in str(asked.mail.body).splitlines())
    body = f"{text.replace('{code}', seat.match.code)}\n\n{_ATTRIBUTION[asked.language]}\n{quoted}\n"
    raw = letter(
        seat,
        body,
        Subject=f"Re: {asked.mail.subject}",
        In_Reply_To=asked.mail.extra_headers["Message-ID"],
    )
    return receive(seat, raw)


def play_set(
    game: str, language: str, position: str | None = None, every: int = 1
) -> Iterator[tuple[Phrasing, list[str]]]:
    """Yield the sentences of a set, or of one of its positions, or one in `every` few, with what each plays.

    Those that are no move anywhere are among them, at each position that was not drawn.
    """
    positions = read_positions(game)
    for name in [position] if position else positions:
        with transaction.atomic():
            asked = ask_ana(game, name, language)
            here = [each for each in read_set(game, language) if each.position == name]
            if not positions[name].is_drawn:
                here += [Phrasing(game, language, name, text, None) for text in read_anywhere(language)]
            yield from [(each, play_by_mail(asked, each.text)) for each in here[::every]]
            transaction.set_rollback(True)
        mail.outbox.clear()


def _moves(seat: Seat) -> list[str]:
    """The moves that the seat has played by mail or laid face down so far."""
    match = Match.objects.get(pk=seat.match_id)
    moves = match.moves.filter(seat=seat.index, source=Move.Source.MAIL).order_by("ply")
    orders = match.sealed_orders.filter(seat=seat.index, source=Move.Source.MAIL, move=None).order_by("pk")
    plans = match.plans.filter(seat=seat.index)
    texts = [*(move.text for move in moves), *(order.text for order in orders)]
    return [*texts, *(f"plan {plan.lines}" for plan in plans)]
