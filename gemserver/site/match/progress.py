"""Says in one word how far a match has come for its reader, so that an open page sees whether it is out of date."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import AnonymousUser

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.matches import sitters, tables, talk
from gemserver.matches.models import Match, Notice, Seat, Sitting, StoredPlan


def show_progress(match: Match, seat: Seat | None, user: User | AnonymousUser) -> str:
    """The progress of the match for this reader as one word; a page that shows another word is out of date."""
    notices = len(_notices(match=match.pk))
    rematch = tables.find_seen_rematch(match, user) if match.is_over else None
    if not isinstance(user, User):
        return progress_word(match, notices, None, (), rematch)
    plans = _own_plans(match=match.pk, user=user.pk) if seat and match.is_running else []
    sittings = sitters.find_current(match=match.pk, at=clock.now()) if match.is_running else []
    messages = talk.count_messages(seat) if seat else None
    return progress_word(match, notices, messages, find_own(user, plans, sittings), rematch)


def find_own(user: User, plans: Iterable[StoredPlan], sittings: Iterable[Sitting]) -> list[int]:
    """The primary keys of the reader's own rows that post no notice: the plan, and sittings they are part of."""
    asked = [sitting.pk for sitting in sittings if user in (sitting.player, sitting.sitter)]
    return [*(plan.pk for plan in plans), *sorted(asked)]


_own_plans = Prepared(
    lambda: StoredPlan.objects.filter(match=Param("match"), user=Param("user"), end="").order_by("pk")
)
_notices = Prepared(lambda: Notice.objects.filter(match=Param("match")).values_list("pk"))


def progress_word(
    match: Match, notices: int, messages: int | None, own: Iterable[int], rematch: Match | None
) -> str:
    """The word of `show_progress`; `messages` is None if the reader holds no seat, `own` comes from `find_own`."""
    words = [match.ply, match.status, notices, *([] if messages is None else [messages]), *own]
    return "-".join(map(str, [*words, *([rematch.code] if rematch else [])]))
