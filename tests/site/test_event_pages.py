"""Pages of events: what each reader sees and can do there."""

from __future__ import annotations

import ast
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client

from gemserver.accounts.models import User
from gemserver.clubs.models import Club, Member
from gemserver.events import actions, log_words
from gemserver.events.actions.enter import enter
from gemserver.events.actions.start_season import start_season
from gemserver.events.models import Entry, Event, EventLog, Fixture, Season
from gemserver.lib import clock
from tests.builders import make_user
from tests.events.leagues import make_event, make_players, play_all, season_of
from tests.site.pages import read, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("guessing_bots")]

DAY = timedelta(days=1)
PAGE = "/events/league/"


@pytest.fixture
def organiser() -> User:
    return make_user("olga")


def open_league(organiser: User, players: list[User], **fields: object) -> Event:
    """A league of Gembatan in threes, open for entries since now."""
    given = {"seats": 3, "season_days": 112, **fields}
    now = clock.now()
    return make_event(organiser, players, **{"starts_at": now + 7 * DAY, "now": now, **given})


def begin(event: Event, organiser: User) -> Season:
    return start_season(season_of(event).pk, by=organiser, now=clock.now())


def test_a_player_enters_with_words_and_withdraws(organiser: User) -> None:
    open_league(organiser, make_players(4))
    client = signed_in(make_user("zoe"))
    assert "zoe" not in read(client.get(PAGE)).text.split("So far:")[1]
    page = read(client.post(PAGE, {"do": "enter", "words": "four words of mine"}, follow=True))
    assert "You have entered." in page.text
    assert Entry.objects.get(player__username="zoe").part
    assert "zoe" in page.text.split("So far:")[1]
    page = read(client.post(PAGE, {"do": "withdraw"}, follow=True))
    assert "You have withdrawn." in page.text
    assert Entry.objects.get(player__username="zoe").withdrawn_at


@pytest.mark.slow
def test_nobody_withdraws_from_a_running_season_by_a_slip_of_the_finger(organiser: User) -> None:
    players = make_players(6)
    begin(open_league(organiser, players), organiser)
    page = signed_in(players[0]).get(PAGE).content.decode()
    folded = page.partition("<details><summary>Withdraw</summary>")[2].partition("</details>")[0]
    assert "bots play your matches to their end, and you are listed last" in folded
    assert page.count('value="withdraw"') == folded.count('value="withdraw"') == 1


def test_an_organiser_reads_how_many_players_the_season_lacks(organiser: User) -> None:
    event = open_league(organiser, make_players(3))
    said = "3 players have entered; the season needs 4 at least."
    assert said in read(signed_in(organiser).get(PAGE)).text
    refused = read(signed_in(organiser).post(PAGE, {"do": "start"})).text
    assert "Entered so far: 3. A division needs 4 players; wait for more." in refused
    enter(event.pk, make_user("zoe"), now=clock.now())
    assert "the season needs" not in read(signed_in(organiser).get(PAGE)).text


def test_what_an_event_says_of_itself_is_marked_up_like_a_clubs(organiser: User) -> None:
    open_league(organiser, [], about="We play *slowly*.\n\n* no hurry\n\n<b>Never</b>")
    page = Client().get(PAGE).content.decode()
    assert "<em>slowly</em>" in page
    assert "<li>no hurry</li>" in page
    assert "<b>" not in page


@pytest.mark.slow
def test_who_enters_too_late_is_told_what_to_do(organiser: User) -> None:
    begin(open_league(organiser, make_players(4)), organiser)
    response = signed_in(make_user("zoe")).post(PAGE, {"do": "enter"})
    assert response.status_code == 422
    assert "enter the next one once this is over" in read(response).text


@pytest.mark.slow
def test_the_page_shows_tables_and_what_is_still_possible(organiser: User) -> None:
    players = make_players(7)
    event = open_league(organiser, players)
    season = begin(event, organiser)
    play_all(season, now=clock.now(), most=3)
    page = read(signed_in(players[0]).get(PAGE))
    assert "Possible" in page.text
    assert "The schedule is exactly even" in page.text
    codes = [fixture.match.code for fixture in Fixture.objects.select_related("match") if fixture.match]
    assert all(code in page.text for code in codes)
    play_all(season, now=clock.now())
    page = read(signed_in(organiser).post(PAGE, {"do": "end"}, follow=True))
    assert "The season is over." in page.text
    assert players[0].username in page.text, "it shows the table with which the season ended"
    assert f"{PAGE}1/" in read(Client().get(PAGE)).links, "beside the season that is open for entries"
    over = read(Client().get(f"{PAGE}1/"))
    assert season_of(event).secret in over.text
    assert "Possible" not in over.text


