"""The pages of clubs: what each kind of reader sees, and what their buttons do."""

from __future__ import annotations

import pytest
from django.test import Client

from gemserver.accounts.models import User
from gemserver.clubs.models import Candidate, Club, Member
from gemserver.events.rights import require_reason
from gemserver.lib import clock
from gemserver.matches.actions.clubs.post_news import post_news
from gemserver.matches.models import Match
from tests.builders import make_user, play_to_the_end
from tests.clubs.people import make_club, open_for, play_in
from tests.site.pages import read_main, signed_in

pytestmark = pytest.mark.django_db


def press(client: Client, club: Club, do: str, **fields: str) -> int:
    return client.post(f"/clubs/{club.slug}/", {"do": do, **fields}).status_code


def text_of(client: Client, path: str) -> str:
    return read_main(client.get(path)).text


def test_a_club_is_opened_on_its_page(ana: User) -> None:
    client = signed_in(ana)
    fields = {"name": "Lake Side", "about": "We *meet* on Fridays.", "is_private": "on"}
    answer = client.post("/clubs/new/", fields)
    club = Club.objects.get()
    assert answer["Location"] == f"/clubs/{club.slug}/"
    page = text_of(client, answer["Location"])
    assert "Lake Side private" in page
    assert "We meet on Fridays." in page
    assert "Lake Side" in text_of(client, "/clubs/")


def test_a_refused_form_keeps_its_input_and_says_why(ana: User) -> None:
    client = signed_in(ana)
    answer = client.post("/clubs/new/", {"name": "admin", "about": "Our own words."})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "cannot be a name here" in page
    assert "Our own words." in page
    assert not Club.objects.exists()


def test_an_invitation_stands_on_the_first_page_until_it_is_answered(ana: User, ben: User) -> None:
    club = make_club("Lake", ana)
    bens = signed_in(ben)
    before = bens.get("/news/?list=home").json()["page"]
    press(signed_in(ana), club, "invite", name="ben")
    first = read_main(bens.get("/"))
    assert "You are invited 1 Lake ana invites you to this club." in first.text
    assert "/clubs/lake/" in first.links
    assert bens.get("/news/?list=home").json()["page"] != before, "an open page is told"
    press(bens, club, "join")
    assert "You are invited" not in text_of(bens, "/")


def test_somebody_asks_and_is_let_in(ana: User, ben: User) -> None:
    club = make_club("Lake", ana, is_private=False)
    bens, anas = signed_in(ben), signed_in(ana)
    assert "Ask to join" in text_of(bens, "/clubs/lake/")
    assert press(bens, club, "join") == 302
    assert "You have asked to join" in text_of(bens, "/clubs/lake/")
    assert "On the way in ben" in text_of(anas, "/clubs/lake/")
    assert press(anas, club, "accept", name="ben") == 302
    assert "Leave the club" in text_of(bens, "/clubs/lake/")


def test_the_invited_sees_what_a_private_club_says_of_itself_and_nothing_else(ana: User, ben: User) -> None:
    club = make_club("Lake", ana)
    post_news(club.pk, ana, "Only for us.", now=clock.now())
    match = play_in(club, ana, _join(club, make_user("cy")))
    assert press(signed_in(ana), club, "invite", name="ben") == 302
    client = signed_in(ben)
    assert "Lake by ana" in text_of(client, "/clubs/")
    page = text_of(client, "/clubs/lake/")
    assert "You are invited" in page
    assert not any(hidden in page for hidden in ("Only for us", match.code, "cy", "Members"))
    assert press(client, club, "join") == 302
    page = text_of(client, "/clubs/lake/")
    assert all(shown in page for shown in ("Only for us.", match.code, "cy"))


def _join(club: Club, user: User) -> User:
    Member.objects.create(club=club, user=user, joined_at=clock.now())
    return user


def test_who_declines_is_not_shown_the_club_any_more(ana: User, ben: User) -> None:
    club = make_club("Lake", ana)
    Candidate.objects.create(club=club, user=ben, kind="invited", by=ana, since=clock.now())
    client = signed_in(ben)
    assert client.post("/clubs/lake/", {"do": "take-back"})["Location"] == "/clubs/"
    assert client.get("/clubs/lake/").status_code == 404


@pytest.mark.parametrize("who", ["stranger", "other"])
def test_a_listed_club_shows_everybody_its_matches_and_members_and_its_buttons_to_members(
    who: str, ana: User, ben: User
) -> None:
    club = make_club("Lake", ana, ben, is_private=False)
    post_news(club.pk, ana, "Come <script>alert(1)</script> on Friday.", now=clock.now())
    running, over = play_in(club, ana, ben), play_to_the_end(play_in(club, ana, ben))
    table = open_for(club, ana, seats=3)
    client = Client() if who == "stranger" else signed_in(make_user("eve"))
    page = read_main(client.get("/clubs/lake/"))
    assert all(code in page.text for code in (running.code, over.code, table.code, "Come <script>"))
    assert "Results in the club" in page.text
    for hidden in ("Post news", "Invite", "Leave the club", "Open a table for the club", "Save"):
        assert hidden not in page.text


