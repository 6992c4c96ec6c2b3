"""Checking, repairing, exporting and importing matches by hand."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from games.record import read_record
from games.replay import replay as replay_record
from gemserver.lib.partitions import upkeep
from gemserver.matches import codec, records, replay
from gemserver.matches.models import Match, Move
from gemserver.matches.verify import first_difference
from gemserver.notify.models import OutboxMessage
from gemserver.notify.partitions import OUTBOX
from tests.builders import make_match, make_table, make_user, play, play_to_the_end, play_until
from tests.quick import one_in

pytestmark = pytest.mark.django_db

GAMES = ("gem", "jewellers", "florentine", "gembatan", "gemessengers")
RECORDS = sorted((Path(__file__).parents[2] / "games").glob("*/records/*.match"))
BOTS = ("--seat=A=bot:random", "--seat=B=bot:random", "--seat=C=bot:random")


def run(command: str, *arguments: str) -> tuple[str, str]:
    """The command's output, and the error that it ends with."""
    output = StringIO()
    try:
        call_command(command, *arguments, stdout=output)
    except CommandError as error:
        return output.getvalue(), str(error)
    return output.getvalue(), ""


def started(game: str = "gem", plies: int = 9) -> Match:
    return play_until(make_match(game, bots=2 if game == "gembatan" else 3), lambda match: match.ply >= plies)


def again(match: Match) -> Match:
    return Match.objects.get(pk=match.pk)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_what_was_played_verifies(game: str) -> None:
    make_table(game, seats=2)
    started(game, plies=5)
    play_to_the_end(make_match(game, bots=2))
    assert run("verify_matches") == ("2 matches: everything follows from their moves.\n", "")


def spoil_events(match: Match) -> None:
    move = match.moves.get(ply=5)
    move.events = [*move.events, {"kind": "bid", "seat": 0, "data": {}, "audience": None}]
    move.save()


def spoil_seal(match: Match) -> None:
    match.moves.filter(ply=4).update(is_sealed=True)


def spoil_position(match: Match) -> None:
    Match.objects.filter(pk=match.pk).update(position=codec.dump(replay.position_at(match, 3)))


def spoil_count(match: Match) -> None:
    Match.objects.filter(pk=match.pk).update(ply=match.ply + 1)


def spoil_waiting(match: Match) -> None:
    match.seats.filter(is_waiting=True).update(is_waiting=False, due_at=None)


def spoil_scores(match: Match) -> None:
    match.seats.filter(index=1).update(score=99)


def spoil_address(match: Match) -> None:
    match.seats.filter(index=1).update(token_hash="0" * 64)


