"""Opening clubs, joining and leaving them, roles, and who is refused what."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps

from gemserver.accounts.models import User
from gemserver.clubs.models import Candidate, Club, Member
from gemserver.clubs.selectors import clubs_of, invitations_of, is_member, shown_to
from gemserver.inbox.erasure import erase
from gemserver.matches.actions.clubs.join_club import invite_member, join_club, take_back_request, turn_down
from gemserver.matches.actions.clubs.leave_club import leave_club, remove_member, set_role
from gemserver.matches.actions.clubs.open_club import (
    MOST_OPENED_A_DAY,
    MOST_OWNED,
    change_club,
    close_club,
    open_club,
)
from gemserver.matches.actions.clubs.post_news import MOST_A_DAY, post_news, remove_news
from gemserver.matches.actions.people.block_player import block_player
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.actions.people.shut_account import reopen_account, shut_account
from gemserver.matches.actions.seats.ask_sitter import propose_sitting
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.tables.open_rematch import open_rematch
from gemserver.matches.clubs.club_page import ClubPage
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from gemserver.site.account.export import collect
from tests.builders import NOON, make_user, play_to_the_end
from tests.clubs.people import make_club, open_for, play_in
from tests.mailgate.posting import one_line, sent_to

pytestmark = pytest.mark.django_db


def refused(code: str) -> pytest.RaisesExc[Refused]:
    """Expect a refusal with this code, whose sentence can be written."""
    return pytest.raises(Refused, check=lambda refusal: refusal.code == code and bool(refusal.text()))


def test_a_club_is_opened_with_its_name_in_its_address(ana: User) -> None:
    club = open_club(ana, name="  Rue du  Lac ", about="We meet on Fridays.", now=NOON)
    assert (club.name, club.slug, str(club)) == ("Rue du Lac", "rue-du-lac", "rue-du-lac")
    assert club.members.get().role == Member.Role.OWNER
    assert open_club(ana, name="Клуб", slug="klub", now=NOON).slug == "klub"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"name": "admin"}, "bad-name"),
        ({"name": "M17"}, "bad-name"),
        ({"name": "аna"}, "bad-name"),  # its first letter is Cyrillic
        ({"name": "a\nb <script>"}, "bad-name"),
        ({"name": ""}, "bad-name"),
        ({"name": "Клуб"}, "bad-slug"),
        ({"name": "lake side"}, "name-taken"),
        ({"name": "Far", "about": "x" * 2001}, "too-long"),
    ],
)
def test_a_club_that_would_be_misread_is_not_opened(
    given: dict[str, str], code: str, ana: User, ben: User
) -> None:
    open_club(ana, name="Lake Side", now=NOON)
    with refused(code):
        open_club(ben, now=NOON, **given)
    assert Club.objects.count() == 1


def test_nobody_learns_by_trying_that_a_private_club_exists(ana: User, ben: User) -> None:
    hidden = open_club(ana, name="Lake Side", is_private=True, now=NOON)
    assert hidden.slug.startswith("lake-side-")
    assert open_club(ben, name="Lake Side", now=NOON).slug == "lake-side"
    with refused("no-such-club"):
        join_club(hidden.pk, ben, now=NOON)
    with refused("no-such-club"):
        invite_member(hidden.pk, ben, "ben", now=NOON)
    assert list(shown_to(ben)) == [Club.objects.get(slug="lake-side")]
    assert list(shown_to(None)) == [Club.objects.get(slug="lake-side")]


def test_clubs_that_are_closed_left_or_given_away_count_for_who_opened_them(ana: User, ben: User) -> None:
    """Only those that one still owned counted: two people could fill the list of clubs."""
    for number in range(MOST_OPENED_A_DAY):
        club = open_club(ana, name=f"Club {number}", is_asked_first=False, now=NOON)
        join_club(club.pk, ben, now=NOON)
        if number:
            leave_club(club.pk, ana, heir="ben", now=NOON)
        else:
            close_club(club.pk, ana, now=NOON)
            leave_club(club.pk, ana, now=NOON)
    assert [row["name"] for row in collect(ana, NOON)["clubs opened"]] == ["Club 0", "Club 1", "Club 2"]
    with refused("too-many-clubs"):
        open_club(ana, name="One more", now=NOON)


def test_one_person_opens_only_so_many_clubs(ana: User) -> None:
    for number in range(MOST_OPENED_A_DAY):
        open_club(ana, name=f"Club {number}", now=NOON)
    with refused("too-many-clubs"):
        open_club(ana, name="One more", now=NOON)
    open_club(ana, name="One more", now=NOON + timedelta(days=1))
    open_club(ana, name="The fifth", now=NOON + timedelta(days=1))
    with refused("too-many-clubs"):
        open_club(ana, name="The sixth", now=NOON + timedelta(days=9))


def test_bots_and_guests_stay_outside(ana: User) -> None:
    club = make_club("Lake", ana, is_private=False)
    Club.objects.update(is_asked_first=False)
    bot = open_bot(ana, "robo", now=NOON)
    guest = User.objects.create_user("guest-1", is_guest=True)
    for user in (bot, guest):
        with refused("people-only"):
            join_club(club.pk, user, now=NOON)
        with refused("no-such-player"):
            invite_member(club.pk, ana, user.username, now=NOON)


def test_a_listed_club_that_asks_first_lets_in_whom_an_organiser_accepts(ana: User, ben: User) -> None:
    club = make_club("Lake", ana, is_private=False)
    asked = join_club(club.pk, ben, now=NOON)
    assert isinstance(asked, Candidate)
    assert join_club(club.pk, ben, now=NOON) == asked
    assert not is_member(club, ben)
    assert isinstance(invite_member(club.pk, ana, "BEN", now=NOON), Member)
    assert is_member(club, ben)
    assert not club.candidates.exists()


def test_who_is_turned_down_or_thinks_better_of_it_is_no_candidate_any_more(ana: User, ben: User) -> None:
    club = make_club("Lake", ana, is_private=False)
    join_club(club.pk, ben, now=NOON)
    turn_down(club.pk, ana, "ben")
    assert not club.candidates.exists()
    join_club(club.pk, ben, now=NOON)
    take_back_request(club.pk, ben)
    assert not club.candidates.exists()


def test_a_private_club_is_joined_by_invitation_which_can_be_declined_once(ana: User, ben: User) -> None:
    club = make_club("Lake", ana)
    invite_member(club.pk, ana, "ben", now=NOON)
    assert [row.club for row in invitations_of(ben)] == [club] == list(shown_to(ben))
    take_back_request(club.pk, ben)
    assert not shown_to(ben).exists()
    with refused("no-invitations"):
        invite_member(club.pk, ana, "ben", now=NOON)
    cy = make_user("cy")
    invite_member(club.pk, ana, "cy", now=NOON)
    assert isinstance(join_club(club.pk, cy, now=NOON), Member)
    assert list(clubs_of(cy)) == [club]


def test_who_has_blocked_an_organiser_is_not_invited(ana: User, ben: User) -> None:
    club = make_club("Lake", ana)
    block_player(ben, "ana", now=NOON)
    with refused("no-invitations"):
        invite_member(club.pk, ana, "ben", now=NOON)


def test_roles_say_who_may_do_what(ana: User, ben: User) -> None:
    cy, dee = make_user("cy"), make_user("dee")
    club = make_club("Lake", ana, ben, cy, is_private=False)
    with refused("not-an-organiser"):
        remove_member(club.pk, ben, "cy", now=NOON)
    with refused("not-an-organiser"):
        post_news(club.pk, ben, "hello", now=NOON)
    set_role(club.pk, ana, "ben", Member.Role.ORGANISER)
    with refused("not-an-owner"):
        set_role(club.pk, ben, "cy", Member.Role.ORGANISER)
    with refused("not-an-owner"):
        remove_member(club.pk, ben, "ana", now=NOON)
    with refused("not-an-owner"):
        close_club(club.pk, ben, now=NOON)
    with refused("not-a-member"):
        post_news(club.pk, dee, "hello", now=NOON)
    with refused("yourself"):
        remove_member(club.pk, ben, "ben", now=NOON)
    remove_member(club.pk, ben, "cy", now=NOON)
    assert not is_member(club, cy)


def test_who_was_removed_comes_back_only_when_let_in(ana: User, ben: User) -> None:
    club = make_club("Lake", ana, ben, is_private=False)
    Club.objects.update(is_asked_first=False)
    remove_member(club.pk, ana, "ben", now=NOON)
    assert isinstance(join_club(club.pk, ben, now=NOON), Candidate)
    assert isinstance(invite_member(club.pk, ana, "ben", now=NOON), Member)


def _ask_and_take_back(club: Club, owner: User, removed: User) -> None:
    join_club(club.pk, removed, now=NOON)
    take_back_request(club.pk, removed)


def _ask_and_be_turned_down(club: Club, owner: User, removed: User) -> None:
    join_club(club.pk, removed, now=NOON)
    turn_down(club.pk, owner, removed.username)


def _be_invited_by_mistake(club: Club, owner: User, removed: User) -> None:
    invite_member(club.pk, owner, removed.username, now=NOON)
    turn_down(club.pk, owner, removed.username)


def _be_invited_and_decline(club: Club, owner: User, removed: User) -> None:
    invite_member(club.pk, owner, removed.username, now=NOON)
    take_back_request(club.pk, removed)


@pytest.mark.parametrize(
    "happen", [_ask_and_take_back, _ask_and_be_turned_down, _be_invited_by_mistake, _be_invited_and_decline]
)
def test_who_was_removed_still_has_to_be_let_in(
    happen: Callable[[Club, User, User], None], ana: User, ben: User
) -> None:
    """With the request it was forgotten that they had been removed: who was refused came in by asking again."""
    club = make_club("Lake", ana, ben, is_private=False)
    Club.objects.update(is_asked_first=False)
    remove_member(club.pk, ana, "ben", now=NOON)
    for _ in range(2):
        happen(club, ana, ben)
        if happen is _be_invited_and_decline:
            break  # who has declined is not invited again
    assert isinstance(join_club(club.pk, ben, now=NOON), Candidate)
    assert not is_member(club, ben)
    assert isinstance(invite_member(club.pk, ana, "ben", now=NOON), Member)
    leave_club(club.pk, ben, now=NOON)
    assert isinstance(join_club(club.pk, ben, now=NOON), Member), "let in, they are one of the others"


def test_a_club_always_has_an_owner(ana: User, ben: User) -> None:
    club = make_club("Lake", ana, ben)
    with refused("last-owner"):
        leave_club(club.pk, ana, now=NOON)
    with refused("last-owner"):
        set_role(club.pk, ana, "ana", Member.Role.MEMBER)
    with refused("no-such-member"):
        leave_club(club.pk, ana, heir="eve", now=NOON)
    with refused("last-owner"):
        leave_club(club.pk, ana, heir="ana", now=NOON)
    leave_club(club.pk, ana, heir="Ben", now=NOON)
    assert [(row.user, row.role) for row in club.members.all()] == [(ben, Member.Role.OWNER)]


def test_only_an_owner_names_an_heir(ana: User, ben: User) -> None:
    """Any member could leave and make somebody else an owner, as a second account of their own."""
    club = make_club("Lake", ana, ben, make_user("cy"))
    with refused("not-an-owner"):
        leave_club(club.pk, ben, heir="cy", now=NOON)
    set_role(club.pk, ana, "ben", Member.Role.ORGANISER)
    with refused("not-an-owner"):
        leave_club(club.pk, ben, heir="cy", now=NOON)
    assert [row.user for row in club.members.filter(role=Member.Role.OWNER)] == [ana]
    assert is_member(club, ben)


def test_nobody_is_given_more_clubs_than_one_may_own(ana: User, ben: User) -> None:
    for number in range(MOST_OWNED - 1):
        make_club(f"Club{number}", ben)
    closed = make_club("Closed", ben)
    close_club(closed.pk, ben, now=NOON)
    lake, hill = make_club("Lake", ana, ben), make_club("Hill", ana, ben)
    leave_club(lake.pk, ana, heir="ben", now=NOON)
    with pytest.raises(Refused, match=r"ben owns 5 clubs.*name another member"):
        leave_club(hill.pk, ana, heir="ben", now=NOON)
    with refused("owns-enough"):
        set_role(hill.pk, ana, "ben", Member.Role.OWNER)
    assert is_member(hill, ana)
    set_role(lake.pk, ben, "ben", Member.Role.OWNER)  # which they are already
    close_club(lake.pk, ben, now=NOON)
    leave_club(hill.pk, ana, heir="ben", now=NOON)


def test_a_club_is_inherited_by_whoever_has_room_for_it(ana: User, ben: User) -> None:
    for number in range(MOST_OWNED):
        make_club(f"Club{number}", ben)
    cy = make_user("cy")
    lake, hill = make_club("Lake", ana, ben, cy), make_club("Hill", ana, ben)
    set_role(lake.pk, ana, "ben", Member.Role.ORGANISER)
    erase(ana, now=NOON)
    assert [row.user for row in lake.members.filter(role=Member.Role.OWNER)] == [cy]
    assert [row.user for row in hill.members.filter(role=Member.Role.OWNER)] == [ben]


def test_an_account_that_is_erased_leaves_its_club_to_another_or_closed(ana: User, ben: User) -> None:
    club = make_club("Lake", ana, ben)
    post_news(club.pk, ana, "I shall be gone.", now=NOON)
    erase(ana, now=NOON)
    assert [(row.user, row.role) for row in club.members.all()] == [(ben, Member.Role.OWNER)]
    assert not club.news.exists()
    erase(ben, now=NOON)
    club.refresh_from_db()
    assert club.closed_at == NOON


def owners_of(club: Club) -> list[User]:
    return [row.user for row in club.members.filter(role=Member.Role.OWNER).order_by("pk")]


def test_a_club_whose_only_owner_is_shut_goes_to_a_member_who_is_told(ana: User, ben: User) -> None:
    """Nobody could let people in, or change or close it; when the owner comes back they own it too."""
    cy, dora = make_user("cy"), make_user("dora")
    club = make_club("Lake", ana, dora, ben, cy)
    set_role(club.pk, ana, "ben", Member.Role.ORGANISER)
    shut_account(ben, "no", now=NOON)
    set_role(club.pk, ana, "cy", Member.Role.ORGANISER)
    ban = shut_account(ana, "no", now=NOON)
    assert owners_of(club) == [ana, cy]
    (letter,) = sent_to(cy)
    assert "You are an owner of the club Lake now" in one_line(letter)
    assert sent_to(dora) == []
    invite_member(club.pk, cy, make_user("eve").username, now=NOON)
    reopen_account(ban, now=NOON)
    assert owners_of(club) == [ana, cy]


def test_an_owner_who_is_shut_is_none_to_leave_a_club_to(ana: User, ben: User) -> None:
    cy = make_user("cy")
    club = make_club("Lake", ana, ben, cy)
    set_role(club.pk, ana, "ben", Member.Role.OWNER)
    shut_account(ana, "no", now=NOON)
    with refused("last-owner"):
        leave_club(club.pk, ben, now=NOON)
    with refused("last-owner"):
        set_role(club.pk, ben, "ben", Member.Role.MEMBER)
    with refused("cannot-own"):
        leave_club(club.pk, ben, heir="ana", now=NOON)
    assert [member.user for member in ClubPage(club, ben).heirs] == [cy]
    leave_club(club.pk, ben, heir="cy", now=NOON)
    assert owners_of(club) == [ana, cy]
    assert "You are an owner" in one_line(sent_to(cy)[-1])


def test_nobody_inherits_a_club_who_is_shut(ana: User, ben: User) -> None:
    cy = make_user("cy")
    club, empty = make_club("Lake", ana, ben, cy), make_club("Hill", ana, ben)
    ban = shut_account(ben, "no", now=NOON)
    erase(ana, now=NOON)
    assert (owners_of(club), owners_of(empty)) == ([cy], [])
    reopen_account(ban, now=NOON)
    assert owners_of(empty) == [ben]


def test_who_comes_first_to_a_club_where_all_are_shut_owns_it(ana: User, ben: User) -> None:
    club = make_club("Lake", ana, is_private=False)
    Club.objects.update(is_asked_first=False)
    shut_account(ana, "no", now=NOON)
    joined = join_club(club.pk, ben, now=NOON)
    assert isinstance(joined, Member)
    assert joined.role == Member.Role.OWNER


def test_clubs_whose_owners_were_shut_before_are_handed_on_by_the_upgrade(ana: User, ben: User) -> None:
    cy = make_user("cy")
    club, alone, other = make_club("Lake", ana, ben, cy), make_club("Hill", ana), make_club("Sea", ben, cy)
    club.members.filter(user=cy).update(role=Member.Role.ORGANISER)
    User.objects.filter(pk=ana.pk).update(is_active=False)
    import_module("gemserver.clubs.migrations.0005_no_club_without_an_owner").hand_on(apps, None)
    assert (owners_of(club), owners_of(alone), owners_of(other)) == ([ana, cy], [ana], [ben])


def test_the_export_names_the_clubs_of_its_reader_alone(ana: User, ben: User) -> None:
    club = make_club("Lake", ana, ben)
    post_news(club.pk, ana, "Come on Friday.", now=NOON)
    eve = make_user("eve")
    invite_member(club.pk, ana, "eve", now=NOON)
    found = collect(ana, NOON)
    assert [row["club__name"] for row in found["clubs"]] == ["Lake"]
    assert [row["text"] for row in found["news of clubs"]] == ["Come on Friday."]
    assert [row["kind"] for row in collect(eve, NOON)["clubs asked or invited"]] == ["invited"]
    assert not collect(ben, NOON)["news of clubs"]


def test_leaving_gives_up_seats_at_waiting_tables_and_none_in_running_matches(ana: User, ben: User) -> None:
    club = make_club("Lake", ana, ben)
    table, match = open_for(club, ana, seats=3), play_in(club, ana, ben)
    join_table(table.pk, ben, now=NOON)
    leave_club(club.pk, ben, now=NOON)
    assert not table.seats.filter(user=ben).exists()
    assert match.seats.filter(user=ben).exists()


def test_a_closed_club_lets_nobody_in_and_opens_no_table(ana: User, ben: User) -> None:
    club = make_club("Lake", ana, is_private=False)
    join_club(club.pk, ben, now=NOON)
    club = close_club(club.pk, ana, now=NOON)
    assert not club.candidates.exists()
    with refused("club-closed"):
        join_club(club.pk, ben, now=NOON)
    with refused("club-closed"):
        open_for(club, ana)
    leave_club(club.pk, ana, now=NOON)
    assert not club.members.exists()


def test_what_was_played_in_private_stays_private(ana: User, ben: User) -> None:
    club = make_club("Lake", ana)
    given = {"name": "Pond", "about": "", "is_asked_first": True}
    change_club(club.pk, ana, is_private=False, **given, now=NOON)
    change_club(club.pk, ana, is_private=True, **given, now=NOON)
    open_for(club, ana)
    with refused("has-matches"):
        change_club(club.pk, ana, is_private=False, **given, now=NOON)
    assert Club.objects.get().is_private


def test_two_listed_clubs_are_not_called_alike(ana: User, ben: User) -> None:
    open_club(ana, name="Lake", now=NOON)
    pond = open_club(ben, name="Pond", now=NOON)
    with refused("name-taken"):
        open_club(ben, name="LAKE", slug="lake-two", now=NOON)
    with refused("name-taken"):
        change_club(pond.pk, ben, name="LAKE", about="", is_private=False, is_asked_first=True, now=NOON)


def test_news_are_bounded_and_can_be_taken_away(ana: User) -> None:
    club = make_club("Lake", ana)
    for text, code in ((" ", "nothing-said"), ("x" * 2001, "too-long")):
        with refused(code):
            post_news(club.pk, ana, text, now=NOON)
    posted = [post_news(club.pk, ana, f"News {number}", now=NOON) for number in range(MOST_A_DAY)]
    with refused("too-many-news"):
        post_news(club.pk, ana, "more", now=NOON)
    remove_news(club.pk, ana, posted[0].pk)
    remove_news(club.pk, ana, posted[0].pk)
    assert club.news.count() == MOST_A_DAY - 1


class TestTables:
    def test_only_members_join_are_invited_or_sit_in(self, ana: User, ben: User) -> None:
        club, eve = make_club("Lake", ana, ben, is_private=False), make_user("eve")
        table, match = open_for(club, ana, seats=3), play_in(club, ana, ben)
        with refused("not-a-member"):
            join_table(table.pk, eve, now=NOON)
        with refused("not-a-member"):
            join_table(table.pk, eve, link=table.link_token, now=NOON)
        for whom in ("eve", "eve@example.org", "nobody@example.org"):
            with refused("no-member"):
                invite(table.pk, ana, whom, now=NOON)
        invite(table.pk, ana, "ben", now=NOON)
        with refused("no-member"):
            propose_sitting(match.pk, ana, "eve", NOON.date(), NOON.date(), now=NOON)

    def test_a_stranger_to_a_private_club_is_told_that_there_is_no_table(self, ana: User) -> None:
        table = open_for(make_club("Lake", ana), ana)
        with refused("no-such-match"):
            join_table(table.pk, make_user("eve"), now=NOON)

    def test_nobody_opens_a_table_for_a_club_of_others_or_for_bots(self, ana: User, ben: User) -> None:
        club = make_club("Lake", ana)
        with refused("no-such-club"):
            open_for(club, ben)
        assert not Match.objects.exists()

    def test_the_rematch_of_a_clubs_match_is_the_clubs(self, ana: User, ben: User) -> None:
        club = make_club("Lake", ana, ben)
        over = play_to_the_end(play_in(club, ana, ben))
        assert open_rematch(over.pk, ana, now=NOON).club == club
        leave_club(club.pk, ben, now=NOON)
        with refused("not-a-member"):
            open_rematch(over.pk, ben, now=NOON)
