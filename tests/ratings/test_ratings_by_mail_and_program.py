"""Ratings by mail and by program, and tables that are rated or not, by each way of opening them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gemserver.accounts.models import User
from gemserver.clocks.control import TimeControl
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.actions.tables.join_table import fill_with_bots, join_table
from gemserver.matches.actions.tables.open_rematch import open_rematch
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.terms import Terms
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused
from gemserver.ratings import rating
from tests.api.programs import Program, code_of
from tests.builders import NOON, make_user
from tests.mailgate.posting import codes, one_line, sent_to, write
from tests.ratings.finished import changes_of, finish

pytestmark = pytest.mark.django_db


def _open(creator: User | None, **terms: object) -> Match:
    given = {"game": "florentine", "seats": 2, "options": {}, **terms}
    control = TimeControl.per_move(timedelta(days=3))
    return open_table(creator, Terms(time_control=control, **given), now=NOON)  # type: ignore[arg-type]


# --- Mail -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_ratings_come_by_mail_ones_own_and_anothers(players: list[User]) -> None:
    finish(players)
    rating.rate_all()
    assert codes(write(players[0], "ratings")) == ["done"]
    own = one_line(sent_to(players[0])[-1])
    assert "Ratings of ana: Florentine" in own
    assert "? ±19" in own
    write(players[0], "ratings BEN")
    assert "Ratings of ben:" in one_line(sent_to(players[0])[-1])
    write(players[0], "ratings zoe")
    assert "Nobody is called zoe;" in one_line(sent_to(players[0])[-1])


def test_who_has_none_is_told_so(ana: User) -> None:
    write(ana, "ratings")
    assert "ana has no rating yet" in one_line(sent_to(ana)[-1])


@pytest.mark.parametrize(
    ("words", "is_rated"), [("", True), ("rated=no", False), ("access=invited rated=yes", True)]
)
def test_a_table_opened_by_mail_says_if_it_is_rated(ana: User, words: str, is_rated: bool) -> None:
    write(ana, f"new gem {words}".strip())
    assert Match.objects.get().is_rated is is_rated


def test_a_choice_that_is_none_is_refused(ana: User) -> None:
    assert codes(write(ana, "new gem rated=perhaps")) == ["no-such-choice"]
    assert codes(write(ana, "new gem seats 3 bots=1 rated=yes")) == ["not-rateable"]
    assert not Match.objects.exists()


# --- Programs ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_programs_read_ratings(players: list[User]) -> None:
    match = finish(players)
    rating.rate_all()
    program = Program.of(players[0], "read")
    own = program.get("ratings").json()
    assert (own["name"], own["bot"]) == ("ana", False)
    (line,) = own["ratings"]
    assert (line["game"], line["matches"], line["provisional"]) == ("florentine", 1, True)
    assert program.get("players/ana/ratings").json() == program.get("players/Ana/ratings").json() == own
    assert program.get("players/Ana").json()["name"] == "ana", "as the other address takes the name"
    (bens,) = program.get("players/ben/ratings").json()["ratings"]
    assert bens["rating"] == changes_of(match)["ben"].after.number
    assert code_of(program.get("players/nobody/ratings")) == "no-such-player"
    assert program.get(f"matches/{match.code}").json()["rated"] is True


def test_programs_open_rated_tables_and_others(ana: User) -> None:
    program = Program.of(ana)
    for rated, is_rated in ((None, True), (True, True), (False, False)):
        body = {"game": "gem", "seats": 2, "rated": rated}
        code = program.post("tables", body).json()["match"]
        assert Match.objects.get(code=code).is_rated is is_rated
    refused = program.post("tables", {"game": "gem", "seats": 3, "bots": ["easy"], "rated": True})
    assert code_of(refused) == "not-rateable"


# --- Which tables are rated -------------------------------------------------------------------------


def test_usual_is_rated_where_people_join_freely(ana: User) -> None:
    assert _open(ana).is_rated
    assert not _open(ana, access=Match.Access.INVITED).is_rated
    assert not _open(ana, bots=[Seat.Bot.EASY]).is_rated
    assert not _open(ana, allows_bots=True).is_rated
    assert not _open(None).is_rated
    assert not _open(open_bot(ana, "Tin", now=NOON)).is_rated


@pytest.mark.parametrize(
    "terms", [{"bots": [Seat.Bot.EASY]}, {"allows_bots": True}, {"options": {"colours": "BA"}}]
)
def test_what_cannot_be_rated_is_refused(ana: User, terms: dict[str, object]) -> None:
    if "options" in terms:
        usual = _open(None).options.removeprefix("colours=")
        terms = {"options": {"colours": usual[::-1]}}
        assert not _open(ana, **terms).is_rated
    with pytest.raises(Refused) as refused:
        _open(ana, is_rated=True, **terms)
    assert refused.value.code == "not-rateable"


def test_a_bot_that_fills_the_table_ends_the_rating(ana: User) -> None:
    match = _open(ana)
    fill_with_bots(match.pk, Seat.Bot.EASY, by=ana, now=NOON)
    assert not Match.objects.get(pk=match.pk).is_rated


def test_a_person_at_a_table_of_bots_ends_the_rating(ana: User, ben: User) -> None:
    bots = [open_bot(ana, "Tin", now=NOON), open_bot(make_user("cy"), "Zinc", now=NOON)]
    match = _open(bots[0], is_rated=True, seats=3)
    join_table(match.pk, bots[1], now=NOON)
    assert Match.objects.get(pk=match.pk).is_rated
    join_table(match.pk, ben, now=NOON)
    assert not Match.objects.get(pk=match.pk).is_rated


@pytest.mark.slow
@pytest.mark.parametrize("is_rated", [True, False])
def test_a_rematch_is_rated_if_its_match_was(players: list[User], is_rated: bool) -> None:
    over = finish(players[:2])
    Match.objects.filter(pk=over.pk).update(is_rated=is_rated)
    assert open_rematch(over.pk, players[0], now=NOON).is_rated is is_rated
