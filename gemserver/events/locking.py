"""The locks of a season, which serialises what happens to it as a whole, and of a fixture. A match's comes later."""

from __future__ import annotations

from gemserver.events.models import Event, Fixture, Season
from gemserver.events.rights import no_such_event
from gemserver.matches.refusal import Refused


def lock_season(season_id: int) -> Season:
    """Return the season with its event, its row locked until the transaction ends; raises Refused(no-such-season)."""
    season = (
        Season.objects.select_for_update(of=("self",), no_key=True)
        .select_related("event")
        .filter(pk=season_id)
        .first()
    )
    if season is None:
        raise Refused("no-such-season", "There is no such season; look at the list of events.")
    return season


def lock_last_season(event_id: int) -> Season:
    """Like `lock_season`, for the last season of an event, in whatever state. Raises Refused(no-such-event)."""
    last = Season.objects.filter(event=event_id).order_by("number").last()
    if last is None:
        raise no_such_event()
    return lock_season(last.pk)


def lock_current_season(event_id: int) -> Season:
    """Like `lock_season`, for the season of an event that takes entries or is played.

    Raises Refused(no-such-event, event-rests).
    """
    event = Event.objects.filter(pk=event_id).first()
    if event is None:
        raise no_such_event()
    states = [Season.State.ENTERING, Season.State.RUNNING]
    found = event.seasons.filter(state__in=states).values_list("pk", flat=True).first()
    if found is None:
        raise Refused(
            "event-rests", "{event} has no season now; look at the list of events.", event=event.name
        )
    season = lock_season(found)
    if season.state not in states:
        raise Refused(
            "event-rests", "{event} has no season now; look at the list of events.", event=event.name
        )
    return season


def lock_fixture(fixture_id: int) -> Fixture:
    """Return the fixture with its division, its row locked until the transaction ends; raises DoesNotExist.

    Its match is read when it is asked for: one that was opened while this waited is in no row joined here.
    """
    fixtures = Fixture.objects.select_for_update(of=("self",), no_key=True)
    return fixtures.select_related("division__season__event").get(pk=fixture_id)
