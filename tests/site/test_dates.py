"""Dates are written as each language does, on pages and in mails."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.template import Context, Template
from django.test import Client
from django.utils import translation
from django.utils.formats import date_format

from gemserver.lib import clock
from gemserver.matches.log.notices import show_day
from tests.builders import make_match, make_user, play_until
from tests.site.pages import signed_in

AT = datetime(2026, 11, 24, 18, 5, tzinfo=UTC)

WRITTEN = {
    "en": {"j M": "24 Nov", "D j M Y H:i T": "Tue 24 Nov 2026 18:05 UTC", "F Y": "November 2026"},
    "fr": {"j M": "24 nov.", "D j M Y H:i T": "mardi 24 nov. 2026 18:05 UTC", "F Y": "novembre 2026"},
    "de": {"j M": "24. Nov.", "D j M Y H:i T": "Di 24. Nov. 2026 18:05 UTC", "F Y": "November 2026"},
}


def written(pattern: str) -> str:
    return Template(f'{{{{ at|date:"{pattern}" }}}}').render(Context({"at": AT}))


@pytest.mark.parametrize("language", WRITTEN)
def test_dates_are_written_as_the_language_does(language: str) -> None:
    with translation.override(language):
        assert {pattern: written(pattern) for pattern in WRITTEN[language]} == WRITTEN[language]


def test_the_log_writes_them_the_same_way() -> None:
    with translation.override("fr"):
        assert show_day(AT.date()) == "24 nov. 2026"


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "day"), [("en", "24 Nov"), ("fr", "24 nov."), ("de", "24. Nov.")])
def test_the_log_of_a_match_writes_its_days_as_the_language_does(language: str, day: str) -> None:
    match = play_until(
        make_match(players=[make_user("ana"), make_user("ben")]), lambda reached: reached.ply >= 2
    )
    match.moves.update(created_at=AT)
    page = Client(headers={"accept-language": language}).get(match.get_absolute_url()).content.decode()
    log = page.partition('<section id="log"')[2].partition("</section>")[0]
    assert set(re.findall(r"<time[^>]*>([^<]*)</time>", log)) == {f"{day} 18:05"}


def patterns() -> set[str]:
    templates = Path(settings.BASE_DIR, "templates").rglob("*.*")
    found = [re.findall(r'\bdate(?::|\()"([^"]+)"', file.read_text()) for file in templates]
    return {pattern for each in found for pattern in each} - {"c"}


@pytest.mark.parametrize("pattern", sorted(patterns()))
@pytest.mark.parametrize("month", range(1, 13))
def test_no_french_month_or_weekday_has_a_capital(pattern: str, month: int) -> None:
    with translation.override("fr"):
        at = datetime(2026, month, 10 + month, 18, 5, tzinfo=UTC)
        text = Template(f'{{{{ at|date:"{pattern}" }}}}').render(Context({"at": at}))
    assert not re.search(r"[A-ZÀ-Þ]", text.replace("UTC", "")), text


@pytest.mark.parametrize("language", WRITTEN)
def test_what_django_writes_by_itself_has_the_same_format(language: str) -> None:
    with translation.override(language):
        assert date_format(AT, "DATETIME_FORMAT") == written("j M Y H:i")
        assert date_format(AT, "DATE_FORMAT") == written("j M Y")


def test_moderators_read_all_times_in_one_format() -> None:
    folder = Path(settings.BASE_DIR, "templates", "admin")
    found = {
        pattern
        for file in folder.glob("*.html")
        for pattern in re.findall(r'date:"([^"]+)"', file.read_text())
    }
    assert {pattern for pattern in found if "H" in pattern} == {"j M Y H:i"}


def filled_in(response: HttpResponse, kind: str) -> list[str]:
    """The values of the inputs of one type, in their order."""
    inputs = re.findall(rf'<input type="{kind}"[^>]*>', response.content.decode())
    return [(re.findall(r' value="([^"]*)"', each) or [""])[0] for each in inputs]


@pytest.mark.django_db
@pytest.mark.parametrize("language", WRITTEN)
def test_a_form_shows_days_and_hours_as_a_browser_takes_them(language: str) -> None:
    ana = make_user("ana", language=language, digest_at=time(18, 30))
    ana.hours.create(effective_at=clock.now(), time_zone="UTC", quiet_start=time(22), quiet_end=time(7, 30))
    match = make_match(players=[ana, make_user("ben")], now=clock.now())
    client = signed_in(ana)

    event = "/events/new/gem/"
    first_day = (clock.now() + timedelta(days=8)).date().isoformat()
    assert filled_in(client.get(event), "date") == [first_day]
    assert filled_in(client.post(event, {"starts_at": first_day}), "date") == [first_day]

    assert filled_in(client.get("/time/"), "time") == ["22:00:00", "07:30:00"]
    half = {"do": "hours", "zone": "UTC", "quiet_start": "20:15", "quiet_end": ""}
    assert filled_in(client.post("/time/", half), "time") == ["20:15", ""]
    assert filled_in(client.get("/notifications/"), "time") == ["18:30:00"] * 2

    tomorrow = clock.now().date() + timedelta(days=1)
    days = [tomorrow.isoformat(), (tomorrow - timedelta(days=1)).isoformat()]
    typed = dict(zip(("first", "last"), days, strict=True))
    assert filled_in(client.post("/time/", {"do": "vacation", **typed}), "date") == days
    holiday = f"{match.get_absolute_url()}holiday/"
    assert filled_in(client.post(holiday, {"do": "propose", **typed}), "date")[:2] == days
