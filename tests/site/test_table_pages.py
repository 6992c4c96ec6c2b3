"""Opening a table on the web, and everything people can do at one."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client

from games import deal, registry
from gemserver.accounts.models import User
from gemserver.clocks.control import PRESETS
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.models import Invitation, Match, Seat
from gemserver.matches.words.options import option_label
from tests.builders import NOON, make_match, make_table, make_user
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

NEW_TABLE = {
    "seats": "3",
    "clock": "3d",
    "absence": "default",
    "access": "anyone",
    "bots": "0",
    "strength": "easy",
    "starts_when_full": "on",
}


def change(client: Client, match: Match, **form: object) -> str:
    """Press a button of the table's page; return the text of the page then."""
    return read(client.post(f"{match.get_absolute_url()}table/", form, follow=True)).text


def test_a_table_is_opened_with_all_its_terms(ana: User) -> None:
    form = {
        **NEW_TABLE,
        "seats": "5",
        "option_silver": "yes",
        "option_pace": "sealed",
        "clock": "7d+1d",
        "free_weekends": "on",
        "vacation_days": "10",
        "absence": "replace",
        "access": "invited",
        "bots": "1",
        "strength": "normal",
        "words": "seven owls",
    }
    del form["starts_when_full"]
    response = signed_in(ana).post("/tables/new/jewellers/", form, follow=True)
    match = Match.objects.get()
    assert response.redirect_chain == [(match.get_absolute_url(), 302)]
    assert (match.seat_count, match.options) == (5, "silver=yes pace=sealed")
    assert match.time_control == PRESETS["7d+1d"]
    assert (match.free_weekends, match.vacation_days) == (True, 10)
    assert (match.absence, match.access) == (Match.Absence.REPLACE, Match.Access.INVITED)
    assert not match.starts_when_full
    assert [(seat.user, seat.bot) for seat in match.seats.all()] == [(ana, ""), (None, "normal")]
    assert match.seats.get(index=0).part == deal.given_part("seven owls")
    text = read(response).text
    for told in (
        "Each player has 7 days in the bank",
        "Saturdays and Sundays do not count.",
        "10 days of each player's vacation do not count.",
        "the second time in a row a bot takes the seat",
        "all at once, sealed",
        "when all seats are taken and a player starts it",
        match.commitment,
        deal.given_part("seven owls"),
    ):
        assert told in text
    assert match.server_part not in text


@pytest.mark.slow
@pytest.mark.parametrize("game", registry.GAMES)
def test_every_game_has_its_form_and_opens_as_it_stands(ana: User, game: str) -> None:
    client = signed_in(ana)
    meta = registry.GAMES[game].rules.meta
    page = read(client.get(f"/tables/new/{game}/"))
    for option in meta.options:
        assert option_label(option) in page.text
    client.post(f"/tables/new/{game}/", {**NEW_TABLE, "seats": meta.min_seats})
    assert Match.objects.get().game == game


def folded(page: str) -> str:
    """The part of the page that is folded under *More*."""
    return page.partition("<details")[2].rpartition("</details>")[0]


@pytest.mark.parametrize("game", registry.GAMES)
def test_seats_and_pace_are_all_there_is_to_choose(ana: User, game: str) -> None:
    page = signed_in(ana).get(f"/tables/new/{game}/").content.decode().partition("<main")[2]
    names = set(re.findall(r'name="(\w+)"', page)) - set(re.findall(r'name="(\w+)"', folded(page)))
    assert names - {"csrfmiddlewaretoken"} == {"seats", "clock", "bank", "increment", "cap"}
    assert "<details" in page
    assert "open" not in page.partition("<details")[2].partition(">")[0]


def test_what_is_folded_opens_when_something_in_it_is_wrong(ana: User) -> None:
    page = signed_in(ana).post("/tables/new/gem/", {**NEW_TABLE, "bots": "3"}).content.decode()
    page = page.partition("<main")[2]
    assert "open" in page.partition("<details")[2].partition(">")[0]


def test_the_next_table_of_a_game_begins_with_the_last_choices(ana: User) -> None:
    client = signed_in(ana)
    form = {
        **NEW_TABLE,
        "seats": "4",
        "option_silver": "yes",
        "option_pace": "sealed",
        "clock": "7d+1d",
        "free_weekends": "on",
        "vacation_days": "10",
        "absence": "replace",
        "access": "invited",
        "bots": "1",
        "strength": "normal",
    }
    del form["starts_when_full"]
    client.post("/tables/new/jewellers/", form)
    client.post(
        "/tables/new/gem/", {**NEW_TABLE, "clock": "own", "bank": "48", "increment": "6", "cap": "72"}
    )
    shown = client.get("/tables/new/jewellers/").context["form"]
    assert {name: str(shown[name].value()) for name in form if name != "free_weekends"} == {
        name: value for name, value in form.items() if name != "free_weekends"
    }
    assert (shown["free_weekends"].value(), shown["starts_when_full"].value()) == (True, False)
    shown = client.get("/tables/new/gem/").context["form"]
    hours = [str(shown[name].value()) for name in ("bank", "increment", "cap")]
    assert (shown["clock"].value(), hours) == ("own", ["48", "6", "72"])
    shown = signed_in(make_user("ben")).get("/tables/new/jewellers/").context["form"]
    assert shown["clock"].value() == "3d"


