"""Wishes to the server in people's own words: what only shows is shown, all else is offered and never done."""

from __future__ import annotations

from datetime import date

import pytest

from gemserver.mailgate.lines.days_in_words import take_days
from gemserver.mailgate.lines.wishes import find_offer
from gemserver.matches.models import Seat
from tests.mailgate.letters import letter, receive
from tests.mailgate.posting import one_line, sent_to, write
from tests.mailgate.wish_sets import LANGUAGES, ask, judge, read_none, read_wishes, set_scene
from tests.quick import some

FRIDAY = date(2026, 3, 6)
MOST_MISSED = 0.2
"""Of the wishes of each language; those that were written last and not looked at are missed more often."""


@pytest.fixture
def seat() -> Seat:
    return set_scene()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("Hi, could you show me the board again please?", "board"),
        ("shw me the baord please", ""),
        ("can you show me the baord", "board"),
        ("Wer ist dran?", "status"),
        ("Combien de temps me reste-t-il ?", "status"),
        ("What did I miss?", "log"),
        ("Wie funktioniert die Wertung?", "rules"),
        ("any free tables?", "games"),
    ],
)
def test_what_only_shows_something_is_shown(line: str, code: str, seat: Seat) -> None:
    shown = [each["code"] for each in receive(seat, letter(seat, line)).results if each["outcome"] == "shown"]
    assert shown == [code] * bool(code)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("Oops, can I undo my last move?", ["undo"]),
        ("Bitte löscht mein Konto", ["erase"]),
        ("can we just end the game here?", ["resign"]),
        ("Nur eine Mail am Tag bitte", ["mail digest 08:00", "mail off"]),
        ("Please change my name to Annie", ["rename Annie"]),
        ("tell Ben I'll be late today", ["say: I'll be late today"]),
        ("remind me again in 3 hours", ["snooze 3h"]),
        ("remind me again in three hours", ["snooze 3h"]),
        ("erinner mich in drei Stunden nochmal", ["snooze 3h"]),
        ("rappelez-moi dans trois heures", ["snooze 3h"]),
        ("Don't send me mail between 10pm and 7am", ["quiet 22-07"]),
        ("please write in French", ["language fr"]),
        ("Ich verstehe kein Englisch", ["language fr", "language de"]),
        ("my time zone is Europe/Berlin", ["zone Europe/Berlin"]),
        ("Meine Zeitzone ist Berlin", ["zone Europe/Berlin"]),
        ("Mon fuseau horaire est America/New_York", ["zone America/New_York"]),
        ("Could I play against the computer please?", ["new florentine bots=1"]),
        ("Ich möchte GEM gegen den Computer spielen", ["new gem bots=1"]),
    ],
)
def test_what_changes_something_is_offered_and_not_done(line: str, offered: list[str], seat: Seat) -> None:
    row = receive(seat, letter(seat, line))
    assert [(each["outcome"], each["candidates"]) for each in row.results] == [("unread", offered)]
    answer = sent_to(seat.user)[-1]
    assert all(each in one_line(answer) for each in offered)
    assert str(answer.alternatives[0][0]).count("mailto:") >= len(offered)


@pytest.mark.django_db
def test_a_wish_below_a_digest_is_offered_for_its_match(seat: Seat) -> None:
    row = write(seat.user, f"{seat.match.code}: can I take that back?")
    assert row.results[0]["candidates"] == [f"{seat.match.code}: undo"]


@pytest.mark.django_db
def test_a_mail_that_is_not_understood_is_answered_with_the_nearest_command(seat: Seat) -> None:
    row = receive(seat, letter(seat, "hmm, is there some way to undo that at all"))
    assert [each["candidates"] for each in row.results] == [[]]
    assert "take your last move back write: undo" in one_line(sent_to(seat.user)[-1])


@pytest.mark.django_db
def test_what_is_done_on_the_web_is_answered_with_the_page(seat: Seat) -> None:
    receive(seat, letter(seat, "I have a new address"))
    answer = one_line(sent_to(seat.user)[-1])
    assert "Reply above this line -- Your mail address is changed on the web: http" in answer


@pytest.mark.django_db
@pytest.mark.parametrize("language", LANGUAGES)
def test_few_wishes_are_answered_without_their_command(language: str, seat: Seat) -> None:
    wishes = read_wishes(language)[::8]
    missed = [said.text for said in wishes if judge(said.wish, ask(seat, said)) not in ("met", "offered")]
    assert len(missed) <= max(1, MOST_MISSED * len(wishes)), missed


@pytest.mark.django_db
@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.slow)])
def test_what_asks_for_nothing_carries_nothing_out(every: int, seat: Seat) -> None:
    texts = [each for language in LANGUAGES for each in read_none(language)][::every]
    found = {each.text: {result["outcome"] for result in ask(seat, each).results} for each in texts}
    assert {text for text, outcomes in found.items() if outcomes & {"done", "shown"}} == set()


@pytest.mark.django_db
@pytest.mark.slow
def test_no_wish_carries_out_anything_else(seat: Seat) -> None:
    wishes = some([said for language in LANGUAGES for said in read_wishes(language)], 3)
    assert [said.text for said in wishes if judge(said.wish, ask(seat, said)) == "wrong"] == []


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("from 3 to 10 August", "2026-08-03 2026-08-10"),
        ("vom 3.8. bis zum 10.8.", "2026-08-03 2026-08-10"),
        ("du 3 au 10 août", "2026-08-03 2026-08-10"),
        ("August 3 - August 10", "2026-08-03 2026-08-10"),
        ("until Monday", "2026-03-06 2026-03-09"),
        ("from tomorrow until sunday", "2026-03-07 2026-03-08"),
        ("la semaine prochaine", "2026-03-09 2026-03-15"),
        ("über Weihnachten", "2026-12-24 2026-12-26"),
        ("from 28 December to 3 January", "2026-12-28 2027-01-03"),
        ("from 9999-12-31 to 9999-12-30", "9999-12-30 9999-12-30"),
    ],
)
def test_days_are_read_as_people_write_them(text: str, days: str) -> None:
    assert str(take_days(text, FRIDAY)[1]) == days


@pytest.mark.parametrize(
    "text",
    [
        *("on 31.2.", "away 3", "3 and 4", "in 99 days", "M17", "2026-13-01", "8.99."),
        *("until 2020-01-01", "from Monday to 0001-01-01", "vacation 2020-01-01"),
    ],
)
def test_what_is_no_day_or_past_is_none(text: str) -> None:
    assert take_days(text, FRIDAY)[1] is None


@pytest.mark.parametrize(
    "text", ["Ben is away until Monday", "Were you on holiday?", "Don't tell Ben", "tell me about it"]
)
def test_what_is_said_of_others_is_no_wish(text: str) -> None:
    assert find_offer(text, FRIDAY, ("Ben",)) is None