def test_what_organisers_write_does_not_turn_the_page_around(ana: User) -> None:
    """No sign that changes the direction of writing, as in talk."""
    club, client = make_club("Lake", ana), signed_in(ana)
    assert press(client, club, "post", text="Come \u202eyadirF on\u2066.\x07") == 302
    assert club.news.get().text == "Come yadirF on."
    assert client.post("/clubs/new/", {"name": "Hill", "about": "On \u202ethe hill."}).status_code == 302
    assert Club.objects.get(name="Hill").about == "On the hill."
    assert require_reason(" They \u202eagreed. ") == "They agreed."


def test_news_that_are_sent_twice_are_posted_once(ana: User) -> None:
    club, client = make_club("Lake", ana), signed_in(ana)
    for _ in range(2):
        assert press(client, club, "post", text="Come on Friday.") == 302
    assert club.news.count() == 1


def test_organisers_post_and_remove_news_and_members(ana: User, ben: User) -> None:
    club, client = make_club("Lake", ana, ben), signed_in(ana)
    assert press(client, club, "post", text="Come on Friday.") == 302
    assert "Come on Friday." in text_of(client, "/clubs/lake/")
    assert press(client, club, "remove-news", news=str(club.news.get().pk)) == 302
    assert not club.news.exists()
    assert press(client, club, "role", name="ben", role="organiser") == 302
    assert club.members.get(user=ben).role == Member.Role.ORGANISER
    assert press(client, club, "remove", name="ben") == 302
    assert not club.members.filter(user=ben).exists()


def test_a_refusal_is_shown_on_the_page_with_what_was_typed(ana: User) -> None:
    club, client = make_club("Lake", ana), signed_in(ana)
    answer = client.post("/clubs/lake/", {"do": "invite", "name": "nobody here"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "There is no player “nobody here”" in page
    assert 'value="nobody here"' in page
    assert press(client, club, "leave") == 422
    assert press(client, club, "remove-news", news="²") == 302
    assert press(client, club, "nonsense") == 302


def test_the_last_owner_names_an_heir_and_leaves(ana: User, ben: User) -> None:
    club = make_club("Lake", ana, ben)
    assert "Who owns it after you" in text_of(signed_in(ana), "/clubs/lake/")
    answer = signed_in(ana).post("/clubs/lake/", {"do": "leave", "heir": "ben"})
    assert answer["Location"] == "/clubs/"
    assert club.members.get().role == Member.Role.OWNER


def test_an_owner_changes_and_closes_the_club_and_nobody_else(ana: User, ben: User) -> None:
    club = make_club("Lake", ana, ben)
    fields = {"name": "Pond", "about": "Smaller.", "is_private": "on"}
    assert signed_in(ben).post("/clubs/lake/edit/", fields)["Location"] == "/clubs/lake/"
    assert Club.objects.get().name == "Lake"
    assert signed_in(ana).post("/clubs/lake/edit/", fields).status_code == 302
    assert Club.objects.get().name == "Pond"
    folded = signed_in(ana).get("/clubs/lake/edit/").content.decode().partition("<details>")[2]
    assert 'value="close"' in folded.partition("</details>")[0], "no slip of a finger closes a club"
    assert press(signed_in(ana), club, "close") == 302
    assert "closed" in text_of(signed_in(ben), "/clubs/lake/")


def test_a_table_is_opened_for_a_club_with_the_form(ana: User) -> None:
    club, client = make_club("Lake", ana), signed_in(ana)
    assert "?club=lake" in client.get("/tables/new/?club=lake").content.decode()
    page = client.get("/tables/new/gem/?club=lake").content.decode()
    assert '<option value="lake" selected>Lake</option>' in page
    fields = {"seats": "3", "clock": "3d", "absence": "default", "access": "anyone", "bots": "0"}
    answer = client.post("/tables/new/gem/", {**fields, "club": "lake"})
    match = Match.objects.get()
    assert match.club == club
    assert "For the club Lake" in text_of(client, answer["Location"])
    assert client.post("/tables/new/gem/", {**fields, "club": "other"}).status_code == 422


def test_who_is_in_no_club_is_not_asked_for_one(ana: User) -> None:
    assert "For a club" not in signed_in(ana).get("/tables/new/gem/").content.decode()


def test_a_clubs_page_takes_as_many_queries_for_many_matches(
    ana: User, ben: User, django_assert_max_num_queries: object
) -> None:
    club = make_club("Lake", ana, ben)
    client = signed_in(ana)
    for _ in range(3):
        play_in(club, ana, ben)
    with django_assert_max_num_queries(26):  # type: ignore[operator]
        assert client.get("/clubs/lake/").status_code == 200