def test_a_practice_match_and_bots_that_filled_a_table_are_no_choice_of_the_form(ana: User) -> None:
    client = signed_in(ana)
    client.post("/tables/new/gem/", {**NEW_TABLE, "seats": "4", "clock": "1d"})
    change(client, Match.objects.get(), do="bots", strength="normal")
    client.post("/practice/gem/")
    shown = client.get("/tables/new/gem/").context["form"]
    assert [shown[name].value() for name in ("seats", "clock", "bots")] == [4, "1d", 0]


def test_colours_of_seats_are_chosen_and_shown_as_a_picture(ana: User) -> None:
    client = signed_in(ana)
    page = client.get("/tables/new/florentine/").content.decode()
    assert 'aria-label="A ochre, B green, C blue, D red"' in page
    client.post("/tables/new/florentine/", {**NEW_TABLE, "seats": "2", "option_colours": "ogbr"})
    table = client.get(Match.objects.get().get_absolute_url()).content.decode()
    assert 'aria-label="A ochre, B green"' in table
    assert client.get("/tables/new/florentine/").context["form"]["option_colours"].value() in ("ogbr", "ogrb")


def test_proofs_of_the_deal_are_folded(ana: User, ben: User) -> None:
    match = make_table(seats=3, creator=ana)
    for player, proof in ((ana, "Give my part"), (ana, match.commitment), (ben, "Your own part of the deal")):
        page = signed_in(player).get(match.get_absolute_url()).content.decode()
        assert proof in page
        assert proof not in re.sub(r"<details.*?</details>", "", page, flags=re.DOTALL)


def test_an_option_with_a_letter_for_each_seat_is_cut_to_the_seats(ana: User) -> None:
    signed_in(ana).post("/tables/new/florentine/", {**NEW_TABLE, "seats": "2", "option_colours": "ogbr"})
    assert Match.objects.get().options == "colours=og"


def test_a_clock_of_ones_own(ana: User) -> None:
    clock = {"clock": "own", "bank": "48", "increment": "6", "cap": "72"}
    signed_in(ana).post("/tables/new/gem/", {**NEW_TABLE, **clock})
    match = Match.objects.get()
    hours = [span / timedelta(hours=1) for span in (match.bank, match.increment, match.cap)]
    assert hours == [48, 6, 72]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"clock": "own", "bank": "48"}, "Write hours here for a pace of your own."),
        ({"clock": "own", "bank": "48", "increment": "6", "cap": "24"}, "the cap is no less than the bank"),
        ({"seats": "9"}, "Something is missing or cannot be"),
        ({"bots": "3"}, "Leave at least your own seat to a person."),
        ({"vacation_days": "-1"}, "Something is missing or cannot be"),
        ({"option_pace": "hurried"}, "Something is missing or cannot be"),
        ({"words": "x" * 501}, "Something is missing or cannot be"),
    ],
)
def test_what_was_filled_in_stays_when_something_is_wrong(
    ana: User, wrong: dict[str, str], sentence: str
) -> None:
    response = signed_in(ana).post("/tables/new/gem/", {**NEW_TABLE, "words": "seven owls", **wrong})
    assert response.status_code == 422
    page = read(response)
    assert sentence in page.text
    assert page.fields["words"] == wrong.get("words", "seven owls")
    assert not Match.objects.exists()


def test_each_field_of_a_pace_of_ones_own_says_what_is_wrong_with_it(ana: User) -> None:
    form = {**NEW_TABLE, "clock": "own", "bank": "two days", "increment": "6", "bots": "3"}
    page = signed_in(ana).post("/tables/new/gem/", form).content.decode()
    marked = {
        name: "errorlist" in part
        for name, part in re.findall(
            r'<div class="field">.*?name="(bank|increment|cap)"(.*?)</div>', page, re.DOTALL
        )
    }
    assert marked == {"bank": True, "increment": False, "cap": True}


def test_what_stands_in_the_hidden_fields_of_an_own_pace_does_not_matter(ana: User) -> None:
    signed_in(ana).post("/tables/new/gem/", {**NEW_TABLE, "bank": "two days"})
    assert Match.objects.get().time_control == PRESETS["3d"]


