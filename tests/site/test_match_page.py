"""The page of a match for its readers, and building and sending a move."""

from __future__ import annotations

import gzip
import re
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from games import registry
from gemserver.accounts.models import User
from gemserver.clocks.control import TimeControl
from gemserver.lib import clock
from gemserver.matches import replay, selectors
from gemserver.matches.actions.play.submit import Actor, Request, submit
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, propose_sitting
from gemserver.matches.log import match_log
from gemserver.matches.models import Match, Move, Seat
from tests.builders import (
    NOON,
    asked,
    is_asked,
    make_match,
    make_table,
    make_user,
    play,
    play_to_the_end,
    play_until,
)
from tests.site.pages import Page, read, read_messages, signed_in

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture
def match() -> Match:
    """Ana, Ben and Cy at GEM; the Oya opens the first auction."""
    return make_match(players=[make_user(name) for name in ("ana", "ben", "cy")])


@pytest.fixture
def seat(match: Match) -> Seat:
    return asked(match)


@pytest.fixture
def client(seat: Seat) -> Client:
    """The browser of the player to move."""
    return signed_in(holder(seat))


def holder(seat: Seat) -> User:
    assert seat.user is not None
    return seat.user


def look(client: Client, match: Match) -> Page:
    response = client.get(f"/m/{match.code}/")
    assert response.status_code == 200
    return read(response)


def answer(client: Client, match: Match, **typed: str) -> Any:
    """Send the page's form with the typed text or the pressed button."""
    page = look(client, match)
    hidden = {name: page.fields[name] for name in ("prompt_ply", "request_id")}
    return client.post(f"/m/{match.code}/", hidden | typed)


def test_the_player_to_move_sees_board_deadline_and_form(client: Client, match: Match, seat: Seat) -> None:
    response = client.get(f"/m/{match.code}/")
    page = read(response)
    assert "Your turn" in page.text
    assert "until Mon 9 Mar 12:00 UTC" in page.text
    assert "You are the Oya and open the auction." in page.text
    assert ("choose", "bid 3") in page.buttons
    assert page.fields["prompt_ply"] == str(seat.prompt_ply)
    assert b"<svg" in response.content


def test_times_are_in_the_zone_of_the_reader(client: Client, match: Match, seat: Seat) -> None:
    user = holder(seat)
    user.time_zone = "Asia/Tokyo"
    user.save()
    assert "until Mon 9 Mar 21:00 JST" in look(client, match).text


def test_somebody_else_at_the_table_has_no_form(match: Match, seat: Seat) -> None:
    other = match.seats.exclude(pk=seat.pk).select_related("user").first()
    assert other is not None
    page = look(signed_in(holder(other)), match)
    assert "Not your turn" in page.text
    assert f"Waiting for {holder(seat).username}" in page.text
    assert "text" not in page.fields


def test_anybody_may_watch(match: Match) -> None:
    page = look(Client(), match)
    assert "You are watching" in page.text
    assert "text" not in page.fields


def test_all_who_have_one_deadline_are_named_together() -> None:
    """Five who pick at once, each with the date, filled half a phone."""
    match = make_match("gemessengers", [make_user(name) for name in ("ana", "ben", "cy")])
    Seat.objects.filter(match=match, index=2).update(due_at=NOON + 2 * DAY)
    status = read(Client().get(match.get_absolute_url())).text
    assert "Waiting for ana and ben, until Mon 9 Mar 12:00 UTC" in status
    assert "· Waiting for cy, until Sun 8 Mar 12:00 UTC" in status


def test_an_unknown_code_is_not_found(client: Client) -> None:
    assert client.get("/m/M999/").status_code == 404
    assert client.post("/m/M999/", {"text": "bid 1"}).status_code == 404


def test_sending_a_move_plays_it_and_leads_back_to_the_page(client: Client, match: Match) -> None:
    response = answer(client, match, text="BID 2.", play="1")
    assert (response.status_code, response.url) == (302, f"/m/{match.code}/")
    move = match.moves.get(ply=1)
    assert (move.text, move.source) == ("bid 2", "web")
    page = client.get(f"/m/{match.code}/")
    assert read_messages(page) == "You bid 2."
    assert "Not your turn" in read(page).text


