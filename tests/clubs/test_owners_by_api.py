"""Clubs led by a program: each operation works, is refused to others, and acts once under its key."""

from __future__ import annotations

from typing import Any

import pytest

from gemserver.accounts.models import User
from gemserver.clubs.models import Candidate, Club, Member
from gemserver.matches.actions.clubs.join_club import join_club
from gemserver.matches.actions.people.open_bot import open_bot
from tests.api.programs import Program, code_of
from tests.builders import NOON, make_user
from tests.clubs.people import make_club

pytestmark = pytest.mark.django_db


def twice(program: Program, path: str, body: Any = None) -> Any:
    """The answer to a request that is sent twice under one key; the second one is a repetition."""
    first, second = (program.post(path, body, key="the same") for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 200), first.content
    assert second.json() == {**first.json(), "repeat": True}
    return first.json()


def role_of(user: User) -> str | None:
    member = Member.objects.filter(user=user).first()
    return member.role if member else None


def test_a_program_opens_one_club(ana: User) -> None:
    body = {"name": "Lake side", "about": "We play.", "private": True}
    answer = twice(Program.of(ana), "clubs", body)
    club = Club.objects.get()
    assert (answer["club"], answer["you"], answer["repeat"]) == (club.slug, "owner", False)
    assert club.slug.startswith("lake-side-"), "nobody finds a private club by trying names"
    assert (club.is_private, club.is_asked_first, role_of(ana)) == (True, True, "owner")
    taken = Program.of(ana)
    assert taken.post("clubs", {"name": "Lake", "asks_first": False}).json()["club"] == "lake"
    refused = taken.post("clubs", {"name": "Lake"})
    assert (refused.status_code, code_of(refused)) == (409, "name-taken")


def test_what_is_not_named_in_a_change_stays(ana: User) -> None:
    club = make_club("Lake", ana)
    twice(Program.of(ana), "clubs/lake/change", {"about": "New.", "asks_first": False})
    club.refresh_from_db()
    assert (club.name, club.about, club.is_private, club.is_asked_first) == ("Lake", "New.", True, False)


def test_an_owner_gives_roles_and_the_last_one_stays(ana: User, ben: User) -> None:
    make_club("Lake", ana, ben)
    program = Program.of(ana)
    refused = program.post("clubs/lake/role", {"name": "ana", "role": "member"})
    assert code_of(refused) == "last-owner"
    assert twice(program, "clubs/lake/role", {"name": "ben", "role": "owner"})["you"] == "owner"
    assert program.post("clubs/lake/role", {"name": "ana", "role": "member"}).json()["you"] == "member"
    assert (role_of(ana), role_of(ben)) == ("member", "owner")
    assert code_of(program.post("clubs/lake/role", {"name": "ben", "role": "king"})) == "misfit"
    nobody = Program.of(ben).post("clubs/lake/role", {"name": "cy", "role": "member"})
    assert (nobody.status_code, code_of(nobody)) == (404, "no-such-member")


def test_a_repetition_does_not_remove_a_member_who_has_come_back(ana: User, ben: User) -> None:
    club = make_club("Lake", ana, ben)
    program = Program.of(ana)
    twice(program, "clubs/lake/remove", {"name": "ben"})
    assert role_of(ben) is None
    Member.objects.create(club=club, user=ben, joined_at=NOON)
    assert program.post("clubs/lake/remove", {"name": "ben"}, key="the same").json()["repeat"]
    assert role_of(ben) == "member"


def test_a_repetition_does_not_refuse_who_asks_again(ana: User, ben: User) -> None:
    club = make_club("Lake", ana, is_private=False)
    join_club(club.pk, ben, now=NOON)
    program = Program.of(ana)
    twice(program, "clubs/lake/refuse", {"name": "ben"})
    assert not club.candidates.exists()
    join_club(club.pk, ben, now=NOON)
    program.post("clubs/lake/refuse", {"name": "ben"}, key="the same")
    assert club.candidates.get().kind == Candidate.Kind.ASKED


def test_a_closed_club_is_closed_once_and_changes_no_more(ana: User) -> None:
    club = make_club("Lake", ana)
    program = Program.of(ana)
    twice(program, "clubs/lake/close")
    club.refresh_from_db()
    assert club.closed_at is not None
    assert code_of(program.post("clubs/lake/change", {"about": "x"})) == "club-closed"


CHANGES: dict[str, Any] = {
    "change": {"about": "Mine."},
    "close": None,
    "role": {"name": "ben", "role": "owner"},
    "remove": {"name": "ana"},
    "refuse": {"name": "cy"},
}


@pytest.mark.parametrize("verb", CHANGES)
def test_nobody_else_leads_a_club(verb: str, ana: User, ben: User) -> None:
    club, cy = make_club("Lake", ana, ben, is_private=False), make_user("cy")
    join_club(club.pk, cy, now=NOON)
    bot = open_bot(ana, "robo", now=NOON)
    for user, code in ((ben, {"not-an-owner", "not-an-organiser"}), (cy, {"not-a-member"})):
        answer = Program.of(user).post(f"clubs/lake/{verb}", CHANGES[verb])
        assert answer.status_code == 403
        assert code_of(answer) in code
    by_bot = Program.of(bot, "read", "play").post(f"clubs/lake/{verb}", CHANGES[verb])
    assert (by_bot.status_code, code_of(by_bot)) == (403, "not-a-member")
    lacking = Program.of(ana, "read", "talk").post(f"clubs/lake/{verb}", CHANGES[verb])
    assert code_of(lacking) == "scope"
    club.refresh_from_db()
    assert (club.about, club.closed_at, club.candidates.count()) == ("", None, 1)
    assert (role_of(ana), role_of(ben), role_of(cy)) == ("owner", "member", None)


def test_a_bot_opens_no_club(ana: User) -> None:
    bot = open_bot(ana, "robo", now=NOON)
    refused = Program.of(bot, "read", "play").post("clubs", {"name": "Bots"})
    assert (refused.status_code, code_of(refused)) == (403, "people-only")
    assert not Club.objects.exists()