def test_a_match_against_bots_begins_at_once(ana: User) -> None:
    response = signed_in(ana).post("/tables/new/gem/", {**NEW_TABLE, "bots": "2"}, follow=True)
    assert "The match has begun." in read(response).text
    assert Match.objects.get().is_running


def test_sitting_down_with_an_own_part_and_getting_up(ana: User, ben: User) -> None:
    match = make_table(seats=3, creator=ana)
    client = signed_in(ben)
    assert "Sit down" in read(client.get(match.get_absolute_url())).text
    text = change(client, match, do="join", words="seven owls")
    assert "You sit at the table." in text
    assert deal.given_part("seven owls") in text
    assert "You have left the table." in change(client, match, do="leave")
    assert match.seats.count() == 1


def test_a_part_is_shown_at_once_as_its_fingerprint(ana: User) -> None:
    match = make_table(seats=3, creator=ana)
    text = change(signed_in(ana), match, do="part", words="seven owls")
    assert f"Its fingerprint (SHA-256) is {deal.given_part('seven owls')}." in text
    response = signed_in(ana).post(f"{match.get_absolute_url()}table/", {"do": "part", "words": " "})
    assert response.status_code == 422
    assert "There are no words yet; type any that nobody can guess." in read(response).text


def test_the_last_to_sit_down_begins_the_match(ana: User, ben: User) -> None:
    match = make_table(seats=2, creator=ana, starts_when_full=True)
    client = signed_in(ben)
    assert "the match begins at once" in read(client.get(match.get_absolute_url())).text
    change(client, match, do="join")
    match.refresh_from_db()
    assert match.is_running


def test_a_player_starts_a_table_that_is_started_by_hand(ana: User, ben: User) -> None:
    match = make_table(seats=2, creator=ana)
    assert "still has free seats (1); wait" in change(signed_in(ana), match, do="start")
    change(signed_in(ben), match, do="join")
    assert "Start the match" in read(signed_in(ben).get(match.get_absolute_url())).text
    assert "The match has begun." in change(signed_in(ben), match, do="start")


def test_bots_take_the_free_seats(ana: User) -> None:
    match = make_table(seats=3, creator=ana, starts_when_full=True)
    assert "The match has begun." in change(signed_in(ana), match, do="bots", strength="normal")
    assert match.seats.filter(bot=Seat.Bot.NORMAL).count() == 2


def test_inviting_and_taking_back(ana: User, ben: User) -> None:
    match = make_table(seats=3, creator=ana, access=Match.Access.INVITED)
    client = signed_in(ana)
    assert "Invited: ben." in change(client, match, do="invite", whom="ben")
    assert "ben waiting for an answer" in read(client.get(match.get_absolute_url())).text
    assert "There is no player “nobody”" in change(client, match, do="invite", whom="nobody")
    number = Invitation.objects.get().pk
    assert "The invitation is taken back." in change(client, match, do="withdraw", invitation=number)
    assert "no such invitation" in change(client, match, do="withdraw", invitation="x")


def test_only_who_may_take_an_invitation_back_finds_the_button(ana: User, ben: User) -> None:
    match = make_table(seats=4, creator=ana)
    join_table(match.pk, ben, now=NOON)
    change(signed_in(ana), match, do="invite", whom="dee@example.net")
    buttons = [
        ("do", "withdraw") in read(signed_in(player).get(match.get_absolute_url())).buttons
        for player in (ana, ben)
    ]
    assert buttons == [True, False]


def test_the_link_lets_in_and_is_shown_to_players_only(ana: User, ben: User) -> None:
    match = make_table(seats=3, creator=ana, access=Match.Access.INVITED)
    link = f"{match.get_absolute_url()}link/{match.link_token}/"
    assert match.link_token in signed_in(ana).get(match.get_absolute_url()).content.decode()
    for client in (Client(), signed_in(ben), signed_in(make_user("mod", is_staff=True, is_superuser=True))):
        assert match.link_token not in client.get(match.get_absolute_url()).content.decode()
        assert client.get(f"{match.get_absolute_url()}link/{'a' * 26}/").status_code == 404
    page = read(signed_in(ben).get(link))
    assert "Sit down" in page.text
    assert "invited players only" in change(signed_in(ben), match, do="join")
    assert "You sit at the table." in change(signed_in(ben), match, do="join", link=page.fields["link"])
    assert signed_in(ben).get(link).status_code == 302


