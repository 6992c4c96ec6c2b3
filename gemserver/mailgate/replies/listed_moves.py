"""The moves that the answered mail lists, for a reply that names one by its place: *the third one on your list*.

The text of a mail lists other moves than its page does, where the most likely ones are buttons. Both count unless the
reply quotes one of them; so only a move that stands at the same place in both is played. A digest lists those of each
match, and a line for one of them (`M17: option 2`) names a place in its list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.inbox.results import LineResult
from gemserver.mailgate.letter import Letter
from gemserver.matches.mails.about_match import MatchMail
from gemserver.matches.mails.digest import MOST_MOVES
from gemserver.matches.models import Seat
from gemserver.notify.models import OutboxMessage

Moves = Sequence[str]

_LISTING = ("turn", "started", "reminder", "receipt", "digest")
"""Kinds of mails that list moves; but for a digest each is about one seat."""


def find_lists(letter: Letter, user: User, seat: Seat) -> Sequence[Moves]:
    """The lists of moves that the writer may have seen in the mail that this one answers; none if that is unknown.

    Moves that are listed for a position that is over are none.
    """
    answered = letter.replied_to or (None if letter.references else next(iter(letter.answered), None))
    if answered is None or answered.kind not in _LISTING or answered.user_id != user.pk:
        return ()
    is_digest = answered.kind == "digest"
    turn = letter.prompts(user).get(seat.match_id) if is_digest else letter.turn(seat)
    if turn is None or not (mail := MatchMail.of(seat, user, turn)).is_asked:
        return ()
    shown, text = tuple(mail.listed_moves), letter.mail.text
    if is_digest and _stand_in(_plain(text), [f"{seat.match.code}: {move}" for move in shown]):
        return [shown]
    if seat.match.ply != turn - 1 and not mail.are_all_ready:
        # What others did since may change which moves are likely.
        return [shown] if not is_digest and _stand_in(_plain(text), shown) else ()
    ready = [move.text for move in mail.one_tap_moves]
    if is_digest:
        return [*filter(None, dict.fromkeys((shown, tuple(ready[:MOST_MOVES]))))]
    lists = _quoted(text, [*dict.fromkeys((shown, (*mail.other_examples, *ready)))])
    return [*filter(None, [_read_offers(answered), *lists])]


def _quoted(text: str, lists: Sequence[Moves]) -> Sequence[Moves]:
    """The one list that a text repeats as a whole; all of them if it repeats none, or more than one."""
    words = _plain(text)
    found = [moves for moves in lists if _stand_in(words, moves)]
    return found if len(found) == 1 else lists


def _plain(text: str) -> str:
    """The words of a text without the marks of quotes, in one line."""
    words = f" {' '.join(re.sub(r'^[>| ]+', '', line) for line in text.splitlines())} "
    return re.sub(r"\s+", " ", words)


def _stand_in(words: str, moves: Moves) -> bool:
    """True if the moves stand in the text one behind the other."""
    at = 0
    for move in moves:
        at = words.find(f" {move} ", at) + 1
        if not at:
            return False
    return bool(moves)


def _read_offers(answered: OutboxMessage) -> Moves:
    """The moves that a receipt offers for what was not understood."""
    if answered.kind != "receipt":
        return ()
    row = InboundEmail.objects.filter(pk=answered.data.get("inbound")).only("results").first()
    results = map(LineResult.from_json, row.results if row else ())
    return [*dict.fromkeys(move for result in results for move in result.candidates)]
