"""Dates are written as each language does, on pages and in mails."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template
from django.utils import translation
from django.utils.formats import date_format

from gemserver.matches.notices import show_day

AT = datetime(2026, 11, 24, 18, 5, tzinfo=UTC)

WRITTEN = {
    "en": {"j M": "24 Nov", "D j M Y H:i T": "Tue 24 Nov 2026 18:05 UTC", "F Y": "November 2026"},
    "fr": {"j M": "24 nov.", "D j M Y H:i T": "mar. 24 nov. 2026 18:05 UTC", "F Y": "novembre 2026"},
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


def patterns() -> set[str]:
    templates = Path(settings.BASE_DIR, "templates").rglob("*.*")
    return {found for file in templates for found in re.findall(r'date:"([^"]+)"', file.read_text())} - {"c"}


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