SPOILED = [
    (spoil_events, "ply 5: the events differ"),
    (spoil_seal, "ply 4: whether it lies face down differs"),
    (spoil_position, "ply 9: the position differs"),
    (spoil_count, "ply 9: the match says that there are 10 moves"),
    (spoil_waiting, "ply 9: who is waited for differs"),
    (spoil_scores, "ply 9: the scores differ"),
    (spoil_address, "ply 9: a reply address differs"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("spoil", "expected"), SPOILED)
def test_the_first_ply_that_differs_is_named_and_rebuilding_makes_it_right(spoil, expected: str) -> None:
    good, bad = started(), started()
    before = (bad.position, list(bad.moves.values_list("events", flat=True)))
    spoil(bad)
    output, error = run("verify_matches")
    assert output == f"{bad.code} gem, {expected}\n"
    assert error == "1 of 2 matches differ; rebuild_match makes them right."
    assert run("verify_matches", good.code)[1] == ""
    assert run("rebuild_match", good.code) == (f"{good.code}: everything was right\n", "")
    assert run("rebuild_match", bad.code) == (f"{bad.code}: {expected}\n", "")
    assert run("verify_matches")[1] == ""
    bad = again(bad)
    assert (bad.position, list(bad.moves.values_list("events", flat=True))) == before


def test_what_differs_is_not_said_for_it_may_be_secret() -> None:
    bad = started("gemessengers")
    spoil_position(bad)
    output, error = run("verify_matches")
    assert bad.server_part not in output + error
    assert bad.position[:40] not in output + error


def test_a_move_that_is_not_possible_is_named_and_nothing_is_rebuilt() -> None:
    bad = started()
    bad.moves.filter(ply=6).update(text="bid 77")
    assert "ply 6: the move is not possible" in run("verify_matches")[0]
    error = run("rebuild_match", bad.code)[1]
    assert error.startswith(f"Move 6 of {bad.code} is not possible")
    assert again(bad).position == bad.position


def test_a_move_that_is_missing_is_named() -> None:
    bad = started()
    bad.moves.filter(ply=9).update(ply=10)
    assert "ply 9: the next move is number 10" in run("verify_matches")[0]
    assert "Move 9" in run("rebuild_match", bad.code)[1]


def test_a_part_that_was_changed_is_named() -> None:
    bad = started()
    Match.objects.filter(pk=bad.pk).update(server_part="0" * 64)
    assert "ply 0: the commitment does not fit" in run("verify_matches")[0]


def lose_mails() -> None:
    """As if none had ever been queued."""
    OutboxMessage.objects.all().delete()
    if upkeep.is_partitioned(OUTBOX) and OUTBOX.once:
        with connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {OUTBOX.once.table}")


def test_a_player_who_was_forgotten_is_asked_by_rebuilding() -> None:
    match = make_match(players=[make_user(name) for name in ("ana", "ben", "cy")])
    asked = match.seats.get(is_waiting=True)
    lose_mails()
    spoil_waiting(match)
    run("rebuild_match", match.code)
    [mail] = OutboxMessage.objects.filter(kind="turn")
    assert mail.user == asked.user
    assert match.seats.get(is_waiting=True).due_at is not None


def test_a_game_that_is_over_is_ended_by_rebuilding() -> None:
    match = play_to_the_end(make_match(bots=3))
    result = list(match.seats.values_list("score", "rank"))
    Match.objects.filter(pk=match.pk).update(status="running", ending="", finished_at=None)
    match.seats.update(rank=None)
    assert "the game is over and the match goes on" in run("verify_matches")[0]
    run("rebuild_match", match.code)
    assert again(match).is_over
    assert list(match.seats.values_list("score", "rank")) == result


@pytest.mark.parametrize("command", ["verify_matches", "rebuild_match", "export_match"])
def test_a_match_that_is_not_there_is_said(command: str) -> None:
    assert "M999" in run(command, "M999")[1]


def test_the_public_record_of_a_running_match_has_no_seed() -> None:
    match = started("gemessengers")
    output, _ = run("export_match", match.code)
    assert output == records.record_text(match)
    assert match.server_part not in output
    assert replay.seed(match) not in output


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_an_exported_match_that_runs_goes_on_elsewhere(game: str, tmp_path: Path) -> None:
    match = started(game, plies=5)  # six moves can end a match of Gembatan
    file = tmp_path / "match"
    file.write_text(run("export_match", match.code, "--with-seed")[0])
    seats = BOTS[: match.seat_count]
    output, error = run("import_match", str(file), *seats)
    assert error == ""
    copy = Match.objects.latest("pk")
    assert output == f"{copy.code} {game}, {copy.ply} moves, running\n"
    assert copy.position == again(match).position
    assert first_difference(copy) is None
    assert play_to_the_end(copy).position == play_to_the_end(again(match)).position
    assert run("verify_matches")[1] == ""


@pytest.mark.slow
def test_an_exported_match_that_is_over_comes_back_under_its_code(tmp_path: Path) -> None:
    """The use of a backup of records when nothing else is left."""
    match = play_to_the_end(make_match(players=[make_user("ana")], bots=2))
    code, text = match.code, run("export_match", match.code)[0]
    file = tmp_path / "match"
    file.write_text(text)
    assert "There is a match" in run("import_match", str(file), "--keep-code")[1]
    Match.objects.all().delete()
    output, error = run("import_match", str(file), "--keep-code", "--seat=A=ana", *BOTS[1:])
    assert error == ""
    assert output.startswith(f"{code} gem")
    assert run("export_match", code)[0] == text
    assert not OutboxMessage.objects.filter(created_at__gte=Match.objects.get().created_at).exists()
    assert make_match(bots=2).pk > match.pk


@pytest.mark.slow
@pytest.mark.parametrize("path", one_in(4, RECORDS), ids=lambda path: path.name)
def test_recorded_games_are_imported(path: Path) -> None:
    record = read_record(path.read_text())
    played = replay_record(record)
    seats = [f"--seat={chr(65 + index)}=bot:random" for index in range(len(record.players))]
    assert run("import_match", str(path), *seats)[1] == ""
    match = Match.objects.get()
    assert match.is_over == played.ended
    assert codec.dump(replay.position(match)) == codec.dump(played.state)
    assert first_difference(match) is None
    copy = read_record(run("export_match", match.code, "--with-seed")[0])
    assert replay_record(copy).refusal is None
    assert codec.dump(replay_record(copy).state) == codec.dump(played.state)


def test_a_line_that_is_not_possible_is_named_and_nothing_is_imported(tmp_path: Path) -> None:
    match = started()
    lines = run("export_match", match.code, "--with-seed")[0].splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("4 "))
    lines[place] = "4 A bid 77"
    file = tmp_path / "match"
    file.write_text("\n".join(lines))
    before = Match.objects.count(), Move.objects.count()
    assert run("import_match", str(file), *BOTS)[1].startswith(f"line {place + 1}: ")
    assert (Match.objects.count(), Move.objects.count()) == before