@pytest.mark.slow
def test_a_season_of_one_day_names_it_once(organiser: User) -> None:
    event = open_league(organiser, make_players(7))
    season = begin(event, organiser)
    season.state, season.closed_at = Season.State.OVER, season.starts_at
    season.save()
    day = f"{season.starts_at.day} {season.starts_at:%b %Y}"
    text = read(Client().get(f"{PAGE}1/")).text
    assert day in text
    assert f"{day} to " not in text
    season.closed_at = season.starts_at + timedelta(days=1)
    season.save()
    assert f"{day} to " in read(Client().get(f"{PAGE}1/")).text


def test_the_secret_of_a_running_season_stands_nowhere(organiser: User) -> None:
    event = open_league(organiser, make_players(4))
    begin(event, organiser)
    for client in (Client(), signed_in(organiser)):
        page = client.get(PAGE).content.decode()
        assert season_of(event).commitment in page
        assert season_of(event).secret not in page


@pytest.mark.slow
def test_an_organiser_repairs_and_everybody_reads_it(organiser: User) -> None:
    players = make_players(4)
    event = open_league(organiser, players)
    begin(event, organiser)
    client = signed_in(organiser)
    fixture = Fixture.objects.select_related("match").first()
    entry = Entry.objects.get(player=players[1])
    assert fixture
    page = client.post(
        PAGE,
        {"do": "adjudicate", "fixture": fixture.pk, "ranks": "1 2 2", "reason": "a quarrel"},
        follow=True,
    )
    assert "The fixture is decided." in read(page).text
    correct = {"do": "correct", "entry": entry.pk, "points": "1.5", "reason": "a mistake", "request_key": "k"}
    assert "The points are corrected." in read(client.post(PAGE, correct, follow=True)).text
    zoe = make_user("zoe")
    replace = {"do": "replace", "entry": entry.pk, "newcomer": "Zoe", "reason": "moved house"}
    assert "zoe has been asked;" in read(client.post(PAGE, replace, follow=True)).text
    assert "zoe has been asked to take over from player01." in read(client.get(PAGE)).text
    asked = signed_in(zoe)
    for page in ("/", PAGE):
        assert "olga asks you to take over from player01 in this season." in read(asked.get(page)).text
    assert "The reason, in the words of olga:" in read(asked.get(PAGE)).text
    assert "You play in this season." in read(asked.post(PAGE, {"do": "enter"}, follow=True)).text
    close = {"do": "close", "reason": "enough"}
    assert "The event is closed." in read(client.post(PAGE, close, follow=True)).text
    told = read(Client().get(PAGE)).text
    for part in (
        "a quarrel.",
        "by 1.5: a mistake.",
        "lets zoe take over from another player: moved house.",
        "enough.",
    ):
        assert part in told


@pytest.mark.slow
def test_a_refused_decision_keeps_what_was_typed(organiser: User) -> None:
    begin(open_league(organiser, make_players(4)), organiser)
    fixture = Fixture.objects.first()
    assert fixture
    response = signed_in(organiser).post(
        PAGE, {"do": "adjudicate", "fixture": fixture.pk, "ranks": "1 1 2", "reason": "a quarrel"}
    )
    assert response.status_code == 422
    page = read(response)
    assert page.fields["ranks"] == "1 1 2"
    assert "Give a rank for each of the 3 players" in page.text


@pytest.mark.slow
def test_nobody_decides_where_they_play(organiser: User) -> None:
    begin(open_league(organiser, [organiser, *make_players(4)]), organiser)
    fixture = Fixture.objects.first()
    assert fixture
    response = signed_in(organiser).post(
        PAGE, {"do": "adjudicate", "fixture": fixture.pk, "ranks": "1 2 3", "reason": "mine"}
    )
    assert "ask another organiser or a moderator" in read(response).text
    fixture.refresh_from_db()
    assert fixture.adjudicated_at is None


def test_organisers_let_others_organise_and_take_them_out(organiser: User) -> None:
    event = open_league(organiser, [])
    client = signed_in(organiser)
    refused = client.post(PAGE, {"do": "share", "organiser": "Hanna"})
    assert refused.status_code == 422
    assert read(refused).fields["organiser"] == "Hanna"
    make_user("hana")
    page = read(client.post(PAGE, {"do": "share", "organiser": "HANA"}, follow=True)).text
    assert "hana organises the event too." in page
    assert "olga lets hana organise the event too." in page
    page = read(client.post(PAGE, {"do": "unshare", "organiser": "hana"}, follow=True)).text
    assert "hana organises the event no longer (olga)." in page
    assert [row.user for row in event.organisers.all()] == [organiser]


@pytest.mark.slow
def test_others_get_no_buttons_of_organisers(organiser: User) -> None:
    begin(open_league(organiser, make_players(4)), organiser)
    stranger = signed_in(make_user("zoe"))
    page = read(stranger.get(PAGE)).text
    assert "Organised by olga" in page
    assert "Decide a fixture" not in page
    assert "Only organisers" in read(stranger.post(PAGE, {"do": "close", "reason": "x"})).text


