"""The question put to a seat: in the game's own words, or at sealed pace for a whole contest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.utils.translation import gettext

from games import registry
from games.contract import Asked, Limit, Rules
from games.listing import say_unlisted
from games.orders import list_choosers
from games.prose import say_ended, wrap
from games.record import RESIGN
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.lib.text.translator import translator
from gemserver.matches import replay
from gemserver.matches.models import Match, SealedOrder, Seat


class Prompt(NamedTuple):
    """A prompt in its parts."""

    listing: str
    """All of it but the note, in lines of at most 72 columns."""
    question: str
    """The question that the seat is asked, in one line."""
    moves: list[str]
    """The moves that it lists, in notation."""
    note: str
    """Explains how moves are written, for readers who write them; it stands below them."""

    def explain(
        self,
        rules: Rules[Any, Any, Any],
        position: Any,
        seat: int,
        shown: Iterable[str],
        count: int | None = None,
    ) -> str:
        """Add to the note how many moves there are (`count`, if that is known), where those shown are not all."""
        unlisted = say_unlisted(rules, position, seat, shown, translator(), count)
        return " ".join(filter(None, [self.note, unlisted]))


def split_prompt(prompt: str) -> Prompt:
    """Split a prompt into its question, the moves that it lists as `To play, write:  …`, and the note below them."""
    lead = gettext("To play, write:  {move}").partition("{move}")[0]
    lines = prompt.splitlines()
    moves = [line.removeprefix(lead) for line in lines if line.startswith(lead)]
    places = [place for place, line in enumerate(lines) if line.startswith(lead)] or [len(lines)]
    question, note = lines[: places[0]], lines[places[-1] + 1 :]
    listing = "\n".join(lines[: places[-1] + 1])
    return Prompt(listing, " ".join(map(str.strip, question)), moves, " ".join(map(str.strip, note)))


def explain_moves(
    match: Match, position: Any, seat: int, prompt: Prompt, shown: Sequence[str], count: int | None = None
) -> str:
    """Say how the seat writes moves, and how many it has if those that are shown are not all."""
    if not shown or ask_limit(match, position, seat):
        return prompt.note
    return prompt.explain(match.rules, position_to_answer(match, position, seat), seat, shown, count)


def has_open_contest(match: Match, position: Any) -> bool:
    """True while sealed orders are being collected."""
    return match.is_sealed_pace and match.is_running and bool(match.rules.bidders(position))


def position_to_answer(match: Match, position: Any, seat: int) -> Any:
    """The position whose legal moves are the seat's possible answers.

    At sealed pace that is the contest as the seat will meet it at its turn; if it has nothing to order, `position`.
    """
    game = registry.game(match.game)
    if game.sealed_pace and has_open_contest(match, position) and seat in list_choosers(game, position):
        return game.sealed_pace.at_turn(position, seat)
    return position


def ask_limit(match: Match, position: Any, seat: int) -> Limit | None:
    """The number to ask for, which makes a sealed order for the whole contest; None if the seat may not lay one."""
    pace = registry.game(match.game).sealed_pace
    if not pace or not pace.ask_limit or not has_open_contest(match, position):
        return None
    return pace.ask_limit(position, seat) if may_answer(match, position, seat) else None


def ask_plan_limit(match: Match, position: Any, seat: int) -> Limit | None:
    """Like `ask_limit`, for a plan in the contest that is open, at any pace."""
    pace = registry.game(match.game).sealed_pace
    if not pace or not pace.ask_limit or seat not in match.rules.bidders(position):
        return None
    limit = pace.ask_limit(position, seat) if pace.at_turn(position, seat) is not None else None
    return limit if limit and limit.low < limit.high else None


def is_sealing(match: Match, position: Any) -> bool:
    """True if an answer now lies face down until all have answered."""
    may_seal = match.is_sealed_pace or match.rules.meta.has_sealed_picks
    return may_seal and match.is_running and bool(match.rules.bidders(position))


def may_answer(match: Match, position: Any, seat: int) -> bool:
    """True if the seat is asked, or may still replace its choice that lies face down."""
    if not match.is_running:
        return False
    if has_open_contest(match, position):
        return seat in list_choosers(registry.game(match.game), position)
    return next(match.rules.legal_moves(position, seat), None) is not None


def find_latest_due(seats: Iterable[Seat]) -> datetime | None:
    """The instant by which all that a contest waits for have answered or run out of time, as their clocks stand.

    None if any of those clocks stands, and while only bots are waited for.
    """
    dues = [seat.due_at for seat in seats if seat.is_waiting and not seat.bot_level]
    known = [due for due in dues if due]
    return max(known) if known and len(known) == len(dues) else None


def find_asked(match: Match, position: Any) -> Asked | None:
    """The seats that the match waits for now; None: those that are to act by the rules.

    It is public which seats have laid a sealed order, because the hashes stand in the log.
    """
    if match.is_over and match.rules.outcome(position) is None:
        return Asked(resigned=_find_resigned(match))
    if not has_open_contest(match, position):
        return None
    missing = frozenset(seat.index for seat in match.read_seats() if seat.is_waiting)
    return Asked(missing, is_sealed=True, ordered=frozenset(_laid(match=match.pk)) - missing)


_laid = Prepared(
    lambda: (
        SealedOrder.objects.filter(match=Param("match"), resolved_ply=None, voided_at=None)
        .exclude(hash="")
        .values_list("seat", flat=True)
    )
)
"""The seats whose sealed orders are not opened yet."""


def _find_resigned(match: Match) -> int | None:
    """The seat whose resignation ended the match; None if it ended otherwise."""
    if match.ending != Match.Ending.RESIGNED:
        return None
    resigned = match.moves.filter(voided_at=None, text=RESIGN).order_by("ply").last()
    return resigned.seat if resigned else None


def find_asked_then(match: Match, position: Any) -> Asked | None:
    """Like `find_asked`, for a past position: in a contest at sealed pace it was nobody's turn."""
    is_contest = match.is_sealed_pace and bool(match.rules.bidders(position))
    return Asked(is_sealed=True) if is_contest else None


def prompt_text(match: Match, view: Any, names: Sequence[str]) -> str:
    """Tell the reader of this view what to decide and what to write, or whom the match waits for.

    In the active language, lines of at most 72 columns.
    """
    game = registry.game(match.game)
    asked = find_asked(match, replay.position(match)) if match.is_over else None
    if asked:
        return say_ended(asked, translator(), names, view.reader)
    if match.is_sealed_pace and match.is_running:
        position = replay.position(match)
        if has_open_contest(match, position) and game.sealed_pace:
            if view.reader is not None and view.reader in list_choosers(game, position):
                return game.sealed_pace.prompt(view, translator(), names)
            return _say_collecting(match, names)
    return match.words.prompt(view, translator(), names)


def _say_collecting(match: Match, names: Sequence[str]) -> str:
    waiting = [names[index] for index in match.seats.filter(is_waiting=True).values_list("index", flat=True)]
    return wrap(
        gettext("Everybody decides in secret, and then all is shown. Waiting for: %(names)s.")
        % {"names": ", ".join(waiting)}
    )