@pytest.mark.parametrize("game", registry.GAMES)
def test_a_move_is_confirmed_in_the_words_of_the_log(game: str, ana: User, ben: User) -> None:
    match = play_until(make_match(game, [ana, ben]), is_asked(ana))
    client = signed_in(ana)
    text = next(iter(selectors.legal_texts(match, match.seats.get(user=ana), 10_000) or ()))
    answer(client, match, text=text, play="1")
    page = client.get(f"/m/{match.code}/")
    told = read_messages(page)
    own = next(
        entry for entry in match_log.log(match, match.seats.get(user=ana)) if entry.ply == match.ply + 1
    )
    assert own.sentences[0] in told
    assert told.startswith("You")


def test_a_sitter_is_told_in_the_words_of_the_log_too(match: Match, seat: Seat) -> None:
    sitter = make_user("dee")
    now = clock.now()
    sitting = propose_sitting(match.pk, holder(seat), "dee", now.date(), now.date() + DAY, now=now)
    agree_to_sit(sitting.pk, sitter, now=now)
    client = signed_in(sitter)
    answer(client, match, text="bid 2", play="1")
    assert read_messages(client.get(f"/m/{match.code}/")) == f"{holder(seat).username} bids 2."


def test_the_same_form_sent_twice_plays_once(client: Client, match: Match, seat: Seat) -> None:
    form = {"prompt_ply": seat.prompt_ply, "request_id": str(uuid4()), "text": "bid 2", "play": "1"}
    first = client.post(f"/m/{match.code}/", form)
    second = client.post(f"/m/{match.code}/", form)
    assert [first.status_code, second.status_code] == [302, 302]
    assert match.moves.count() == 1


def test_the_request_id_of_another_player_is_worth_nothing(client: Client, match: Match, seat: Seat) -> None:
    request_id = str(uuid4())
    form = {"request_id": request_id, "text": "bid 2", "play": "1"}
    client.post(f"/m/{match.code}/", form | {"prompt_ply": seat.prompt_ply})
    following = asked(match)
    response = signed_in(holder(following)).post(
        f"/m/{match.code}/", form | {"prompt_ply": following.prompt_ply, "text": "bid 3"}
    )
    assert response.status_code == 302
    assert match.moves.get(ply=2).text == "bid 3"


def test_a_refused_move_stays_in_the_field_with_the_reason_beside_it(client: Client, match: Match) -> None:
    response = answer(client, match, text="bid 77", play="1")
    page = read(response)
    assert response.status_code == 422
    assert page.fields["text"] == "bid 77"
    assert "77 is more than you can pay" in page.text
    assert b'aria-invalid="true"' in response.content
    assert ("choose", "bid 3") in page.buttons
    assert match.moves.count() == 0


@pytest.mark.parametrize(
    "text", ["", "castle", "bid", "bid 1 or 2 please", "x" * 501, "<script>alert(1)</script>"]
)
def test_what_is_no_move_is_refused_with_a_sentence(client: Client, match: Match, text: str) -> None:
    response = answer(client, match, text=text, play="1")
    assert response.status_code == 422
    assert b'class="refusal"' in response.content
    assert b"<script>alert" not in response.content
    assert match.moves.count() == 0


def test_a_page_of_an_older_prompt_is_refused_and_shows_the_present_one(
    client: Client, match: Match, seat: Seat
) -> None:
    old = look(client, match)
    user = holder(seat)
    play(match, seat.index, "bid 0")
    play_until(match, lambda reached: is_asked(user)(reached) and reached.ply > 2)
    response = client.post(
        f"/m/{match.code}/",
        {
            "prompt_ply": old.fields["prompt_ply"],
            "request_id": old.fields["request_id"],
            "text": "bid 1",
            "play": "1",
        },
    )
    page = read(response)
    assert response.status_code == 422
    assert "look at the present position" in page.text
    assert page.fields["prompt_ply"] == str(asked(match).prompt_ply)


