"""An operator's imprint and page on privacy: by language, linked on every page, and none where none is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.utils import translation
from pytest_django import Settings

from gemserver.lib.web.busy import failed
from gemserver.operating.kept import OF_RULES, list_kept
from gemserver.operating.retention import RULES
from tests.catalogues import LANGUAGES
from tests.site.pages import Page, read, read_main

pytestmark = pytest.mark.django_db

NOT_OF_PEOPLE = {
    "texts of sent mail": "kept by the mail room alone, on one's own machine",
    "replaced addresses": "tokens of ours, until they are no longer taken",
    "sessions": "until one signs out, at most as long as the cookie",
    "cached values": "figures of pages",
    "counts of mails": "numbers under keyed hashes",
    "incidents": "of the server",
    "stops of all clocks": "of the server",
}


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    settings.LEGAL_DIR = str(tmp_path)
    return tmp_path


def look(path: str, language: str = "en") -> Page:
    return read(Client(headers={"Accept-Language": language}).get(path))


def test_nothing_is_shown_where_nothing_is_written(folder: Path, settings: Settings) -> None:
    for legal_dir in ("", str(folder)):
        settings.LEGAL_DIR = legal_dir
        assert {"/imprint/", "/privacy/"} & set(look("/help/").links) == set()
        assert Client().get("/imprint/").status_code == Client().get("/privacy/").status_code == 404


def test_each_reads_the_text_of_their_language_or_the_one_there_is(folder: Path) -> None:
    (folder / "imprint.de.md").write_text("# Anbieterin\n\nOlga Beispiel, Gasse 1\n", encoding="utf-8")
    assert "Olga Beispiel" in look("/imprint/", "fr").text
    (folder / "imprint.en.md").write_text("Olga Example, Lane 1\n", encoding="utf-8")
    assert "Olga Example" in look("/imprint/", "fr").text
    assert "Olga Beispiel" in look("/imprint/", "de").text
    page = Client(headers={"Accept-Language": "de"}).get("/imprint/").content.decode()
    assert "<h2>Anbieterin</h2>" in page
    assert 'lang="de"' in page.partition("<main")[2]


def test_what_is_written_there_is_no_script(folder: Path) -> None:
    (folder / "imprint.en.md").write_text(
        "# <script>alert(1)</script>\n\n<script>alert(2)</script>\n\n[mail](mailto:olga@example.org)\n",
        encoding="utf-8",
    )
    page = Client().get("/imprint/").content.decode().partition("<main")[2].partition("</main>")[0]
    assert "<script" not in page
    assert 'href="mailto:olga@example.org"' in page


@pytest.mark.parametrize("path", ["/", "/help/", "/accounts/login/", "/nothing/"])
def test_what_there_is_is_linked_on_every_page(folder: Path, path: str, rf: object) -> None:
    (folder / "privacy.en.md").write_text("We keep little.\n", encoding="utf-8")
    assert "/privacy/" in look(path).links
    assert "/imprint/" not in look(path).links
    assert "/privacy/" in read(failed(rf.get(path))).links  # type: ignore[attr-defined]


@pytest.mark.parametrize(("language", "days"), [("en", "12 days"), ("de", "12 Tage"), ("fr", "12 jours")])
def test_the_page_on_privacy_says_what_the_server_really_forgets(
    folder: Path, settings: Settings, language: str, days: str
) -> None:
    (folder / "privacy.en.md").write_text("We keep little.\n", encoding="utf-8")
    settings.MAIL_RAW_DAYS = 12
    page = read_main(Client(headers={"Accept-Language": language}).get("/privacy/"))
    assert "We keep little." in page.text
    assert page.text.count(days) == 3
    with translation.override(language):
        for what, after in list_kept():
            assert f"{what}{after}" in page.text


def test_rows_of_mails_are_promised_to_go_only_where_they_do(settings: Settings) -> None:
    settings.MAIL_KEPT_DAYS = 77
    assert any(after == "77 days" for _, after in list_kept()) == (connection.vendor == "postgresql")
    settings.MAIL_KEPT_DAYS = 0
    assert len(list_kept()) == len(OF_RULES) + 1


def test_every_rule_of_what_is_forgotten_is_told_or_not_about_people() -> None:
    assert {rule.name for rule in RULES} == OF_RULES.keys() | NOT_OF_PEOPLE.keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_forgotten_is_said_in_every_language(language: str) -> None:
    with translation.override("en"):
        english = {what for what, _ in list_kept()}
    with translation.override(language):
        assert english & {what for what, _ in list_kept()} == set()
