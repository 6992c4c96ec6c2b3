"""A stranger plays at once, within a browser session, and keeps the match by signing up."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.test import Client

from games import registry
from gemserver.accounts.guests import KEPT
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import selectors, sweeps, verify
from gemserver.matches.models import Match, Move
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user, play_to_the_end
from tests.site.pages import Page, read, read_messages, signed_in

pytestmark = pytest.mark.django_db

SIGN_UP = {"email": "dee@example.org", "username": "dee"}


@pytest.fixture(autouse=True)
def _no_earlier_visits() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def begin(client: Client, game: str = "gem") -> Match:
    """Press the button, and let the bots move until the guest is asked."""
    assert client.post(f"/practice/{game}/").status_code == 302
    match = Match.objects.latest("pk")
    for _ in range(20):
        if match.seats.filter(user__isnull=False, is_waiting=True).exists():
            break
        sweeps.play_bots(match.pk)
    return Match.objects.get(pk=match.pk)


def look(client: Client, match: Match) -> Page:
    return read(client.get(match.get_absolute_url()))


def play(client: Client, match: Match, text: str) -> Page:
    page = look(client, match)
    form = {name: page.fields[name] for name in ("prompt_ply", "request_id") if name in page.fields}
    return read(client.post(match.get_absolute_url(), {**form, "text": text, "play": "1"}, follow=True))


def some_move(match: Match) -> str:
    """A legal move of the guest."""
    texts = selectors.legal_texts(match, match.seats.get(user__isnull=False), 50)
    assert texts
    return texts[-1]


@pytest.mark.parametrize("game", registry.GAMES)
def test_every_game_can_be_tried_without_an_account(game: str) -> None:
    client = Client()
    match = begin(client, game)
    meta = registry.GAMES[game].rules.meta
    assert match.seats.exclude(bot="").count() == meta.min_seats - 1
    page = look(client, match)
    assert "Your move" in page.text
    assert "Sign up to keep this match" in page.text
    assert "With an account you may ask a bot for a hint here." in page.text
    assert "Ask a bot for a hint" not in page.text


def test_a_guest_moves_and_nobody_is_mailed() -> None:
    client = Client()
    match = begin(client)
    text = some_move(match)
    form = {name: look(client, match).fields[name] for name in ("prompt_ply", "request_id")}
    client.post(match.get_absolute_url(), {**form, "text": text, "play": "1"})
    told = read_messages(client.get(match.get_absolute_url()))
    assert told.startswith(f"You {text}.")
    assert Move.objects.filter(match=match, source=Move.Source.WEB, actor__is_guest=True).exists()
    assert not OutboxMessage.objects.exists()
    assert match.get_absolute_url() in read(client.get("/")).links


def test_beginning_again_goes_on_with_the_same_match() -> None:
    client = Client()
    match = begin(client)
    assert client.post("/practice/gem/").url == match.get_absolute_url()
    assert client.post("/practice/gembatan/").url != match.get_absolute_url()
    assert (Match.objects.count(), User.objects.count()) == (2, 1)


def test_bots_of_two_strengths_are_offered_on_the_page_of_the_rules() -> None:
    client = Client()
    page = read(client.get("/rules/gem/"))
    assert [value for name, value in page.buttons if name == "bot"] == ["easy", "normal"]
    matches = [
        client.post("/practice/gem/", {"bot": bot}).url for bot in ("easy", "normal", "normal", "random")
    ]
    easy, normal = Match.objects.order_by("pk")
    assert matches == [match.get_absolute_url() for match in (easy, normal, normal, easy)]
    assert [set(match.seats.exclude(bot="").values_list("bot", flat=True)) for match in (easy, normal)] == [
        {"easy"},
        {"normal"},
    ]


def test_another_session_can_only_watch() -> None:
    match = begin(Client())
    for other in (Client(), signed_in(make_user("ana")), signed_in(make_user("mod", is_superuser=True))):
        assert "Sign up to keep this match" not in look(other, match).text
        moves = match.moves.count()
        form = {"text": some_move(match), "prompt_ply": match.ply + 1, "request_id": uuid4(), "play": "1"}
        other.post(match.get_absolute_url(), form)
        assert match.moves.count() == moves


def test_a_guest_resigns_and_plays_again() -> None:
    client = Client()
    match = begin(client)
    resign = f"{match.get_absolute_url()}resign/"
    assert resign in look(client, match).links
    assert "Resign and start over" in read(client.get(resign)).text
    assert "You have resigned" in read(client.post(resign, follow=True)).text
    assert Match.objects.get().ending == Match.Ending.RESIGNED
    page = look(client, match)
    assert "Play again" in page.text
    assert "Rematch" not in page.text
    assert ("bot", "easy") in page.buttons
    assert client.post("/practice/gem/", {"bot": "easy"}).url != match.get_absolute_url()


@pytest.mark.parametrize("game", ["gem", "jewellers"])
def test_a_guest_starts_over_against_the_same_bots(game: str) -> None:
    """Jewellers has three seats: there the match would go on with bots."""
    client = Client()
    client.post(f"/practice/{game}/", {"bot": "normal"})
    first = Match.objects.get()
    response = client.post(f"{first.get_absolute_url()}resign/", {"again": "1"})
    second = Match.objects.latest("pk")
    assert second != first
    assert response.url == second.get_absolute_url()
    assert set(second.seats.exclude(bot="").values_list("bot", flat=True)) == {"normal"}
    assert client.post(f"/practice/{game}/", {"bot": "normal"}).url == second.get_absolute_url()


def test_nobody_but_the_guest_resigns_it() -> None:
    match = begin(Client())
    resign = f"{match.get_absolute_url()}resign/"
    assert "/accounts/login/" in Client().post(resign, {"again": "1"}).url
    assert signed_in(make_user("ana")).post(resign, {"again": "1"}).status_code == 404
    other = Client()
    begin(other, "gembatan")
    assert other.post(resign, {"again": "1"}).status_code == 404
    match.refresh_from_db()
    assert match.is_running


def test_the_first_page_begins_with_the_guests_running_match() -> None:
    client = Client()
    match = begin(client)
    client.post(f"{match.get_absolute_url()}resign/", {"again": "1"})
    running = Match.objects.latest("pk")
    page = read(client.get("/"))
    assert page.text.index("Your practice") < page.text.index("Board games at your own pace")
    matches = dict.fromkeys(link for link in page.links if link.startswith("/m/"))
    assert list(matches) == [running.get_absolute_url(), match.get_absolute_url()]


def test_a_guest_sees_times_in_the_zone_of_the_browser() -> None:
    client = Client()
    assert "time_zone" in read(client.get("/")).fields
    assert "time_zone" in read(client.get("/rules/gem/")).fields
    client.post("/practice/gem/", {"time_zone": "Asia/Kathmandu"})
    assert User.objects.get().time_zone == "Asia/Kathmandu"
    assert "Times are shown in the zone Asia/Kathmandu." in look(client, Match.objects.get()).text
    assert "Times are shown in the zone UTC." in look(Client(), Match.objects.get()).text


@pytest.mark.parametrize("zone", ["", "Europe/Atlantis", "../../etc/passwd"])
def test_a_zone_that_does_not_exist_is_utc(zone: str) -> None:
    client = Client()
    client.post("/practice/gem/", {"time_zone": zone})
    assert "Times are shown in the zone UTC." in look(client, Match.objects.get()).text


def test_a_guest_is_a_stranger_everywhere_else() -> None:
    client = Client()
    match = begin(client)
    guest = User.objects.get()
    assert client.get(f"/players/{guest.username}/").status_code == 404
    for path in ("/time/", "/tables/new/", "/tables/new/gem/", "/accounts/email/"):
        assert "/accounts/login/" in client.get(path).url
    other = make_match(players=[make_user("ana"), make_user("ben")])
    assert "You are watching" in look(client, other).text
    for path in ("table/", "cancel/", "holiday/"):
        assert "/accounts/login/" in client.post(f"{match.get_absolute_url()}{path}", {"do": "join"}).url


def test_practice_of_guests_is_on_no_list() -> None:
    match = begin(Client())
    guest = User.objects.get()
    play_to_the_end(match, now=clock.now())
    begin(Client())
    stranger = Client()
    for path in (
        "/",
        "/tables/",
        "/matches/",
        "/matches/?status=running",
        f"/matches/?player={guest.username}",
    ):
        links = read(stranger.get(path)).links
        assert not [link for link in links if link.startswith("/m/")]


def test_signing_up_keeps_the_match() -> None:
    client = Client()
    match = begin(client)
    play(client, match, some_move(match))
    guest = User.objects.get()
    client.post("/accounts/signup/", SIGN_UP)
    dee = User.objects.get()
    assert (dee.pk, dee.username, dee.is_guest) == (guest.pk, "dee", False)
    assert match.seats.get(user=dee).name == "dee"
    assert "Sign up to keep this match" not in look(client, match).text, "until the address is confirmed"
    moves = match.moves.count()
    form = {"text": "pass", "prompt_ply": match.ply + 1, "request_id": uuid4(), "play": "1"}
    client.post(match.get_absolute_url(), form)
    assert match.moves.count() == moves, "the session of the guest is worth nothing any more"
    code = OutboxMessage.objects.get(kind="account").data["secret"]["code"]
    client.post("/accounts/confirm-email/", {"code": code})
    sweeps.play_bots(match.pk)
    assert match.get_absolute_url() in read(client.get("/")).links


def test_who_mistypes_the_address_loses_nothing() -> None:
    client = Client()
    match = begin(client)
    client.post("/accounts/signup/", {**SIGN_UP, "email": "dee@exmaple.org"})
    client.post("/accounts/signup/again/")
    assert "Sign up to keep this match" in look(client, match).text, "a guest again"
    client.post("/accounts/signup/", SIGN_UP)
    code = OutboxMessage.objects.filter(kind="account").latest("pk").data["secret"]["code"]
    client.post("/accounts/confirm-email/", {"code": code})
    dee = User.objects.get()
    assert (dee.username, dee.verified_addresses()) == ("dee", {"dee@example.org"})
    assert match.seats.get(user=dee).name == "dee"


def test_an_address_that_is_taken_takes_nothing_from_the_guest() -> None:
    make_user("dee")
    client = Client()
    match = begin(client)
    client.post("/accounts/signup/", {**SIGN_UP, "username": "dee2"})
    assert User.objects.filter(is_guest=True).count() == 1
    assert "Sign up to keep this match" in look(client, match).text


@pytest.mark.slow
def test_signing_in_to_an_account_takes_the_match_along() -> None:
    dee = make_user("dee")
    client = Client()
    match = begin(client)
    play(client, match, some_move(match))
    while not match.seats.filter(user__isnull=False, is_waiting=True).exists():
        sweeps.play_bots(match.pk)
    guest = User.objects.get(is_guest=True)
    client.post("/accounts/login/", {"login": "dee", "password": "password"})
    assert match.get_absolute_url() in read(client.get("/")).links
    seat = match.seats.get(user=dee)
    assert (seat.name, seat.token_hash) == ("dee", seat.current_token_hash())
    before = match.moves.filter(actor=dee).count()
    assert before
    assert Match.objects.get().created_by == dee
    assert not User.objects.filter(pk=guest.pk).exists()
    play(client, match, some_move(Match.objects.get()))
    assert match.moves.filter(actor=dee).count() > before
    assert verify.first_difference(Match.objects.get()) is None


def test_whoever_signs_in_from_another_browser_takes_nothing_along() -> None:
    make_user("dee")
    begin(Client())
    Client().post("/accounts/login/", {"login": "dee", "password": "password"})
    assert User.objects.filter(is_guest=True).count() == 1


def test_nobody_takes_a_seat_along_into_a_match_of_their_own() -> None:
    """For this test, a bot's seat in the guest's match is given to the player."""
    dee = make_user("dee")
    client = Client()
    match = begin(client)
    match.seats.exclude(bot="").filter(index=match.seats.exclude(bot="")[0].index).update(user=dee, bot="")
    client.post("/accounts/login/", {"login": "dee", "password": "password"})
    assert match.seats.filter(user=dee).count() == 1
    assert match.seats.filter(user__is_guest=True).count() == 1


def test_who_signs_up_without_having_played_gets_an_account_as_ever() -> None:
    Client().post("/accounts/signup/", SIGN_UP)
    assert not User.objects.get().is_guest


def test_players_practise_too() -> None:
    ana = make_user("ana")
    client = signed_in(ana)
    match = begin(client)
    assert match.seats.filter(user=ana).exists()
    assert not User.objects.filter(is_guest=True).exists()
    assert client.post("/practice/gem/").url == match.get_absolute_url()
    assert "Table talk" not in read(client.get(match.get_absolute_url())).text  # a bot does not answer


def test_guests_leave_after_their_time_and_players_stay() -> None:
    begin(Client())
    late = User.objects.get()
    kept = begin(signed_in(make_user("ana")))
    stays = begin(Client())
    User.objects.filter(pk=late.pk).update(date_joined=clock.now() - KEPT)
    sweeps.remove_guests()
    assert not User.objects.filter(pk=late.pk).exists()
    assert set(Match.objects.values_list("pk", flat=True)) == {kept.pk, stays.pk}
    User.objects.filter(username="ana").update(date_joined=clock.now() - KEPT - timedelta(days=1))
    sweeps.remove_guests()
    assert Match.objects.count() == 2


@pytest.mark.slow
def test_one_address_cannot_fill_the_server() -> None:
    statuses = []
    for _ in range(32):
        client = Client(REMOTE_ADDR="192.0.2.7")
        client.post("/practice/gem/")
        statuses.append("Too many matches were begun from here." in read(client.get("/")).text)
    assert statuses == [False] * 30 + [True] * 2
    assert User.objects.count() == 30
    assert Client(REMOTE_ADDR="192.0.2.8").post("/practice/gem/").url.startswith("/m/")


def test_only_so_many_strangers_begin_in_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gemserver.site.tables.practice_views.GUESTS_PER_HOUR", 1)
    Client().post("/practice/gem/")
    assert Client().post("/practice/gem/").url == "/"
    assert User.objects.count() == 1


def test_the_address_of_a_practice_match_alone_shows_the_buttons_to_begin() -> None:
    page = read(Client().get("/practice/gem/"))
    assert [value for name, value in page.buttons if name == "bot"] == ["easy", "normal"]
    assert "Play a bot at GEM" in page.text
    assert not User.objects.exists()


def test_practice_takes_a_post_its_token_and_a_game() -> None:
    assert Client().get("/practice/chess/").status_code == 404
    assert Client(enforce_csrf_checks=True).post("/practice/gem/").status_code == 403
    assert Client().post("/practice/chess/").status_code == 404
    assert not User.objects.exists()
