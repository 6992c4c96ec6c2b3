"""`Idempotency-Key`: a request that changes something acts once, however often it is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any, TypeVar

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Header

from gemserver.accounts.models import User
from gemserver.api.askers import user_of
from gemserver.api.bodies import canonical
from gemserver.api.problems import Problem
from gemserver.api.shapes import Done
from gemserver.lib import clock
from gemserver.lib.database.prepared_writes import PreparedInsert
from gemserver.matches.broken_games import GameFailed, stop_broken
from gemserver.matches.models import KeyedRequest
from gemserver.matches.refusal import Refused
from gemserver.matches.request_names import name_request

T = TypeVar("T")

LONGEST = 255
Key = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=LONGEST,
        description="Names this request: sent again with the same key, it is answered as before and does nothing. "
        "With another body it is refused. A refused request does not use its key up.",
    ),
]
"""The header that every request which changes something must have."""

NO_SEAT = -1


@dataclass(frozen=True, slots=True)
class Keyed:
    """One request under its key. `verb` names what it does, `seat` the seat for which it does it, if any.

    Whoever names a seat has checked that the asker may act for it, because an earlier result is given back.
    """

    request: HttpRequest
    verb: str
    key: str
    match: str = ""
    """The code of the match that it is about, so that the same key in another match is another request."""
    seat: int = NO_SEAT
    slug: str = ""
    """Likewise that of the club or event."""

    @property
    def user(self) -> User:
        return user_of(self.request)

    def once(self, act: Callable[[], Mapping[str, Any] | None]) -> tuple[Mapping[str, Any], bool]:
        """Carry it out, unless it was before; return what `act` returned then, which is kept, True for a repeat."""
        with _stopping_broken_games(), transaction.atomic():
            row, is_new = self.claim()
            if is_new:
                row.answer = dict(act() or {})
                _rows(row).update(answer=row.answer)
            return row.answer or {}, not is_new

    def do(self, act: Callable[[], None]) -> Done:
        """Like `once`, for what returns nothing; the answer to the program."""
        _, is_repeat = self.once(act)
        return Done(match=self.match or None, repeat=is_repeat)

    def resume(self, find: Callable[[], int], act: Callable[[int], object]) -> bool:
        """Carry out what has transactions of its own and does nothing the second time; True for a repeat.

        `find` returns the primary key of what `act` is about. It is kept before that begins, so that a repetition goes
        on where a crash has ended it, and is never about what has followed meanwhile.
        """
        with transaction.atomic():
            row, is_new = self.claim()
            if is_new:
                row.answer = {"about": find(), "is_done": False}
                _rows(row).update(answer=row.answer)
        kept = row.answer or {}
        if not kept["is_done"]:
            try:
                with _stopping_broken_games():
                    act(kept["about"])
            except Refused:
                _rows(row).delete()
                raise
            _rows(row).update(answer={**kept, "is_done": True})
        return not is_new

    def claim(self) -> tuple[KeyedRequest, bool]:
        """The row of this request, and True if it is new; a second one that comes at the same time waits for the first.

        It vanishes with the transaction, so that a refused request has used nothing up. What knows its own repetitions
        (`submit`) needs no more of a key than this. Raises Problem(422) for the key of another request.
        """
        name = name_request(f"api.{self.verb}.{self.match or self.slug}", self.user, self.seat, self.key)
        assert name is not None, "a request of a user has one"
        fingerprint = sha256(b"%s %s" % (self.request.path.encode(), canonical(self.request))).hexdigest()
        row = KeyedRequest(user=self.user, name=name, fingerprint=fingerprint, created_at=clock.now())
        if _insert([row]):
            return row, True
        row = _rows(row).get()
        if row.fingerprint != fingerprint:
            raise Problem(
                422,
                "key-reused",
                _(
                    "This Idempotency-Key has named another request; choose a new key for each thing you want."
                ),
            )
        return row, False


_insert = PreparedInsert(KeyedRequest, ignore_conflicts=True)


def _rows(row: KeyedRequest) -> QuerySet[KeyedRequest]:
    """The row by its name, as one that was just written does not know its primary key."""
    return KeyedRequest.objects.filter(name=row.name)


@contextmanager
def _stopping_broken_games() -> Iterator[None]:
    """Stop a match whose game has failed once more: the transaction inside has taken back that `submit` did so."""
    try:
        yield
    except GameFailed as failure:
        stop_broken(failure.error)
        raise