@pytest.mark.parametrize("damage", [{"prompt_ply": "x"}, {"request_id": "1"}, {"prompt_ply": "-1"}])
def test_a_damaged_form_is_refused(client: Client, match: Match, damage: dict[str, str]) -> None:
    response = answer(client, match, text="bid 1", play="1", **damage)
    assert response.status_code == 422
    assert "send your move again" in read(response).text
    assert match.moves.count() == 0


def test_a_stranger_cannot_move(match: Match, seat: Seat) -> None:
    form = {"prompt_ply": seat.prompt_ply, "request_id": str(uuid4()), "text": "bid 1", "play": "1"}
    anonymous = Client().post(f"/m/{match.code}/", form)
    assert anonymous.status_code == 403
    assert "You are signed out" in read(anonymous).text
    stranger = signed_in(make_user("dee")).post(f"/m/{match.code}/", form)
    assert stranger.status_code == 422
    assert "You do not sit at" in read(stranger).text
    assert match.moves.count() == 0


def test_another_player_cannot_move_for_the_one_who_is_asked(match: Match, seat: Seat) -> None:
    other = match.seats.exclude(pk=seat.pk).select_related("user").first()
    assert other is not None
    form = {"prompt_ply": other.prompt_ply, "request_id": str(uuid4()), "text": "bid 1", "play": "1"}
    response = signed_in(holder(other)).post(f"/m/{match.code}/", form)
    assert response.status_code == 422
    assert "It is not your turn" in read(response).text
    assert match.moves.count() == 0


def test_a_move_without_csrf_token_is_refused(match: Match, seat: Seat) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(holder(seat))
    response = client.post(f"/m/{match.code}/", {"text": "bid 1", "play": "1"})
    assert response.status_code == 403
    assert "Nothing has changed" in read(response).text
    assert match.moves.count() == 0


def test_a_preview_shows_the_board_after_the_move_and_plays_nothing(
    client: Client, match: Match, seat: Seat
) -> None:
    response = answer(client, match, text="bid 3", preview="1")
    page = read(response)
    assert response.status_code == 200
    assert "Preview of bid 3: nothing has been played." in page.text
    assert "offers 3" in page.text or "bid 3" in page.text
    assert ("play", "1") in page.buttons
    assert page.fields["text"] == "bid 3"
    assert match.moves.count() == 0
    assert asked(match) == seat


def test_a_preview_is_refused_like_the_move_itself(client: Client, match: Match) -> None:
    response = answer(client, match, text="bid 77", preview="1")
    assert response.status_code == 422
    assert "77 is more than you can pay" in read(response).text


@pytest.mark.slow
def test_a_move_is_built_step_by_step(client: Client, match: Match, seat: Seat) -> None:
    """The winner of an auction chooses the card, then the payment, previews the move, and plays it."""
    play(match, seat.index, "bid 3")
    for _ in range(2):
        play(match, asked(match).index, "pass")
    card = replay.position(match).open[0]
    assert ("choose", f"take {card}") in look(client, match).buttons

    response = answer(client, match, choose=f"take {card}")
    page = read(response)
    assert response.status_code == 200
    assert page.fields["text"] == f"take {card}"
    assert ("choose", f"take {card} pay 3") in page.buttons
    assert "Preview of" not in page.text

    page = read(answer(client, match, choose=f"take {card} pay 3"))
    assert "Preview of" in page.text
    assert match.moves.filter(text__startswith="take").count() == 0

    assert answer(client, match, text=page.fields["text"], play="1").status_code == 302
    assert match.moves.filter(text=f"take {card} pay 3").exists()


def test_starting_over_forgets_what_was_chosen(client: Client, match: Match) -> None:
    page = read(answer(client, match, choose=""))
    assert page.fields["text"] == ""
    assert ("choose", "bid 0") in page.buttons


def test_choosing_in_an_old_page_is_refused(client: Client, match: Match, seat: Seat) -> None:
    response = answer(client, match, choose="bid 1", prompt_ply=str(seat.prompt_ply + 4))
    assert response.status_code == 422


def test_the_log_tells_what_was_forced(match: Match, seat: Seat) -> None:
    play(match, seat.index, "bid 6")
    page = look(Client(), match)
    assert f"{holder(seat).username} bids 6." in page.text
    assert "pass. " in page.text
    assert "wins the auction at 6. forced" in page.text


