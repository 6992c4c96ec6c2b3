"""The moderators' page of accounts that may be one person's."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.clubs.models import Club
from gemserver.lib import clock
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.moderation.alike_accounts import LEAST_TOGETHER, mailbox_of
from gemserver.ratings.models import Contender, Pool, RatingChange
from tests.builders import NOON, make_match, make_user
from tests.clubs.people import make_club
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/admin/alike-accounts/"
NOBODY = "No two accounts look like one person's."


@pytest.fixture
def panel() -> Client:
    return signed_in(make_user("mod", role=Role.MODERATOR))


def look(panel: Client) -> str:
    answer = panel.get(PAGE)
    assert answer.status_code == 200
    return read(answer).text


def has_address(name: str, address: str, *, verified: bool = True) -> User:
    user = make_user(name)
    EmailAddress.objects.create(user=user, email=address, verified=verified)
    return user


def rate(*best_first: User, club: Club | None = None) -> None:
    """A rated match that these two have played."""
    match = make_match(players=list(best_first))
    pool, _ = Pool.objects.get_or_create(game="gem", club=club)
    beliefs = {"mu_before": 25, "sigma_before": 8, "mu_after": 26, "sigma_after": 7}
    for place, user in enumerate(best_first, start=1):
        contender, _ = Contender.objects.get_or_create(user=user, defaults={"is_bot": user.is_bot})
        RatingChange.objects.create(
            match=match,
            seat=place - 1,
            pool=pool,
            contender=contender,
            finished_at=NOON,
            place=place,
            why="played",
            **beliefs,
        )


@pytest.mark.parametrize(
    ("address", "mailbox"),
    [
        ("Ana.B+gem@Googlemail.com", "anab@gmail.com"),
        ("ana.b+gem@club.example", "ana.b@club.example"),
        ("+@club.example", "+@club.example"),
    ],
)
def test_a_mailbox_is_what_is_left_without_tags(address: str, mailbox: str) -> None:
    assert mailbox_of(address) == mailbox


def test_accounts_whose_mail_ends_in_one_mailbox_are_shown_with_the_reason(panel: Client) -> None:
    has_address("ana2", "ana.b+one@gmail.com")
    has_address("ben2", "anab@googlemail.com")
    has_address("cy2", "a.nab@club.example")
    told = look(panel)
    assert "ana2, ben2" in told
    assert "ana.b+one@gmail.com and anab@googlemail.com end in one mailbox, anab@gmail.com." in told
    assert "cy2" not in told


def test_an_address_that_nobody_has_proved_says_nothing(panel: Client) -> None:
    has_address("ana2", "ana+one@club.example")
    has_address("ben2", "ana@club.example", verified=False)
    assert NOBODY in look(panel)


def test_who_plays_nearly_only_with_one_and_loses_is_shown_with_figures(
    panel: Client, ana: User, ben: User
) -> None:
    for _ in range(LEAST_TOGETHER - 1):
        rate(ana, ben)
    assert NOBODY in look(panel)
    rate(ana, ben)
    rate(make_user("cy"), ben)
    assert "ben has played 6 of 7 rated matches with ana, who was ahead in 6." in look(panel)


def test_equals_who_play_much_and_players_of_private_clubs_are_not_shown(
    panel: Client, ana: User, ben: User
) -> None:
    club = make_club("Lake", ana)
    for _ in range(LEAST_TOGETHER // 2):
        rate(ana, ben)
        rate(ben, ana)
    cy, dee = make_user("cy"), make_user("dee")
    for _ in range(LEAST_TOGETHER):
        rate(cy, dee, club=club)
    assert NOBODY in look(panel)


def test_neither_bots_nor_the_readers_own_accounts_are_shown(panel: Client, ana: User) -> None:
    tin = open_bot(ana, "tin", now=clock.now())
    moderator = User.objects.get(username="mod")
    eva = make_user("eva")
    for _ in range(LEAST_TOGETHER):
        rate(ana, tin)
        rate(moderator, eva)
    assert NOBODY in look(panel)


def test_helpers_players_and_strangers_are_not_let_in() -> None:
    helper = signed_in(make_user("helper", role=Role.HELPER))
    assert helper.get(PAGE).status_code == 403
    assert PAGE not in read(helper.get("/admin/")).links
    for browser in (signed_in(make_user("dee")), Client()):
        assert browser.get(PAGE).url.startswith("/admin/login/")


def test_the_page_takes_no_query_for_each_pair(panel: Client) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            look(panel)
        return len(captured)

    def add_pair(number: int) -> None:
        pair = [has_address(f"{name}{number}", f"ana{number}+{name}@club.example") for name in ("ana", "ben")]
        for _ in range(LEAST_TOGETHER):
            rate(*pair)

    add_pair(1)
    before = queries()
    for number in (2, 3):
        add_pair(number)
    assert queries() == before
    assert PAGE in read(panel.get("/admin/")).links
