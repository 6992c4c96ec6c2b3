"""Talk, notes, blocks and reports on the page of a match."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from gemserver.accounts.models import Block, User
from gemserver.matches.actions.people.block_player import block_player
from gemserver.matches.actions.seats.hand_over import give_to_bot, take_seat
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.talk.say import LONGEST_MESSAGE, say
from gemserver.matches.actions.talk.write_note import write_note
from gemserver.matches.models import ChatMessage, Match, Note, Report
from gemserver.site.match.talk_page import SHOWN
from tests.builders import NOON, make_match, make_table, make_user
from tests.site.pages import Page, read, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(ana: User, ben: User) -> Match:
    return make_match(players=[ana, ben])


def look(user: User | None, match: Match, query: str = "") -> Page:
    client = signed_in(user) if user else Client()
    response = client.get(f"/m/{match.code}/{query}")
    assert response.status_code == 200
    return read(response)


def post(user: User, match: Match, path: str, **fields: Any) -> Any:
    return signed_in(user).post(f"/m/{match.code}/{path}", fields)


def test_what_is_said_is_on_the_page_of_the_other_player(match: Match, ana: User, ben: User) -> None:
    response = post(ana, match, "talk/", said="Good *luck*!\n<script>alert(1)</script>", request_id="r1")
    assert (response.status_code, response.url) == (302, f"/m/{match.code}/#talk")
    page = signed_in(ben).get(f"/m/{match.code}/").content.decode()
    assert "Good <em>luck</em>!" in page
    assert "<script>alert" not in page


def test_a_form_sent_twice_says_it_once(match: Match, ana: User) -> None:
    for _ in range(2):
        post(ana, match, "talk/", said="hello", request_id="r1")
    assert ChatMessage.objects.count() == 1


def test_other_words_from_a_page_that_the_browser_kept_are_said_too(match: Match, ana: User) -> None:
    """After going back, the browser shows the form with its old id."""
    for words in ("hello", "how are you?"):
        post(ana, match, "talk/", said=words, request_id="r1")
    assert [message.text for message in ChatMessage.objects.all()] == ["hello", "how are you?"]


def test_what_was_refused_stays_in_the_field(match: Match, ana: User) -> None:
    words = "x" * (LONGEST_MESSAGE + 1)
    response = post(ana, match, "talk/", said=words, request_id="r1")
    assert response.status_code == 422
    assert words in response.content.decode()
    assert "send it in parts" in read(response).text
    notes = post(ana, match, "notes/", note="y" * 10_001)
    assert notes.status_code == 422
    assert "y" * 10_001 in notes.content.decode()
    assert not Note.objects.exists()


def test_notes_are_their_writers_alone(match: Match, ana: User, ben: User) -> None:
    post(ana, match, "notes/", note="Ben bluffs")
    assert "Ben bluffs" in look(ana, match).text
    for reader in (ben, make_user("dee"), None):
        assert "Ben bluffs" not in look(reader, match).text


def readers_of(match: Match, ana: User, ben: User) -> dict[str, User | None]:
    """Everybody who may look at a page."""
    return {
        "anonymous": None,
        "another player": make_user("dee"),
        "seated": ben,
        "moderator": make_user("mod", is_staff=True, is_superuser=True),
    }


def test_the_talk_is_for_those_who_sit_there(match: Match, ana: User, ben: User) -> None:
    say(match.pk, ana, "between us", "1", now=NOON)
    shown = {who: "between us" in look(user, match).text for who, user in readers_of(match, ana, ben).items()}
    assert shown == {"anonymous": False, "another player": False, "seated": True, "moderator": False}


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("talk/", {"said": "hello", "request_id": "1"}),
        ("notes/", {"note": "x"}),
        ("talk/tune/", {"mute": "1"}),
        ("report/", {"text": "look"}),
    ],
)
def test_who_does_not_sit_there_changes_nothing(
    path: str, fields: dict[str, str], match: Match, ana: User, ben: User
) -> None:
    assert Client().post(f"/m/{match.code}/{path}", fields).url.startswith("/accounts/login/")
    for who in ("another player", "moderator"):
        user = (
            readers_of(match, ana, ben)[who] if who == "another player" else make_user("mod2", is_staff=True)
        )
        assert user is not None
        assert post(user, match, path, **fields).status_code in {404, 422}
        User.objects.filter(username__in=["dee", "mod"]).delete()
    assert not ChatMessage.objects.exists()
    assert not Note.objects.exists()
    assert not Report.objects.exists()


def test_who_takes_a_seat_over_sees_no_talk_and_no_notes_of_before(
    match: Match, ana: User, ben: User
) -> None:
    say(match.pk, ana, "between us", "1", now=NOON)
    write_note(match.pk, ben, "my plan", now=NOON)
    give_to_bot(match, match.seats.get(user=ben), now=NOON)
    dee = make_user("dee")
    take_seat(match.pk, 1, dee, now=NOON)
    say(match.pk, ana, "welcome", "2", now=NOON + timedelta(seconds=1))
    page = look(dee, match).text
    assert "welcome" in page
    assert "between us" not in page
    assert "my plan" not in page


def test_blocking_and_unblocking_on_the_page(match: Match, ana: User, ben: User) -> None:
    say(match.pk, ben, "boo", "1", now=NOON)
    assert ("block", "ben") in look(ana, match).buttons
    post(ana, match, "talk/tune/", block="ben")
    assert Block.objects.get().blocked == ben
    page = look(ana, match)
    assert "boo" not in page.text
    assert ("unblock", "ben") in page.buttons
    post(ana, match, "talk/tune/", unblock="ben")
    assert "boo" in look(ana, match).text


def test_muting_on_the_page(match: Match, ana: User) -> None:
    assert ("mute", "1") in look(ana, match).buttons
    post(ana, match, "talk/tune/", mute="1")
    assert ("unmute", "1") in look(ana, match).buttons
    post(ana, match, "talk/tune/", unmute="1")
    assert ("mute", "1") in look(ana, match).buttons


def test_reporting_a_message(match: Match, ana: User, ben: User) -> None:
    message = say(match.pk, ben, "rude words", "1", now=NOON)
    link = f"/m/{match.code}/report/?message={message.pk}"
    assert link in look(ana, match).links
    assert link not in look(ben, match).links, "nobody reports themselves"
    assert "rude words" in read(signed_in(ana).get(link)).text
    assert signed_in(ana).post(link, {"text": ""}).status_code == 302
    assert Report.objects.get().message == message
    empty = signed_in(ana).post(f"/m/{match.code}/report/", {"text": ""})
    assert empty.status_code == 422


def test_a_message_that_one_cannot_read_cannot_be_reported(match: Match, ana: User, ben: User) -> None:
    elsewhere = make_match(players=[ben, make_user("cy")])
    hidden = say(elsewhere.pk, ben, "secret words", "1", now=NOON)
    for number in (hidden.pk, 999_999, "x", "9" * 5000):
        assert signed_in(ana).get(f"/m/{match.code}/report/?message={number}").status_code == 404


@pytest.mark.slow
def test_of_a_long_talk_the_end_is_shown(match: Match, ana: User, ben: User) -> None:
    for number in range(SHOWN + 3):
        say(match.pk, (ana, ben)[number % 2], f"word-{number}-", str(number), now=NOON)
    page = look(ana, match)
    assert "word-2-" not in page.text
    assert "word-3-" in page.text
    assert "Show 3 earlier messages" in page.text
    assert "word-0-" in look(ana, match, "?talk=all").text


def test_news_of_the_talk_reach_those_who_read_it(match: Match, ana: User, ben: User) -> None:
    def progress(user: User | None) -> bytes:
        client = signed_in(user) if user else Client()
        return client.get(f"/m/{match.code}/progress/").content

    before = [progress(ana), progress(None)]
    block_player(make_user("dee"), "ana", now=NOON)
    say(match.pk, ben, "hello", "1", now=NOON)
    assert progress(ana) != before[0]
    assert progress(None) == before[1], "when the table talks is its own business"


def test_a_page_says_how_far_it_has_come_as_progress_does(match: Match, ana: User) -> None:
    say(match.pk, ana, "hello", "1", now=NOON)
    for client in (signed_in(ana), Client()):
        page = client.get(f"/m/{match.code}/").content.decode()
        shown = re.search(r'data-now="([^"]+)"', page)
        assert shown is not None
        assert shown[1] == client.get(f"/m/{match.code}/progress/").json()["page"]


def test_a_table_that_waits_talks_too(ana: User, ben: User) -> None:
    table = make_table(seats=3, creator=ana)
    join_table(table.pk, ben, now=NOON)
    assert post(ana, table, "talk/", said="shall we start?", request_id="r1").status_code == 302
    assert "shall we start?" in look(ben, table).text
    for reader in (make_user("dee"), None):
        page = look(reader, table)
        assert "shall we start?" not in page.text
        assert "said" not in page.fields
    words = "x" * (LONGEST_MESSAGE + 1)
    response = post(ben, table, "talk/", said=words, request_id="r2")
    assert response.status_code == 422
    assert words in response.content.decode()


def test_the_page_asks_as_often_however_much_was_said(
    match: Match, ana: User, ben: User, django_assert_max_num_queries: Any
) -> None:
    client = signed_in(ana)
    with django_assert_max_num_queries(60) as few:
        client.get(f"/m/{match.code}/")
    asked = len(few)
    for number in range(20):
        say(match.pk, (ana, ben)[number % 2], "words", str(number), now=NOON)
    client.get(f"/m/{match.code}/")  # which notes that the talk is seen
    with django_assert_max_num_queries(asked):
        client.get(f"/m/{match.code}/")
