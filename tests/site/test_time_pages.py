"""The page of a player's time settings, and a table's holiday."""

from __future__ import annotations

import re
from datetime import time, timedelta

import pytest
from django.test import Client

from gemserver.accounts.hours import hours_at
from gemserver.accounts.models import User
from gemserver.clocks.control import PRESETS
from gemserver.lib import clock
from gemserver.matches.actions.time.pause_match import pause_match, resume_match
from gemserver.matches.actions.time.propose_holiday import agree_to_holiday, propose_holiday
from gemserver.matches.actions.time.set_hours import set_leads
from gemserver.matches.models import Holiday, Match
from tests.builders import is_asked, make_match, make_user, play_until
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def ana(client: Client) -> User:
    user = make_user("ana", time_zone="Europe/Paris")
    client.force_login(user)
    return user


def test_the_page_is_for_who_is_signed_in(client: Client) -> None:
    assert client.get("/time/").status_code == 302


@pytest.mark.slow
def test_quiet_hours(client: Client, ana: User) -> None:
    form = {"do": "hours", "zone": "Europe/Paris", "quiet_start": "22:00", "quiet_end": "07:00"}
    page = client.post("/time/", form, follow=True).content.decode()
    assert "Saved, for turns that begin from now on." in page
    assert hours_at(ana, clock.now()).quiet_start == time(22)
    page = client.post("/time/", {**form, "quiet_end": "06:00"}, follow=True).content.decode()
    assert "24 hours or later" in page
    assert "Your last change counts for turns that begin after" in page


def test_mail_and_reminders(client: Client, ana: User) -> None:
    client.post("/notifications/", {"do": "mail", "mode": "digest", "digest_at": "08:00"})
    client.post("/time/", {"do": "leads", "minutes": ["2880", "240"]})
    ana.refresh_from_db()
    assert (ana.mail_mode, ana.digest_at, ana.reminder_minutes) == ("digest", time(8), [2880, 240])
    shown = shown_reminders(client)
    assert (shown["2 days"], shown["4 hours"], shown["1 day"]) == (True, True, False)


def shown_reminders(client: Client) -> dict[str, bool]:
    """The reminders that the page offers, in words, and which of them are ticked."""
    page = client.get("/time/").content.decode()
    boxes = re.findall(r'(<input type="checkbox" name="minutes"[^>]*>)\s*([^<]+?)\s*</label>', page)
    return {label: "checked" in box for box, label in boxes}


def test_a_reminder_that_was_asked_for_by_mail_stays_on_the_form(client: Client, ana: User) -> None:
    set_leads(ana, [timedelta(minutes=90)], now=clock.now())
    assert shown_reminders(client)["1 hour 30 minutes"]
    client.post("/time/", {"do": "leads", "minutes": ["90", "60"]})
    ana.refresh_from_db()
    assert ana.reminder_minutes == [90, 60]


def test_a_snooze_names_the_matches_in_which_the_time_is_up_before_its_end(client: Client, ana: User) -> None:
    now = clock.now()
    match = make_match(players=[ana], bots=1, time_control=PRESETS["1d"], now=now)
    play_until(match, is_asked(ana), now=now)
    page = client.post("/notifications/", {"do": "snooze", "hours": "72"}, follow=True).content.decode()
    assert f"your time is up before that in {match.code}." in page


def test_vacation(client: Client, ana: User) -> None:
    first = clock.now().date() + timedelta(days=10)
    form = {"do": "vacation", "first": first.isoformat(), "last": (first + timedelta(days=2)).isoformat()}
    assert "End all vacation after today" in client.post("/time/", form, follow=True).content.decode()
    assert ana.vacations.get().first == first
    client.post("/time/", {"do": "end-vacation"})
    assert not ana.vacations.exists()


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"do": "hours", "zone": "UTC", "quiet_start": "22:00"}, "Give both ends"),
        ({"do": "hours", "zone": "UTC", "quiet_start": "20:00", "quiet_end": "07:00"}, "at most 10 hours"),
        ({"do": "hours", "zone": "Europe/Atlantis"}, "is no time zone"),
        ({"do": "leads", "minutes": "7"}, "is not one of the available choices"),
        (
            {"do": "leads", "minutes": ["4320", "2880", "1440", "720", "480", "240", "120"]},
            "up to 6 reminders",
        ),
        ({"do": "vacation", "first": "2020-01-01", "last": "2020-01-02"}, "begins today or later"),
        ({"do": "vacation", "first": "", "last": ""}, "it is marked below"),
        ({"do": "end-vacation"}, "nothing to end"),
    ],
)
def test_what_cannot_be_is_refused_in_words(
    client: Client, ana: User, form: dict[str, str], sentence: str
) -> None:
    response = client.post("/time/", form)
    assert response.status_code == 422
    assert sentence in response.content.decode()


def test_all_that_is_wrong_with_a_form_stands_beside_its_fields(client: Client, ana: User) -> None:
    page = client.post("/time/", {"do": "vacation", "first": "", "last": "x"}).content.decode()
    assert page.count('class="errorlist"') == 2
    page = client.post("/time/", {"do": "hours", "zone": "UTC", "quiet_start": "22:00"}).content.decode()
    assert page.count("Give both ends") == 1


def test_a_form_is_not_answered_in_the_syntax_of_mails(client: Client, ana: User) -> None:
    form = {"do": "hours", "zone": "UTC", "quiet_start": "20:00", "quiet_end": "07:00"}
    page = client.post("/time/", form).content.decode()
    assert "at most 10 hours a day; choose other hours." in page
    assert "quiet 22-07" not in page