def test_an_event_of_a_private_club_does_not_exist_for_others(organiser: User) -> None:
    club = Club.objects.create(slug="quiet", name="Quiet", is_private=True, created_at=clock.now())
    Member.objects.create(club=club, user=organiser, role=Member.Role.OWNER, joined_at=clock.now())
    open_league(organiser, [], club=club, name="Hidden league")
    for client in (Client(), signed_in(make_user("zoe"))):
        assert client.get(PAGE).status_code == 404
        assert "Hidden league" not in client.get("/events/").content.decode()
    assert "Hidden league" in signed_in(organiser).get("/events/").content.decode()


def test_the_form_opens_an_event_or_says_what_is_wrong(organiser: User) -> None:
    client = signed_in(organiser)
    form = read(client.get("/events/new/gem/")).fields
    typed = {
        "name": "Winter",
        "slug": "winter",
        "format": "league",
        "seats": "3",
        "season_days": "112",
        "starts_at": form["starts_at"],
        "division_size": "7",
        "exchanged": "2",
        "rounds": "1",
    }
    response = client.post("/events/new/gem/", {**typed, "season_days": "14"})
    assert response.status_code == 422
    assert read(response).fields["name"] == "Winter"
    assert client.post("/events/new/gem/", typed).status_code == 302
    assert Event.objects.get(slug="winter").organisers.get().user == organiser


def test_the_form_says_all_that_is_wrong_at_once(organiser: User) -> None:
    client = signed_in(organiser)
    usual = {**read(client.get("/events/new/jewellers/")).fields, "format": "league", "seats": "5"}
    far = f"{clock.now().year + 2}-01-01"
    wrong = {"name": "", "slug": "new", "division_size": "4", "exchanged": "9", "starts_at": far}
    response = client.post("/events/new/jewellers/", {**usual, **wrong})
    assert response.status_code == 422
    form = response.context["form"]
    assert set(form.errors) == {"name", "slug", "division_size", "exchanged", "starts_at"}
    page = read(response).text
    for said in (
        "of a to z, 0 to 9 and hyphens",
        "A division at tables of 5 has",
        "players are promoted here",
    ):
        assert page.count(said) == 1
    nameless = client.post("/events/new/jewellers/", {**usual, "name": "", "slug": ""})
    assert set(nameless.context["form"].errors) == {"name"}


@pytest.mark.parametrize(("format", "seats", "days"), [("swiss", "4", 5 * 28), ("tournament", "3", 42)])
def test_without_a_chosen_length_it_is_the_shortest_in_which_people_finish(
    organiser: User, format: str, seats: str, days: int
) -> None:
    client = signed_in(organiser)
    given = {**read(client.get("/events/new/gem/")).fields, "name": "Winter", "slug": "winter"}
    client.post("/events/new/gem/", {**given, "format": format, "seats": seats})
    event = Event.objects.get()
    assert event.seats == (2 if format == "swiss" else 3)
    assert event.season_days == days
    assert "Each player has 13 days for each match." in read(client.get("/events/winter/")).text


def test_every_kind_of_line_has_its_sentence() -> None:
    """A kind that is written without words would break the page of its event."""
    kinds = set()
    for path in Path(actions.__file__).parent.parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "post":
                kind = node.args[1]
                assert isinstance(kind, ast.Constant)
                kinds.add(kind.value)
    assert kinds == set(log_words.SENTENCES)
    assert EventLog._meta.get_field("kind").max_length >= max(map(len, kinds))


def test_a_guest_is_told_how_to_open_an_event() -> None:
    page = read(Client().get("/events/"))
    assert "Sign in to open one" in page.text
    assert "/accounts/login/?next=/events/new/" in page.links


@pytest.mark.parametrize(
    ("name", "slug"), [("Winter cup", "winter-cup"), ("2027: Été à Paris", "ete-a-paris")]
)
def test_an_event_without_a_short_name_gets_one_made_of_its_name(
    organiser: User, name: str, slug: str
) -> None:
    client = signed_in(organiser)
    given = {
        **read(client.get("/events/new/gem/")).fields,
        "name": name,
        "slug": "",
        "format": "league",
        "seats": "3",
    }
    assert client.post("/events/new/gem/", given).url == f"/events/{slug}/"


def test_a_name_of_which_no_short_one_can_be_made_is_asked_for_one(organiser: User) -> None:
    client = signed_in(organiser)
    given = {**read(client.get("/events/new/gem/")).fields, "name": "冬", "format": "league", "seats": "3"}
    answer = client.post("/events/new/gem/", given)
    assert "Write a short name of small letters" in read(answer).text
    assert not Event.objects.exists()
