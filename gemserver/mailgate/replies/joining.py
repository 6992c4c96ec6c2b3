"""Reads wishes for a seat as people write them: `I'd like to play GEM`, `can I join?`, a yes to an invitation.

A wish that names one table or game is the command `join`; where several can be meant, ready replies are offered. Who
wants to learn a game gets its `tutorial`, and no seat. A stranger who wants to play against a bot gets that match with
the account; players are offered it (`wishes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db.models import F

from games import registry
from games.contract import Message
from gemserver.accounts.models import User
from gemserver.inbox.results import LineResult
from gemserver.mailgate.letter import Letter
from gemserver.mailgate.lines.commands import Command, Line, MoveLine, Unread, read_lines
from gemserver.mailgate.lines.short_words import Wish, as_written, read_command, read_wish
from gemserver.mailgate.lines.wishes import practice_lines, read_practice
from gemserver.mailgate.replies.consent import read_consent
from gemserver.matches import tables
from gemserver.matches.models import Invitation

MOST_CHOICES = 3
WORDS = frozenset({"help", "games", "join", "new", "tutorial", "puzzle"})
"""Commands that a stranger may use; they may end with a mark of exclamation."""

_WHICH = Message("Nothing was done yet, for several tables can be meant. Write one of these: {lines}")


@dataclass(frozen=True, slots=True)
class Joining:
    """The lines of a mail with `join` or `tutorial` for each wish; `is_open`: one names neither table nor game."""

    lines: tuple[Line, ...]
    is_open: bool = False
    offer: LineResult | None = None
    """The question which table is meant."""
    choices: tuple[str, ...] = ()
    """Lines of which a stranger may choose one, who wants to play against a bot and names no game."""


def read_joining(lines: Sequence[Line], user: User | None = None) -> Joining:
    """Read the wishes among the lines of a mail to the lobby or an account; a stranger's are looked at later."""
    found: list[Line] = []
    offered: list[str] = []
    practice: list[str] = []
    is_open = False
    for line in map(_read_command, lines):
        said = line.text if isinstance(line, MoveLine | Unread) and not _is_bound(line) else ""
        if not user and (game := read_practice(said)) is not None:
            practice += practice_lines(game)
            continue
        wish = read_wish(said)
        choices = list_choices(user, wish) if wish and user and not wish.learns else []
        if wish is None:
            found.append(line)
        elif wish.learns:
            found.append(Command("tutorial", wish.game))
        elif choices:
            offered += choices
        elif wish.table or wish.game:
            found.append(Command("join", (wish.table or wish.game).lower()))
        else:
            is_open = True
    listed = tuple(dict.fromkeys(offered))[:MOST_CHOICES]
    offer = LineResult(
        "", "unread", "which-table", replace(_WHICH, params={"lines": " · ".join(listed)}), candidates=listed
    )
    against_bots = tuple(dict.fromkeys(practice))
    if len(against_bots) == 1:
        return Joining((*found, *read_lines(against_bots[0])), is_open, offer if listed else None)
    return Joining(tuple(found), is_open or bool(practice), offer if listed else None, against_bots)


def read_invited(letter: Letter, lines: Sequence[Line]) -> tuple[Invitation | None, Sequence[Line]]:
    """Return the invitation that a mail replies to, and its lines with `join` or `decline` for a yes or a no."""
    invitation = find_invitation(letter)
    if invitation is None or letter.mail.looks_automatic:
        return None, lines
    word = {"agree": "join", "refuse": "decline"}
    code = invitation.match.code.lower()
    read = [
        Command(word[line.name], code)
        if isinstance(line, Command) and line.name in word and not line.match
        else line
        for line in read_consent(lines, ())
    ]
    return invitation, read


def find_invitation(letter: Letter) -> Invitation | None:
    """The invitation that the mail replies to by its header."""
    mail = letter.replied_to
    if mail is None or mail.kind != "invitation":
        return None
    return Invitation.objects.select_related("match").filter(pk=mail.data["invitation"]).first()


def list_choices(user: User | None, wish: Wish | None = None) -> list[str]:
    """Up to three lines that may be meant by a wish; none if it can mean one thing only.

    First the tables of invitations, then those that lack fewest players; games fill the rest.
    """
    wish = wish or Wish()
    if wish.table:
        return []
    waiting = tables.open_to_all(user).annotate(free=F("seat_count") - F("taken"))
    if user:
        waiting = waiting.exclude(seats__user=user)
    if wish.game:
        waiting = waiting.filter(game=wish.game)
        if user and _has_seat_waiting(user, wish.game):
            return []
    invited = [each.match.code for each in tables.open_invitations(user)] if user and not wish.game else []
    found = [
        *invited,
        *waiting.order_by("free", "created_at", "pk").values_list("code", flat=True)[:MOST_CHOICES],
    ]
    if wish.game:
        return [f"join {code}" for code in found] if len(found) > 1 else []
    return list(dict.fromkeys(f"join {each}" for each in [*found, *registry.GAMES]))[:MOST_CHOICES]


def _has_seat_waiting(user: User, game: str) -> bool:
    """True if `join GAME` leads the player to a table where a seat is held or offered."""
    return (
        tables.waiting_tables(user).filter(match__game=game).exists()
        or tables.open_invitations(user).filter(match__game=game).exists()
    )


def _read_command(line: Line) -> Line:
    """`join GEM!` without its mark, and a command that is said in plain words, as `Hilfe`."""
    if isinstance(line, Command) or _is_bound(line):
        return line
    if (said := read_command(line.text)) in WORDS:
        return Command(said)
    if not line.text.endswith(("!", ".")):
        return line
    plain = read_lines(as_written(line.text))
    if len(plain) == 1 and isinstance(plain[0], Command) and plain[0].name in WORDS:
        return plain[0]
    return line


def _is_bound(line: Line) -> bool:
    """True for a move that names its match or turn."""
    return isinstance(line, MoveLine) and (
        line.match is not None or line.prompt_ply is not None or line.preview
    )