@pytest.mark.parametrize(
    "form",
    [
        {"do": "hours", "zone": "Asia/Kathmandu", "quiet_start": "20:15", "quiet_end": "07:45"},
        {"do": "vacation", "first": "2020-01-01", "last": "2020-01-02"},
    ],
)
def test_what_was_refused_stands_in_its_form_as_it_was_typed(
    client: Client, ana: User, form: dict[str, str]
) -> None:
    page = client.post("/time/", form).content.decode()
    for name in form.keys() - {"do"}:
        assert f'value="{form[name]}"' in page, name
    assert 'Asia/Kathmandu" selected' in page or "zone" not in form
    assert 'value="1440" id="id_minutes_2" checked' in page, "the other forms show what is chosen"


def test_a_holiday_is_proposed_and_agreed_on_at_the_page_of_the_match(client: Client, ana: User) -> None:
    ben = make_user("ben")
    match = make_match(players=[ana, ben], now=clock.now())
    first = clock.now().date() + timedelta(days=3)
    url = f"{match.get_absolute_url()}holiday/"
    form = {"do": "propose", "first": first.isoformat(), "last": first.isoformat()}
    page = client.post(url, form, follow=True).content.decode()
    assert "Withdraw the request" in page
    assert "The others are asked to agree to a table holiday" in page
    assert "Nothing is proposed" not in page
    client.force_login(ben)
    assert (
        f"{ana.username} proposes days off for the whole table"
        in client.get(match.get_absolute_url()).content.decode()
    )
    client.post(url, {"do": "agree"})
    assert match.holidays.get().outcome == Holiday.Outcome.AGREED
    refused = client.post(url, {"do": "refuse"}, follow=True).content.decode()
    assert "Nothing is proposed" in refused


@pytest.mark.parametrize(
    ("last", "sentence"), [("2027-13-01", "Enter a valid date."), ("2001-01-01", "the first day first")]
)
def test_a_holiday_that_is_refused_stays_in_its_form(
    client: Client, ana: User, last: str, sentence: str
) -> None:
    match = make_match(players=[ana, make_user("ben")], now=clock.now())
    first = (clock.now().date() + timedelta(days=3)).isoformat()
    form = {"do": "propose", "first": first, "last": last}
    answer = client.post(f"{match.get_absolute_url()}holiday/", form)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert sentence in page
    for day in (first, last):
        assert f'value="{day}"' in page
    assert not match.holidays.exists()


def test_a_holiday_that_nobody_else_is_asked_for_is_agreed_at_once(client: Client, ana: User) -> None:
    match = make_match(players=[ana], bots=1, now=clock.now())
    day = (clock.now().date() + timedelta(days=3)).isoformat()
    form = {"do": "propose", "first": day, "last": day}
    page = client.post(f"{match.get_absolute_url()}holiday/", form, follow=True).content.decode()
    assert "All agree: the table has a holiday" in page


def status_of(client: Client, match: Match) -> str:
    """The head of the match's page."""
    page = client.get(match.get_absolute_url()).content.decode()
    return re.sub(r"\s+", " ", page.partition('id="status"')[2].partition("</header>")[0])


def test_the_head_of_a_match_says_that_it_is_paused(client: Client, ana: User) -> None:
    match = play_until(make_match(players=[ana], bots=1, now=clock.now()), is_asked(ana), now=clock.now())
    sentence = "A moderator has paused the match: all clocks stand still."
    assert sentence not in status_of(client, match)
    pause_match(match.pk, "a report", now=clock.now())
    assert sentence in status_of(client, match)
    resume_match(match.pk, "settled", now=clock.now())
    assert sentence not in status_of(client, match)


def test_the_head_of_a_match_names_the_holiday_on_which_all_have_agreed(client: Client, ana: User) -> None:
    ben = make_user("ben")
    match = make_match(players=[ana, ben], now=clock.now())
    first = clock.now().date() + timedelta(days=3)
    propose_holiday(match.pk, ana, first, first + timedelta(days=4), now=clock.now())
    assert "Table holiday" not in status_of(client, match)
    agree_to_holiday(match.pk, ben, now=clock.now())
    assert "Table holiday from" in status_of(client, match)
    match.holidays.update(first=first - timedelta(days=9), last=first - timedelta(days=5))
    assert "Table holiday" not in status_of(client, match), "it is over"


def test_what_was_chosen_for_mails_is_still_there_after_an_error(ana: User) -> None:
    answer = signed_in(ana).post("/notifications/", {"do": "mail", "mode": "digest", "digest_at": ""})
    assert answer.status_code == 422
    assert re.search(r'<input[^>]*value="digest"[^>]*checked', answer.content.decode())


@pytest.mark.parametrize("own", ["Europe/Paris", "UTC", "W-SU", "Asia/Calcutta"])
def test_the_zones_on_offer_are_places_by_region_and_the_own_one(own: str) -> None:
    page = signed_in(make_user("ana", time_zone=own)).get("/time/").content.decode()
    options = re.findall(r'<option value="([^"]+)"( selected)?', page)
    zones = [zone for zone, _selected in options]
    assert [zone for zone, selected in options if selected] == [own]
    assert {zone for zone in zones if "/" not in zone} == {"UTC", own} - {"Europe/Paris", "Asia/Calcutta"}
    former = {"Africa/Asmera", "America/Knox_IN", "America/Fort_Wayne", "Asia/Calcutta", "Europe/Kiev"}
    assert former & set(zones) == former & {own}, "of former names the one that somebody has chosen alone"
    assert {"Africa/Asmara", "America/Indiana/Knox", "Asia/Kolkata", "Europe/Kyiv", "Europe/Oslo"} <= set(
        zones
    )
    assert not [zone for zone in zones if zone.startswith(("Etc/", "US/", "posix"))]
    assert '<optgroup label="Europe">' in page
    assert ">Argentina / Buenos Aires</option>" in page
