"""The page of the deal and the record: secrets appear only at the end, and can be checked then."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import translation

from games import deal
from games.record import read_record
from games.verify import verify
from gemserver.matches import replay
from gemserver.matches.models import Match, Move
from tests.builders import make_match, make_table, make_user, play_to_the_end, play_until
from tests.site.pages import read

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    return play_until(make_match(players=[make_user("ana")], bots=2), lambda reached: reached.ply >= 5)


def download(match: Match) -> str:
    response = Client().get(f"/m/{match.code}/record.match")
    assert response.status_code == 200
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["Content-Disposition"] == f'attachment; filename="{match.code}.match"'
    return response.content.decode()


def test_the_record_of_a_running_match_has_the_commitment_and_no_seed(match: Match) -> None:
    text = download(match)
    record = read_record(text)
    assert (record.match, record.commitment, record.seed) == (match.code, match.commitment, None)
    assert record.result is None
    assert len(record.moves) == match.ply
    assert match.server_part not in text


@pytest.mark.slow
def test_the_record_of_a_finished_match_can_be_verified(match: Match) -> None:
    match = play_to_the_end(match)
    record = read_record(download(match))
    assert record.seed == replay.seed(match)
    assert record.server_part == match.server_part
    assert record.ending == "played out"
    assert list(verify(record).scores) == [seat.score for seat in match.seats.all()]


def test_the_record_says_how_moves_came_about_and_is_the_same_in_every_language(match: Match) -> None:
    match.moves.filter(ply=1).update(source=Move.Source.CLOCK)
    with translation.override("fr"):
        french = download(match)
    assert french == download(match)
    assert "; clock" in french
    assert "; web" not in french


def test_the_deal_page_tells_the_secret_only_when_the_match_is_over(match: Match) -> None:
    page = read(Client().get(f"/m/{match.code}/deal/"))
    assert match.commitment in page.text
    for seat in match.seats.all():
        assert seat.part in page.text
    assert match.server_part not in page.text
    match = play_to_the_end(match)
    page = read(Client().get(f"/m/{match.code}/deal/"))
    assert match.server_part in page.text
    covered = f"{match.code}|{match.game} {match.rules_version}|{match.options}|"
    assert covered in page.text
    assert deal.commitment(match.code, "gem", 1, match.options, match.server_part) == match.commitment


def test_a_table_has_its_commitment_before_anybody_joins() -> None:
    table = make_table(seats=2)
    page = read(Client().get(f"/m/{table.code}/deal/"))
    assert table.commitment in page.text
    assert table.server_part not in page.text
    assert Client().get(f"/m/{table.code}/record.match").status_code == 404


def test_a_cancelled_table_shows_its_secret() -> None:
    table = make_table(seats=2)
    Match.objects.filter(pk=table.pk).update(status=Match.Status.CANCELLED)
    assert table.server_part in read(Client().get(f"/m/{table.code}/deal/")).text
    assert "was cancelled" in read(Client().get(f"/m/{table.code}/")).text