def test_who_is_not_signed_in_comes_back_to_the_link_afterwards(ana: User) -> None:
    match = make_table(seats=3, creator=ana, access=Match.Access.INVITED)
    form = {"do": "join", "link": match.link_token}
    response = Client().post(f"{match.get_absolute_url()}table/", form)
    assert response.url.endswith(f"?next={match.get_absolute_url()}link/{match.link_token}/")
    response = Client().post(f"{match.get_absolute_url()}table/", {**form, "link": "https://example.com/"})
    assert response.url.endswith(f"?next={match.get_absolute_url()}")


def test_a_page_that_waits_learns_when_the_table_has_changed(ana: User, ben: User) -> None:
    match = make_table(seats=2, creator=ana, starts_when_full=True)
    client = signed_in(ana)
    path = f"{match.get_absolute_url()}table/progress/"
    words = [client.get(path).json()["page"]]
    assert f'data-now="{words[0]}"' in client.get(match.get_absolute_url()).content.decode()
    assert client.get(path).json()["page"] == words[0], "nothing has happened"
    change(signed_in(ben), match, do="join")
    words.append(client.get(path).json()["page"])
    assert len(set(words)) == 2


def test_cancelling_asks_first_and_shows_the_secret_afterwards(ana: User, ben: User) -> None:
    match = make_table(seats=3, creator=ana)
    join_table(match.pk, ben, now=NOON)
    client = signed_in(ana)
    page = read(client.get(f"{match.get_absolute_url()}cancel/"))
    assert "The other players are told by mail." in page.text
    match.refresh_from_db()
    assert match.is_open, "looking changes nothing"
    assert match.server_part not in read(client.get(f"{match.get_absolute_url()}deal/")).text
    assert (
        "The table is cancelled." in read(client.post(f"{match.get_absolute_url()}cancel/", follow=True)).text
    )
    assert match.server_part in read(Client().get(f"{match.get_absolute_url()}deal/")).text
    assert match.code in read(Client().get("/matches/?status=cancelled")).text


BUTTONS = ("join", "leave", "start", "bots", "part", "invite", "withdraw")


@pytest.mark.slow
@pytest.mark.parametrize("who", ["stranger", "other", "moderator", "seated"])
@pytest.mark.parametrize("button", [*BUTTONS, "cancel"])
def test_who_may_press_which_button(ana: User, ben: User, who: str, button: str) -> None:
    """Only the host and players change a table; a moderator who does not sit there is anybody."""
    match = make_table(seats=3, creator=ana, access=Match.Access.INVITED)
    join_table(match.pk, ben, link=match.link_token, now=NOON)
    before = [list(match.seats.values_list("user", "bot", "part")), list(Invitation.objects.values())]
    client = {
        "stranger": Client(),
        "other": signed_in(make_user("dee")),
        "moderator": signed_in(make_user("mod", is_staff=True, is_superuser=True)),
        "seated": signed_in(ben),
    }[who]
    path = "cancel/" if button == "cancel" else "table/"
    response = client.post(
        f"{match.get_absolute_url()}{path}", {"do": button, "whom": "ana", "invitation": "1", "words": "owl"}
    )
    allowed = who == "seated" and button in {"leave", "part"}
    changed = [list(match.seats.values_list("user", "bot", "part")), list(Invitation.objects.values())]
    match.refresh_from_db()
    assert match.is_open
    assert (changed != before) == allowed
    if who == "stranger":
        assert (response.status_code, "/accounts/login/" in response.url) == (302, True)
    else:
        happened = 302 if allowed or (who == "seated" and button == "join") else 422
        assert response.status_code == happened


def test_changes_take_a_post_and_its_token(ana: User) -> None:
    match = make_table(seats=3, creator=ana)
    client = Client(enforce_csrf_checks=True)
    client.force_login(ana)
    assert client.get(f"{match.get_absolute_url()}table/").status_code == 405
    for path in (
        f"{match.get_absolute_url()}table/",
        f"{match.get_absolute_url()}cancel/",
        "/tables/new/gem/",
    ):
        assert client.post(path, {"do": "leave"}).status_code == 403


def test_opening_is_for_who_is_signed_in(ana: User) -> None:
    for path in ("/tables/new/", "/tables/new/gem/"):
        assert Client().get(path).status_code == 302
        assert signed_in(ana).get(path).status_code == 200
    assert Client().post("/tables/new/gem/", NEW_TABLE).status_code == 302
    assert signed_in(ana).get("/tables/new/chess/").status_code == 404
    assert not Match.objects.exists()


def test_a_table_that_has_begun_is_no_table_any_more(ana: User, ben: User) -> None:
    match = make_match(players=[ana, ben])
    for button in BUTTONS:
        response = signed_in(ana).post(f"{match.get_absolute_url()}table/", {"do": button, "whom": "ben"})
        assert response.url == match.get_absolute_url()
    match.refresh_from_db()
    assert (match.is_running, match.seats.count()) == (True, 2)
