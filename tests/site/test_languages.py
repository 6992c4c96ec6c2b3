"""Languages: the browser's choice, the account's choice, rules, mails, logs and dates."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from django.conf import settings
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from django.utils import translation
from django.utils.formats import date_format

from games.chance import Chance
from games.registry import GAMES
from gemserver.lib import clock
from gemserver.matches.models import Match
from gemserver.notify import delivery
from tests.builders import NOON, is_asked, make_match, make_user, play, play_until
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

TRANSLATED = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
SIGN_UP = {"en": "Sign up", "fr": "S’inscrire", "de": "Registrieren"}
YOUR_MOVE = {"en": "Your move", "fr": "Votre coup", "de": "Dein Zug"}
YOUR_TURN = {"fr": "C’est votre tour dans GEM", "de": "Du bist am Zug in GEM"}
DUE = {"fr": "lundi 9 mars 2026 12:00", "de": "Mo 9. März 2026 12:00"}
RULES_END = {"fr": "La fin", "de": "Das Ende"}
RECONSTRUCTED = {"fr": "les faces des cartes joyaux", "de": "die Bilder der Juwelenkarten"}


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.5", "de"),
        ("gsw,de-CH;q=0.8", "de"),
        ("fr-CA", "fr"),
        ("pl,fr;q=0.4", "fr"),
        ("en-GB,de;q=0.7", "en"),
        ("pl", "en"),
    ],
)
def test_a_stranger_reads_what_the_browser_asks_for(wanted: str, language: str) -> None:
    response = Client(headers={"Accept-Language": wanted}).get("/")
    assert f'<html lang="{language}">' in response.content.decode()
    assert SIGN_UP[language] in read(response).text


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_player_chooses_the_language_of_pages_and_mails(language: str) -> None:
    ana = make_user("ana")
    client = signed_in(ana)
    client.post("/you/", {"name": "ana", "language": language})
    match = play_until(make_match(players=[ana, make_user("ben")]), is_asked(ana))
    page = client.get(f"/m/{match.code}/", headers={"Accept-Language": "en"})
    assert f'<html lang="{language}">' in page.content.decode()
    assert YOUR_MOVE[language] in read(page).text


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_mail_is_written_in_the_language_of_its_reader(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON)
    ana, ben = make_user("ana", language=language), make_user("ben")
    play_until(make_match(players=[ana, ben], server_part="a" * 64), is_asked(ana))
    delivery.send_queued()
    message = [message for message in mail.outbox if message.to == [ana.email]][-1]
    assert isinstance(message, EmailMultiAlternatives)
    assert YOUR_TURN[language] in str(message.body)
    assert DUE[language] in str(message.body)
    html, _ = message.alternatives[0]
    assert f'<html lang="{language}">' in str(html)


@pytest.mark.parametrize("language", TRANSLATED)
def test_rules_are_read_in_the_language_of_the_reader(language: str) -> None:
    page = read(Client(headers={"Accept-Language": language}).get("/rules/gem/"))
    assert RULES_END[language] in page.text
    assert RECONSTRUCTED[language] in page.text


@pytest.mark.parametrize("slug", GAMES)
def test_every_contest_has_words(slug: str) -> None:
    rules = GAMES[slug].rules
    chance = Chance("1" * 64, "contests")
    state = rules.deal(seats=max(rules.meta.min_seats, 3), options={}, chance=chance)
    named = set()
    while seats := rules.waiting_on(state):
        named.add(rules.context(state))
        seat = min(seats)
        state = rules.apply(state, seat, rules.random_move(state, seat, chance), chance).state
    contests = {re.sub(r"\d+", "{}", context) for context in named if context is not None}
    assert contests == {contest.template for contest in rules.meta.contests}


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        ("en", "day 1 auction 1, answer 1"),
        ("fr", "jour 1, enchère 1"),
        ("de", "Tag 1, Versteigerung 1"),
    ],
)
def test_the_page_of_the_deal_names_contests_in_the_language_of_the_reader(language: str, shown: str) -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")], options={"pace": "sealed"})
    play(match, 0, "bid 1")
    page = read(Client(headers={"Accept-Language": language}).get(f"/m/{match.code}/deal/"))
    assert shown in page.text


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", "Tue 24 Nov 2026 18:00"),
        ("fr", "mardi 24 nov. 2026 18:00"),
        ("de", "Di 24. Nov. 2026 18:00"),
    ],
)
def test_dates_are_written_as_the_language_does(language: str, written: str) -> None:
    moment = datetime(2026, 11, 24, 18, tzinfo=UTC)
    with translation.override(language):
        assert date_format(moment, "D j M Y H:i") == written


def test_a_bots_name_fits_into_any_german_sentence() -> None:
    """German would need another ending in nearly each: `Warten auf leichten Bot`, `mit leichtem Bot`."""
    ana = make_user("ana", language="de")
    client = signed_in(ana)
    client.post("/practice/gem/")
    match = Match.objects.get()
    match.seats.exclude(user=ana).update(is_waiting=True)
    match.seats.filter(user=ana).update(is_waiting=False)
    for path in ("/", match.get_absolute_url()):
        assert "leichter Bot" not in read(client.get(path)).text