def test_the_log_says_when_the_clock_moved(match: Match, seat: Seat) -> None:
    due = NOON + timedelta(days=4)
    submit(Request(match.code, Actor.clock(seat.index), "bid 0", Move.Source.CLOCK, "clock:1"), now=due)
    assert "time ran out" in look(Client(), match).text


@pytest.mark.slow
def test_a_finished_match_shows_the_result(match: Match, seat: Seat) -> None:
    match = play_to_the_end(match)
    response = signed_in(holder(seat)).get(f"/m/{match.code}/")
    page = read(response)
    assert "The match is over" in page.text
    winner = match.seats.order_by("rank", "index").first()
    assert winner is not None
    assert f"1 {winner.letter} {winner.name}" in page.text
    assert "text" not in page.fields
    late = signed_in(holder(seat)).post(
        f"/m/{match.code}/",
        {"prompt_ply": seat.prompt_ply, "request_id": str(uuid4()), "text": "bid 1", "play": "1"},
    )
    assert late.status_code == 422
    assert "is over" in read(late).text


def test_a_table_that_waits_shows_who_sits_there() -> None:
    table = make_table(seats=3)
    page = look(Client(), table)
    assert "0 of 3 seats are taken" in page.text
    assert table.server_part not in page.text


def test_nobody_moves_at_a_table_that_waits() -> None:
    table = make_table(seats=3)
    form = {"prompt_ply": "0", "request_id": str(uuid4()), "text": "bid 1", "play": "1"}
    response = signed_in(make_user("ana")).post(f"/m/{table.code}/", form)
    assert response.status_code == 422
    assert "You do not sit at" in read(response).text


def test_progress_changes_with_every_move(client: Client, match: Match) -> None:
    before = client.get(f"/m/{match.code}/progress/").content
    answer(client, match, text="bid 2", play="1")
    assert client.get(f"/m/{match.code}/progress/").content != before


def test_names_are_shown_as_text() -> None:
    match = make_match(players=[make_user("ana+<b>"), make_user("ben")])
    response = Client().get(f"/m/{match.code}/")
    assert b"ana+<b>" not in response.content
    assert b"ana+&lt;b&gt;" in response.content


def test_the_page_is_light(match: Match) -> None:
    """No more than 120 kB for a player to move, as it travels: with the board, its style and its scripts."""
    player = match.seats.get(is_waiting=True).user
    page = signed_in(player).get(f"/m/{match.code}/", headers={"Accept-Encoding": "gzip"})
    assert page.headers["Content-Encoding"] == "gzip"
    text = gzip.decompress(page.content).decode()
    files = re.findall(r'(?:src|href)="/static/([^"]+\.(?:js|css))"', text)
    assert {"css/site.css", "js/touch.js"} <= set(files)
    travels = [gzip.compress(Path(str(finders.find(name))).read_bytes()) for name in files]
    assert len(page.content) + sum(map(len, travels)) < 120_000


def test_what_makes_the_board_touchable_is_asked_for_first(client: Client, match: Match) -> None:
    """Scripts run in their order, and a browser asks an old server for six files at once: style and these first."""
    head = client.get(f"/m/{match.code}/").content.decode().partition("</head>")[0]
    scripts = re.findall(r'<script src="/static/([^"]+)" defer', head)
    assert scripts[:3] == ["js/fit.js", "js/zoom.js", "js/touch.js"]
    assert "django_htmx/htmx-2.min.js" in scripts[3:]


def test_everybody_sees_how_much_is_left_in_each_bank() -> None:
    control = TimeControl(14 * DAY, DAY, 14 * DAY)
    match = make_match(players=[make_user("ana"), make_user("ben")], time_control=control)
    first = asked(match)
    play(match, first.index, "bid 1", now=NOON + 5 * DAY)
    for client in (Client(), signed_in(holder(first))):
        shown = look(client, match).text
        assert "10 days in the bank" in shown, "14 days less 5, and one more for the move"
        assert "14 days in the bank when asked" in shown
    assert "in the bank" not in look(Client(), make_match(players=[make_user("cy")], bots=1)).text