def refusals(match: Match) -> list[tuple[str, tuple[str, ...], str]]:
    text = run("export_match", match.code, "--with-seed")[0]
    return [
        (run("export_match", match.code)[0], BOTS, "the seed is not revealed yet"),
        (text, BOTS[:2], "nobody is named for seat C"),
        (text, ("--seat=A=nobody",), "There is no player nobody"),
        (text.replace("Seed: ", "Seed: 0")[: text.index("Seed:") + 71] + "\n", BOTS, "hex digits"),
        (
            text.replace(f"Match: {match.code}", "Match: M98765"),
            ("--keep-code", *BOTS),
            "Commitment: does not fit",
        ),
        (text.replace(f"Match: {match.code}\n", ""), ("--keep-code", *BOTS), "no code of ours"),
        ("hello", BOTS, "line 1"),
    ]


def test_what_cannot_be_imported_is_refused_with_a_reason(tmp_path: Path) -> None:
    match = started()
    file = tmp_path / "match"
    for text, arguments, expected in refusals(match):
        file.write_text(text)
        assert expected in run("import_match", str(file), *arguments)[1]
    file.write_bytes(b"\xff")
    assert "UTF-8" in run("import_match", str(file))[1]
    assert "No such file" in run("import_match", str(tmp_path / "none"))[1]
    assert Match.objects.count() == 1


def test_an_imported_match_says_so_and_asks_its_player(tmp_path: Path, client) -> None:
    ana = make_user("ana")
    match = play_until(make_match(bots=3), lambda match: match.ply >= 3)
    file = tmp_path / "match"
    file.write_text(run("export_match", match.code, "--with-seed")[0])
    letter = match.seats.get(is_waiting=True).letter
    seats = [f"--seat={name}=" + ("ana" if name == letter else "bot:random") for name in "ABC"]
    run("import_match", str(file), *seats, "--days=5")
    copy = Match.objects.latest("pk")
    seat = copy.seats.get(user=ana)
    assert seat.is_waiting
    assert seat.due_at - seat.prompted_at == timedelta(days=5)
    assert OutboxMessage.objects.get().user == ana
    legal = next(iter(copy.rules.legal_moves(replay.position(copy), seat.index)))
    play(copy, seat.index, copy.rules.write(legal), now=copy.started_at)
    page = client.get(copy.get_absolute_url()).content.decode()
    assert "An operator has imported the match from a record." in page


def test_the_deal_page_of_a_match_without_parts_promises_nothing(client) -> None:
    path = next(path for path in RECORDS if "Seed:" in path.read_text() or "Deal:" in path.read_text())
    record = read_record(path.read_text())
    run("import_match", str(path), *(f"--seat={chr(65 + i)}=bot:random" for i in range(len(record.players))))
    page = client.get(f"/m/{Match.objects.get().code}/deal/").content.decode()
    assert "imported from a record" in page


def test_verifying_asks_no_more_of_the_database_for_more_moves(django_assert_max_num_queries) -> None:
    match = started(plies=15)
    with django_assert_max_num_queries(16):
        first_difference(again(match))


@pytest.mark.parametrize("days", ["0", "-3", "1e9", "9999999999"])
def test_days_that_no_clock_can_have_are_refused_with_a_sentence(days: str) -> None:
    with pytest.raises(CommandError, match="write a number of days from 1 to 365"):
        call_command("import_match", "-", f"--days={days}")
