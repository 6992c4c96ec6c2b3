"""A player's private calendar of due moves and feed of public news, read as programs read them."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from xml.etree import ElementTree

import pytest
from django.test import Client
from icalendar import Alarm, Calendar, Event

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.clocks.control import TimeControl
from gemserver.events.rights import require_reason
from gemserver.lib import clock, signing
from gemserver.lib.text.redaction import redact
from gemserver.matches.actions.people.renew_feed import feed_token, renew_feed
from gemserver.matches.actions.play.adjudicate import adjudicate
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, propose_sitting
from gemserver.matches.actions.time.pause_match import pause_match, resume_match
from gemserver.matches.actions.time.propose_holiday import agree_to_holiday, propose_holiday
from gemserver.matches.actions.time.set_hours import set_hours, set_leads
from gemserver.matches.actions.time.take_vacation import announce_vacation, end_vacation
from gemserver.matches.models import Match, Seat
from tests.builders import NOON, is_asked, make_match, make_user, play, play_until
from tests.matches.sweeping import sweep
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(autouse=True)
def at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON)


@pytest.fixture
def match(ana: User) -> Match:
    match = make_match(players=[ana, make_user("ben")], time_control=TimeControl.per_move(3 * DAY))
    return play_until(match, is_asked(ana))


def calendar_text(user: User) -> str:
    response = Client().get(f"/feeds/{feed_token(user)}/moves.ics")
    assert response.status_code == 200
    assert response["Content-Type"] == "text/calendar; charset=utf-8"
    return response.content.decode()


def events(user: User) -> list[Event]:
    return list(Calendar.from_ical(calendar_text(user)).events)


def event(user: User) -> Event:
    """The event of the only due move."""
    (found,) = [each for each in events(user) if each["UID"].startswith("move-")]
    return found


def alarms(found: Event) -> list[datetime]:
    """The times at which the alarms go off."""
    inside = [part for part in found.subcomponents if isinstance(part, Alarm)]
    return [found.start + part.TRIGGER for part in inside]  # type: ignore[operator]


def seat_of(match: Match, user: User) -> Seat:
    return Seat.objects.get(match=match, user=user)


# --- The calendar


def test_a_due_move_is_an_event_at_its_due_time_with_an_alarm_at_each_reminder(
    ana: User, match: Match
) -> None:
    found = event(ana)
    due = seat_of(match, ana).due_at
    assert due == NOON + 3 * DAY
    assert found.start == due
    assert found.start.utcoffset() == timedelta(0)
    assert alarms(found) == [due - DAY, due - 4 * HOUR]
    assert found["SUMMARY"] == f"Your move: GEM {match.code} with ben"
    assert found["URL"].endswith(match.get_absolute_url())
    assert found["TRANSP"] == "TRANSPARENT"


def test_the_text_keeps_to_the_rules_of_rfc_5545(ana: User, match: Match) -> None:
    User.objects.filter(username="ben").update(username="Bén, der Große; " + "x" * 80)
    text = calendar_text(ana)
    assert text.endswith("\r\n")
    assert "\n" not in text.replace("\r\n", "")
    assert max(len(line.encode()) for line in text.split("\r\n")) <= 75
    assert "Bén\\, der Große\\; x" in text.replace("\r\n ", "")
    assert re.search(r"^DTSTART:\d{8}T\d{6}Z\r$", text, re.MULTILINE)
    head = Calendar.from_ical(text)
    assert (head["VERSION"], head["CALSCALE"]) == ("2.0", "GREGORIAN")
    for name in ("UID", "DTSTAMP", "DTSTART", "SUMMARY", "SEQUENCE", "LAST-MODIFIED"):
        assert name in event(ana)
    assert str(event(ana)["SUMMARY"]).endswith("x" * 80)


def test_alarms_keep_out_of_quiet_hours_like_the_reminders(ana: User, match: Match) -> None:
    set_hours(ana, quiet=(time(22), time(7)), zone="Europe/Paris", now=NOON)
    play(match, seat_of(match, ana).index, "bid 2")
    match = play_until(match, is_asked(ana), now=NOON + HOUR)
    found = alarms(event(ana))
    assert found
    for at in found:
        local = at.astimezone(User.objects.get(pk=ana.pk).zone)
        assert time(7) <= local.time() < time(22)


def test_a_deadline_that_moves_moves_the_event_and_counts_up(
    ana: User, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = event(ana)
    later = NOON + HOUR
    first = (NOON + DAY).date()
    announce_vacation(ana, first, first, now=later)
    after = event(ana)
    assert after["UID"] == before["UID"]
    assert after.start - before.start == DAY
    assert after["SEQUENCE"] > before["SEQUENCE"]
    assert after["LAST-MODIFIED"].dt == after["DTSTAMP"].dt == later
    assert alarms(after)[0] - alarms(before)[0] == DAY


def test_programs_take_the_new_end_of_a_vacation_that_is_ended_early(ana: User) -> None:
    """RFC 5545 §3.8.7.4: of two versions that with the higher SEQUENCE counts, then the later DTSTAMP."""
    announce_vacation(ana, NOON.date(), NOON.date() + 9 * DAY, now=NOON)
    (before,) = events(ana)
    end_vacation(ana, now=NOON + HOUR)
    (after,) = events(ana)
    assert after["uid"] == before["uid"]
    assert (before["sequence"], after["sequence"]) == (0, 1)
    assert after["dtstamp"].dt - before["dtstamp"].dt == HOUR
    assert after["last-modified"].dt == after["dtstamp"].dt
    assert after["dtend"].dt - after["dtstart"].dt == DAY
    assert events(ana) == [after]


def test_ones_vacation_and_the_holidays_of_ones_tables_are_whole_days(
    ana: User, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    ben = User.objects.get(username="ben")
    other = make_match(players=[make_user("cy"), ben])
    today = NOON.date()
    announce_vacation(ana, today + 2 * DAY, today + 4 * DAY, now=NOON)
    announce_vacation(ben, today + 2 * DAY, today + 3 * DAY, now=NOON)
    for table, proposer in ((match, ana), (other, ben)):
        propose_holiday(table.pk, proposer, today + 7 * DAY, today + 7 * DAY, now=NOON)
    agree_to_holiday(match.pk, ben, now=NOON)
    off = [each for each in events(ana) if not each["UID"].startswith("move-")]
    assert [(each["SUMMARY"], each.start, each.end) for each in off] == [
        ("Vacation: your clocks stand still", today + 2 * DAY, today + 5 * DAY),
        (f"Table holiday: GEM {match.code}", today + 7 * DAY, today + 8 * DAY),
    ]
    text = calendar_text(ana)
    assert re.search(r"^DTSTART;VALUE=DATE:\d{8}\r$", text, re.MULTILINE)
    assert text == calendar_text(ana), "nothing in it depends on when it is asked for"
    assert len({each["UID"] for each in events(ana)}) == 3
    monkeypatch.setattr(clock, "now", lambda: NOON + 8 * DAY)
    assert [each for each in events(ana) if not each["UID"].startswith("move-")] == []


def test_while_the_clock_stands_still_there_is_no_due_time(ana: User, match: Match) -> None:
    before = event(ana)
    pause_match(match.pk, "Storm.", now=NOON + HOUR)
    assert events(ana) == []
    resume_match(match.pk, "It is over.", now=NOON + 2 * HOUR)
    after = event(ana)
    assert after["UID"] == before["UID"]
    assert after["SEQUENCE"] > before["SEQUENCE"]
    assert after.start - before.start == HOUR


def test_each_prompt_is_an_event_of_its_own_and_goes_when_it_is_answered(ana: User, match: Match) -> None:
    before = event(ana)["UID"]
    match = play_until(match, lambda reached: not is_asked(ana)(reached))
    assert events(ana) == []
    play_until(match, is_asked(ana))
    assert event(ana)["UID"] != before


def test_alarms_follow_the_players_leads_and_choices(ana: User, match: Match) -> None:
    set_leads(ana, [2 * HOUR], now=NOON)
    assert alarms(event(ana)) == [event(ana).start - 2 * HOUR]
    set_leads(ana, [], now=NOON)
    assert alarms(event(ana)) == []
    set_leads(ana, [2 * HOUR], now=NOON)
    ana.notification_choices.create(event="reminder", channel="web")
    assert alarms(event(ana)) == []


def test_who_sits_for_a_player_has_the_move_in_the_calendar_with_its_alarms(ana: User, match: Match) -> None:
    eva = make_user("eva")
    sitting = propose_sitting(match.pk, ana, "eva", NOON.date(), NOON.date() + DAY, now=NOON)
    assert events(eva) == []
    agree_to_sit(sitting.pk, eva, now=NOON)
    assert event(eva)["SUMMARY"] == f"Your move for ana: GEM {match.code} with ben"
    assert alarms(event(eva))
    assert alarms(event(ana)) == [], "the player has handed it over, but may still move"


def test_a_calendar_says_nothing_that_only_the_player_may_know() -> None:
    players = [make_user(name) for name in ("dan", "kim", "lou")]
    match = make_match("gemessengers", players, server_part="5" * 64)
    seat = match.seats.select_related("user").get(index=0)
    assert seat.user
    text = calendar_text(seat.user)
    for secret in (seat.token, seat.user.token, match.server_part, "hand"):
        assert secret not in text


# --- The news


def entries(user: User) -> list[ElementTree.Element]:
    response = Client().get(f"/feeds/{feed_token(user)}/news.atom")
    assert response.status_code == 200
    assert response["Content-Type"].startswith("application/atom+xml")
    return ElementTree.fromstring(response.content).findall(f"{ATOM}entry")


def texts(user: User) -> str:
    return " ".join(str(found.findtext(f"{ATOM}title")) for found in entries(user))


def test_the_feed_tells_what_waits_and_what_happened(ana: User, match: Match) -> None:
    pause_match(match.pk, "Storm.", now=NOON + HOUR)
    told = texts(ana)
    assert f"Your turn in GEM {match.code}" in told
    assert "The match is paused: Storm." in told
    play_until(match, lambda reached: not is_asked(ana)(reached), now=NOON + HOUR)
    assert f"GEM {match.code}: ana " in texts(ana)
    assert f"Your turn in GEM {match.code}" not in texts(ana)


def test_what_people_wrote_is_text_and_no_markup(ana: User, match: Match) -> None:
    pause_match(match.pk, "<b>Storm</b>", now=NOON + HOUR)
    summaries = [str(found.findtext(f"{ATOM}summary")) for found in entries(ana)]
    assert [text for text in summaries if "&lt;b&gt;Storm" in text]
    assert not [text for text in summaries if "<b>" in text]


ODD = "Storm\x01 at\ufffe \u202esea\uffff."
"""With two signs that no XML may have, and one that turns the rest of a line around."""


def test_no_reason_of_a_moderator_makes_the_feed_unreadable(ana: User, match: Match) -> None:
    """With a control character in a reason the feed of everybody at the table was answered with 500."""
    panel = signed_in(make_user("mod", role=Role.MODERATOR, is_staff=True))
    assert panel.post(f"/admin/actions/pause/{match.code}/", {"reason": ODD}).status_code == 302
    assert "The match is paused: Storm at sea." in texts(ana)


def test_no_reason_of_an_organiser_makes_the_feed_unreadable(ana: User, match: Match) -> None:
    adjudicate(match.pk, (), require_reason(ODD), notice="ended-by-organiser", now=NOON + HOUR)
    assert "An organiser of the event ends the match: Storm at sea." in texts(ana)


def test_entries_keep_their_names_and_dates(ana: User, match: Match) -> None:
    def names() -> dict[str, str]:
        return {
            str(found.findtext(f"{ATOM}id")): str(found.findtext(f"{ATOM}updated")) for found in entries(ana)
        }

    before = names()
    assert all(name.startswith("tag:gem.localhost,2026:match/") for name in before)
    pause_match(match.pk, "Storm.", now=NOON + HOUR)
    after = names()
    assert before.items() < after.items()


def test_what_happened_at_one_instant_stands_there_with_the_last_first(ana: User, match: Match) -> None:
    play_until(match, lambda reached: reached.ply >= 6 and is_asked(ana)(reached))
    keys = [str(found.findtext(f"{ATOM}id")).split("/", 2)[2] for found in entries(ana)]
    assert keys[0].startswith("turn/")
    plies = [int(key.removeprefix("ply/")) for key in keys if key.startswith("ply/")]
    assert len(plies) >= 6
    assert plies == sorted(plies, reverse=True)


def test_a_feed_tells_of_a_hidden_pick_only_when_it_is_shown() -> None:
    players = [make_user(name) for name in ("dan", "kim", "lou")]
    match = make_match("gemessengers", players, server_part="5" * 64)
    before = [entry for entry in entries(players[0]) if "/ply/" in str(entry.findtext(f"{ATOM}id"))]
    match = play_until(match, lambda reached: reached.moves.filter(is_sealed=True).exists())
    text = match.moves.get(is_sealed=True).text
    mover = players[match.moves.get(is_sealed=True).seat]
    now = [entry for entry in entries(mover) if "/ply/" in str(entry.findtext(f"{ATOM}id"))]
    assert all(text not in "".join(entry.itertext()) for entry in now)
    assert len(before) == 0


# --- The address


def test_a_wrong_token_an_old_one_and_that_of_a_closed_account_are_alike(ana: User) -> None:
    token = feed_token(ana)
    renew_feed(ana)
    closed = make_user("cy")
    gone = feed_token(closed)
    User.objects.filter(pk=closed.pk).update(is_active=False)
    for wrong in (token, gone, "a" * 26, ana.token, "x"):
        for name in ("moves.ics", "news.atom"):
            assert Client().get(f"/feeds/{wrong}/{name}").status_code == 404
    assert Client().get(f"/feeds/{feed_token(User.objects.get(pk=ana.pk))}/moves.ics").status_code == 200


def test_an_account_that_is_older_than_feeds_has_its_address_once_it_is_shown(ana: User) -> None:
    User.objects.filter(pk=ana.pk).update(feed_token_hash=None)
    page = signed_in(ana).get("/time/").content.decode()
    assert ana.feed_token in page
    assert Client().get(f"/feeds/{ana.feed_token}/moves.ics").status_code == 200


@pytest.mark.parametrize("name", ["moves.ics", "news.atom"])
def test_what_has_not_changed_is_not_sent_again_and_no_cache_keeps_it(
    ana: User, match: Match, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"/feeds/{feed_token(ana)}/{name}"
    first = Client().get(url)
    assert first["Cache-Control"] == "private, no-cache"
    assert first["X-Robots-Tag"] == "noindex"
    monkeypatch.setattr(clock, "now", lambda: NOON + HOUR)
    again = Client().get(url, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    pause_match(match.pk, "Storm.", now=NOON + HOUR)
    changed = Client().get(url, headers={"If-None-Match": first["ETag"]})
    assert changed.status_code == 200
    assert Client().head(url)["ETag"] == changed["ETag"]
    assert Client().post(url).status_code == 405


@pytest.mark.slow
def test_the_addresses_stand_on_the_page_of_time_and_can_be_renewed(ana: User) -> None:
    client = signed_in(ana)
    page = read(client.get("/time/"))
    assert [link for link in page.links if link.startswith("webcal://")]
    assert f"/feeds/{ana.feed_token}/news.atom" in " ".join(page.links)
    assert "new addresses" in read(client.post("/time/", {"do": "renew-feed"}, follow=True)).text
    renewed = User.objects.get(pk=ana.pk)
    assert renewed.feed_token != ana.feed_token
    assert renewed.feed_token_hash == signing.token_hash(renewed.feed_token)


def test_the_address_is_cut_out_of_what_people_pass_on(ana: User) -> None:
    assert ana.feed_token not in redact(f"look: https://gem.example/feeds/{ana.feed_token}/moves.ics")


def test_an_overdue_move_that_was_acted_on_is_gone(
    ana: User, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep(monkeypatch, NOON + 3 * DAY)
    uids = [found["UID"] for found in events(ana)]
    assert f"move-{match.pk}-{seat_of(match, ana).index}-{match.ply + 1}@gem.localhost" not in uids
