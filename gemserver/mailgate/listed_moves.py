"""The moves that the answered mail lists, for a reply that names one by its place: *the third one on your list*.

The text of a mail lists other moves than its page does, where the most likely ones are buttons. Both count unless the
reply quotes one of them; so only a move that stands at the same place in both is played.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.inbox.results import LineResult
from gemserver.mailgate.letter import Letter
from gemserver.matches.mails.about_match import MatchMail
from gemserver.matches.models import Seat
from gemserver.notify.models import OutboxMessage

Moves = Sequence[str]

_LISTING = ("turn", "started", "reminder", "receipt")
"""Kinds of mails about one seat that list its moves."""


def find_lists(letter: Letter, user: User, seat: Seat) -> Sequence[Moves]:
    """The lists of moves that the writer may have seen in the mail that this one answers; none if that is unknown.

    Moves that are listed for a position that is over are none.
    """
    answered = letter.replied_to or (None if letter.references else next(iter(letter.answered), None))
    turn = letter.turn(seat)
    if answered is None or turn is None or answered.kind not in _LISTING or answered.user_id != user.pk:
        return ()
    mail = MatchMail.of(seat, user, turn)
    if not mail.is_asked or seat.match.ply != turn - 1:  # what others did since may change what is likely
        return ()
    on_page = [*mail.other_examples, *(move.text for move in mail.one_tap_moves)]
    lists = _quoted(letter.mail.text, [*dict.fromkeys((tuple(mail.listed_moves), tuple(on_page)))])
    return [*filter(None, [_read_offers(answered), *lists])]


def _quoted(text: str, lists: Sequence[Moves]) -> Sequence[Moves]:
    """The one list that a text repeats as a whole; all of them if it repeats none, or more than one."""
    words = f" {' '.join(re.sub(r'^[>| ]+', '', line) for line in text.splitlines())} "
    words = re.sub(r"\s+", " ", words)
    found = [moves for moves in lists if _stand_in(words, moves)]
    return found if len(found) == 1 else lists


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
