"""The open archive: whose matches are in it, what a row says of people, and when a file is built anew."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest

from games.archive import Row, check, read_rows
from gemserver.accounts.models import User
from gemserver.archive import build
from gemserver.archive.models import ArchiveFile
from gemserver.archive.naming import set_named
from gemserver.clubs.models import Club
from gemserver.events.actions.start_season import start_season
from gemserver.inbox.erasure import erase
from gemserver.matches import replay
from gemserver.matches.actions.talk.say import say
from gemserver.matches.models import Match, Move, Seat
from tests.builders import NOON, make_match, make_user, play_to_the_end
from tests.events.leagues import make_event, make_players, play_all, season_of

pytestmark = pytest.mark.django_db

MARCH = date(2026, 3, 1)
APRIL = datetime(2026, 4, 1, 0, 30, tzinfo=UTC)
GAMES = ("gem", "gemessengers", "jewellers")


def finish(*players: User, game: str = "gem", **terms: object) -> Match:
    """A match that these players have finished on the 6th of March."""
    return play_to_the_end(make_match(game, players=list(players), **terms))  # type: ignore[arg-type]


def rows(month: date = MARCH) -> list[Row]:
    files = ArchiveFile.objects.filter(month=month).order_by("part")
    return [row for file in files for row in read_rows(io.BytesIO(file.content))]


def lines() -> str:
    """Everything that stands in the files, uncompressed."""
    return "".join(gzip.decompress(file.content).decode() for file in ArchiveFile.objects.all())


@pytest.mark.slow
def test_a_month_is_built_when_it_is_over_and_every_row_replays(ana: User, ben: User) -> None:
    played = [finish(ana, ben, game=game) for game in GAMES]
    assert build.build_due(NOON) == 0
    assert build.build_due(APRIL) == 1
    found = rows()
    assert sorted(row.record.game for row in found) == sorted(GAMES)
    assert [row.number for row in found] == [1, 2, 3]
    for row in found:
        match = next(match for match in played if match.game == row.record.game)
        assert check(row).ply == match.ply
        assert row.record.result == tuple(seat.score for seat in match.seats.order_by("index"))
    assert build.build_due(APRIL + timedelta(hours=1)) == 0


@pytest.mark.slow
def test_a_row_leads_back_to_nobody(ana: User, ben: User) -> None:
    match = finish(ana, ben, options={"pace": "sealed"})
    say(match.pk, ana, "a word at the table", request_id="said", now=NOON)
    build.build_due(APRIL)
    text, match = lines(), Match.objects.get(pk=match.pk)
    secrets = [match.code, match.commitment, match.server_part, "a word at the table", "2026", "ana", "ben"]
    secrets += [seat.part for seat in match.seats.all()]
    secrets += [order.hash for order in match.sealed_orders.all() if order.hash]
    assert [secret for secret in secrets if secret in text] == []
    assert len(rows()) == 1


@pytest.mark.slow
def test_who_agrees_is_named_and_others_have_one_number_each_month(ana: User, ben: User) -> None:
    set_named(ana, is_named=True)
    finish(ana, ben)
    finish(ana, ben, game="jewellers")
    build.build_due(APRIL)
    for row in rows():
        assert sorted(player.shown for player in row.players) == ["ana", "player 1"]
        assert sorted(row.record.players) == ["ana", "player 1"]


def test_a_bot_of_a_player_is_named_with_its_owner_and_marked(ana: User, ben: User) -> None:
    tin = User.objects.create(username="tin", owner=ana)
    match = finish(ana, ben)
    Seat.objects.filter(match=match, user=ana).update(user=tin)
    build.build_due(APRIL)
    assert [player.is_program for player in rows()[0].players].count(True) == 1
    assert "tin" not in lines()
    set_named(ana, is_named=True)
    assert build.build_due(APRIL) == 1
    assert {"name": "tin", "program": True} in json.loads(lines())["players"]
    assert "tin (bot)" in rows()[0].record.players


@pytest.mark.parametrize("leave", ["takes it back", "erases the account", "is banned, until the file is old"])
def test_who_no_longer_agrees_is_gone_from_the_next_build(ana: User, ben: User, leave: str) -> None:
    set_named(ana, is_named=True)
    finish(ana, ben)
    build.build_due(APRIL)
    assert "ana" in lines()
    later = APRIL + timedelta(hours=1)
    if leave == "takes it back":
        set_named(ana, is_named=False)
    elif leave == "erases the account":
        erase(ana, now=NOON)
    else:
        User.objects.filter(pk=ana.pk).update(is_active=False)
        later += build.KEPT
    assert build.build_due(later) == 1
    assert "ana" not in lines()
    assert len(rows()) == 1


Change = Callable[[Match], object]


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        lambda match: Match.objects.filter(pk=match.pk).update(access=Match.Access.INVITED),
        lambda match: Match.objects.filter(pk=match.pk).update(dealt_by={"seed": "0" * 64}),
        lambda match: Match.objects.filter(pk=match.pk).update(
            club=Club.objects.create(name="Lake", slug="lake", is_private=True, created_at=NOON)
        ),
        lambda match: User.objects.filter(username="ben").update(is_guest=True),
        lambda match: Match.objects.filter(pk=match.pk).update(finished_at=APRIL),
        lambda match: match.seats.update(user=None, bot="easy"),
    ],
    ids=["by invitation", "imported", "of a private club", "of a guest", "of another month", "of bots alone"],
)
def test_what_is_not_everybodys_business_is_not_in_it(ana: User, ben: User, change: Change) -> None:
    match = finish(ana, ben)
    change(match)
    build.build_month(MARCH, now=APRIL)
    assert rows() == []
    assert not ArchiveFile.objects.exists()


@pytest.mark.slow
def test_a_match_of_an_event_is_in_it_though_only_its_players_could_join(ana: User, ben: User) -> None:
    olga = make_user("olga")
    event = make_event(olga, [ana, ben, *make_players(2)], game="gem", seats=2)
    start_season(season_of(event).pk, by=olga, now=NOON)
    play_all(season_of(event), now=NOON)
    build.build_month(MARCH, now=APRIL)
    assert rows()


@pytest.mark.slow
def test_a_large_month_has_several_files(ana: User, ben: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "MOST_IN_FILE", 2)
    for game in GAMES:
        finish(ana, ben, game=game)
    build.build_due(APRIL)
    files = ArchiveFile.objects.order_by("part")
    assert [(file.name, file.matches) for file in files] == [
        ("gemserver-2026-03.jsonl.gz", 2),
        ("gemserver-2026-03-2.jsonl.gz", 1),
    ]
    assert [row.number for row in rows()] == [1, 2, 3]


def test_matches_of_a_club_that_becomes_private_are_gone_within_the_hour(ana: User, ben: User) -> None:
    club = Club.objects.create(name="Lake", slug="lake", is_private=False, created_at=NOON)
    Match.objects.filter(pk=finish(ana, ben).pk).update(club=club)
    build.build_due(APRIL)
    assert len(rows()) == 1
    Club.objects.update(is_private=True)
    assert build.build_due(APRIL + timedelta(hours=1)) == 1
    assert rows() == []
    assert build.build_due(APRIL + timedelta(hours=2)) == 0


@pytest.mark.slow
def test_a_match_that_comes_hides_none_that_goes(ana: User, ben: User) -> None:
    """The number of matches is the same before and after."""
    shown, hidden = finish(ana, ben), finish(ana, ben)
    Match.objects.filter(pk=hidden.pk).update(access=Match.Access.INVITED)
    build.build_due(APRIL)
    Match.objects.filter(pk=shown.pk).update(access=Match.Access.INVITED)
    Match.objects.filter(pk=hidden.pk).update(access=Match.Access.ANYONE)
    assert build.build_due(APRIL + timedelta(hours=1)) == 1
    assert rows()[0].record.seed == replay.seed(hidden)


def test_a_match_that_does_not_replay_keeps_no_name_in_the_archive(ana: User, ben: User) -> None:
    """It is left out, and all others of its month are built as ever."""
    set_named(ana, is_named=True)
    damaged, sound = finish(ana, ben), finish(ana, ben, game="jewellers")
    assert build.build_due(APRIL) == 1
    Move.objects.filter(match=damaged, ply=1).update(source=Move.Source.CLOCK, text="bid 99")
    erase(ana, now=NOON)
    assert build.build_due(APRIL + timedelta(hours=1)) == 1
    assert [row.record.game for row in rows()] == [sound.game]
    assert "ana" not in lines()
    assert build.build_due(APRIL + timedelta(hours=2)) == 0


def test_a_month_that_cannot_be_built_keeps_no_name_in_another(
    ana: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_named(ana, is_named=True)
    finish(ana, ben)
    Match.objects.update(finished_at=NOON - timedelta(days=20))
    finish(ana, ben)
    assert build.build_due(APRIL) == 2
    erase(ana, now=NOON)
    build_month = build.build_month

    def fail_in_february(month: date, *, now: datetime) -> list[ArchiveFile]:
        if month.month == 2:
            raise OSError
        return build_month(month, now=now)

    monkeypatch.setattr(build, "build_month", fail_in_february)
    assert build.build_due(APRIL + timedelta(hours=1)) == 1
    assert [player.shown for row in rows() for player in row.players] == ["player 1", "player 2"]


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.slow
def test_who_leaves_while_a_file_is_built_is_gone_within_the_hour(
    ana: User, ben: User, is_first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish(ana, ben)
    set_named(ana, is_named=True)
    if not is_first:
        build.build_due(APRIL)
        set_named(ben, is_named=True)
    written = build.write_rows

    def write_and_be_erased(rows: list[Row], file: io.BytesIO) -> int:
        found = written(rows, file)
        erase(User.objects.get(pk=ana.pk), now=NOON)
        return found

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(build, "write_rows", write_and_be_erased)
        build.build_due(APRIL)
    assert build.build_due(APRIL + timedelta(hours=1)) == 1
    assert '"ana"' not in lines()
    assert build.build_due(APRIL + timedelta(hours=2)) == 0


def test_the_same_matches_make_the_same_file(ana: User, ben: User) -> None:
    finish(ana, ben)
    build.build_month(MARCH, now=APRIL)
    before = ArchiveFile.objects.get().sha256
    build.build_month(MARCH, now=APRIL + timedelta(days=1))
    assert ArchiveFile.objects.get().sha256 == before
