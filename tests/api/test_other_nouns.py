"""Tables, consent, sitters, talk, account: the same actions as on pages and in mails, each once under its key."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.people.add_channel import add_hook
from gemserver.matches.actions.play.adjudicate import adjudicate
from gemserver.matches.actions.play.submit import Actor, Request, submit
from gemserver.matches.models import Match, Move, Sitting
from gemserver.notify.models import Channel
from tests.api.programs import Program, code_of
from tests.builders import NOON, asked, make_match, make_table, make_user, play

pytestmark = pytest.mark.django_db


def ok(answer: Any) -> Any:
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_an_option_for_each_seat_says_so_and_smaller_tables_take_its_beginnings(ana: User) -> None:
    program = Program.of(ana)
    shown = {game["slug"]: game["options"] for game in program.get("games").json()["games"]}
    (colours,) = shown["florentine"]
    assert colours["per_seat"]
    assert not any(option["per_seat"] for option in shown["gem"])
    table = {"game": "florentine", "seats": 3, "options": {"colours": colours["values"][-1][:3]}}
    assert program.post("tables", table).status_code == 200


def test_two_programs_open_a_table_and_sit_down(ana: User, ben: User) -> None:
    first, second = Program.of(ana), Program.of(ben)
    body = {"game": "gem", "seats": 3, "options": {"pace": "table"}, "clock": "7d+1d", "bots": ["easy"]}
    code = ok(first.post("tables", body, key="a"))["match"]
    again = ok(first.post("tables", body, key="a"))
    assert again == {"match": code, "repeat": True}
    assert Match.objects.count() == 1
    (listed,) = ok(second.get("tables?game=gem"))["tables"]
    assert (listed["code"], listed["status"]) == (code, "open")
    assert ok(second.get("tables?game=florentine"))["tables"] == []
    table = ok(second.get(f"matches/{code}"))
    assert (table["asked"], table["view"], table["you"]) == (None, None, None)
    ok(second.post(f"tables/{code}/join", {"words": "mine"}))
    shown = ok(second.get(f"matches/{code}"))
    assert shown["status"] == "running"
    assert [person["kind"] for person in shown["seats"]] == ["person", "bot", "person"]
    assert shown["clock"]["increment"] == 86_400
    assert [match["code"] for match in ok(first.get("matches?status=running"))["matches"]] == [code]


def test_a_program_is_told_who_is_invited_and_who_was_before(ana: User, ben: User) -> None:
    table = make_table(seats=2, creator=ana, now=clock.now())
    program = Program.of(ana)
    body = {"whom": "BEN"}
    new = {"match": table.code, "invited": "ben", "already": False, "repeat": False}
    assert ok(program.post(f"tables/{table.code}/invite", body, key="1")) == new
    assert ok(program.post(f"tables/{table.code}/invite", body, key="1")) == {**new, "repeat": True}
    assert ok(program.post(f"tables/{table.code}/invite", body, key="2")) == {**new, "already": True}


def test_a_seat_is_given_back(ana: User, ben: User) -> None:
    table = make_table(seats=2, creator=ana, now=clock.now())
    program = Program.of(ben)
    ok(program.post(f"tables/{table.code}/join", {}))
    ok(program.post(f"tables/{table.code}/part", {"words": "some words"}))
    ok(program.post(f"tables/{table.code}/leave", key="out"))
    assert ok(program.post(f"tables/{table.code}/leave", key="out"))["repeat"]
    refused = program.post(f"tables/{table.code}/leave", key="again")
    assert (refused.status_code, code_of(refused)) == (403, "not-seated")
    refused = program.post(f"tables/{table.code}/cancel")
    assert code_of(refused) == "not-host"
    host = Program.of(ana)
    ok(host.post(f"tables/{table.code}/cancel"))
    assert [match["code"] for match in ok(host.get("matches?status=cancelled"))["matches"]] == [table.code]


def test_what_cannot_be_opened_is_refused_in_words(ana: User) -> None:
    program = Program.of(ana)
    assert code_of(program.post("tables", {"game": "chess"})) == "no-such-game"
    assert code_of(program.post("tables", {"game": "gem", "seats": 19})) == "wrong-seats"
    crowded = {"game": "gem", "seats": 2, "bots": ["easy", "easy"]}
    assert code_of(program.post("tables", crowded)) == "too-many-bots"
    assert code_of(program.post("tables", {"game": "gem", "options": {"a": "b"}})) == "no-such-option"
    assert code_of(program.post("tables", {"game": "gem", "clock": "9y"})) == "bad-clock"
    assert "7d+1d" in program.post("tables", {"game": "gem", "clock": "9y"}).json()["detail"]
    paced = program.post("tables", {"game": "gem", "options": {"pace": "brisk"}}).json()
    assert (paced["code"], "table, sealed" in paced["detail"]) == ("no-such-option", True)


def test_an_undo_is_asked_for_and_agreed_to(players: list[User]) -> None:
    match = make_match(players=players, server_part="7" * 64)
    seat = match.seats.get(is_waiting=True)
    play(match, seat.index, "bid 1")
    programs = {user.pk: Program.of(user) for user in players}
    assert seat.user_id
    ok(programs[seat.user_id].post(f"matches/{match.code}/undo"))
    others = [program for pk, program in programs.items() if pk != seat.user_id]
    shown = ok(others[0].get(f"matches/{match.code}"))["undo"]
    assert (shown["by"], shown["from_ply"]) == (seat.letter, 1)
    for program in others:
        ok(program.post(f"matches/{match.code}/undo/agree"))
    assert not match.moves.filter(voided_at=None).exists()
    log = ok(others[0].get(f"matches/{match.code}/log"))["lines"]
    assert any(line["taken_back"] for line in log)


def test_days_off_are_proposed_and_refused(players: list[User]) -> None:
    match = make_match(players=players, now=clock.now())
    first, second = Program.of(players[0]), Program.of(players[1])
    day = date.today() + timedelta(days=3)
    ok(first.post(f"matches/{match.code}/holiday", {"first": str(day), "last": str(day)}))
    shown = ok(second.get(f"matches/{match.code}"))["holiday"]
    assert (shown["by"], shown["agreed"], shown["first"]) == ("A", ["A"], str(day))
    ok(second.post(f"matches/{match.code}/holiday/refuse"))
    assert ok(first.get(f"matches/{match.code}"))["holiday"] is None
    assert code_of(first.post(f"matches/{match.code}/holiday/agree")) == "no-proposal"


def test_nothing_is_proposed_any_more_when_the_match_ends(players: list[User]) -> None:
    match = make_match(players=players, server_part="7" * 64, now=clock.now())
    seat = asked(match)
    assert seat.user
    programs = {user.pk: Program.of(user) for user in players}
    play(match, seat.index, "bid 1", now=clock.now())
    mine = programs[seat.user.pk]
    day = clock.now().date()
    ok(mine.post(f"matches/{match.code}/undo"))
    ok(mine.post(f"matches/{match.code}/holiday", {"first": str(day), "last": str(day)}))
    adjudicate(match.pk, (), "A test.", now=clock.now())
    for program in programs.values():
        shown = ok(program.get(f"matches/{match.code}"))
        assert (shown["undo"], shown["holiday"]) == (None, None)


def test_a_sitter_plays_until_the_sitting_ends(players: list[User]) -> None:
    match = make_match(players=players, server_part="7" * 64, now=clock.now())
    seat = match.seats.get(is_waiting=True)
    dee = make_user("dee")
    assert seat.user
    owner, sitter = Program.of(seat.user), Program.of(dee)
    today = clock.now().astimezone(seat.user.zone).date()
    days = {"first": str(today), "last": str(today + timedelta(days=3))}
    ok(owner.post(f"matches/{match.code}/sitter", {"name": "dee", **days}))
    assert ok(sitter.get("turns"))["turns"] == []
    ok(sitter.post(f"matches/{match.code}/sitter/agree"))
    (turn,) = ok(sitter.get("turns"))["turns"]
    assert turn["role"] == "sitter"
    (shown,) = ok(sitter.get("sittings"))["sittings"]
    assert (shown["player"], shown["agreed"]) == (seat.user.username, True)
    assert ok(sitter.get(f"matches/{match.code}"))["you"]["role"] == "sitter"
    refused = sitter.post(f"matches/{match.code}/say", {"text": "hello"})
    assert (refused.status_code, code_of(refused)) == (403, "not-seated")
    move = {"text": "bid 1", "prompt_ply": turn["prompt_ply"]}
    ok(sitter.post(f"matches/{match.code}/move", move, key="mine"))
    assert Move.objects.get().actor == dee
    ok(owner.post(f"matches/{match.code}/sitter/end"))
    assert Sitting.objects.get().ended_at
    late = sitter.post(f"matches/{match.code}/move", move, key="mine")
    assert code_of(late) == "not-seated", "an earlier result is for who may act now"


def test_notes_are_their_writers_alone(players: list[User]) -> None:
    match = make_match(players=players)
    first, second = Program.of(players[0]), Program.of(players[1])
    ok(first.post(f"matches/{match.code}/note", {"text": "Ben likes rubies"}))
    assert ok(first.get(f"matches/{match.code}/note"))["text"] == "Ben likes rubies"
    assert ok(second.get(f"matches/{match.code}/note"))["text"] == ""
    stranger = Program.of(make_user("dee"))
    assert code_of(stranger.get(f"matches/{match.code}/note")) == "not-seated"
    assert code_of(stranger.get(f"matches/{match.code}/talk")) == "not-seated"


def test_a_plan_plays_when_its_turn_comes_and_nobody_else_reads_it(players: list[User]) -> None:
    match = make_match(players=players, server_part="7" * 64)
    asked = match.seats.get(is_waiting=True)
    next_seat = match.seats.get(index=(asked.index + 1) % 3)
    assert next_seat.user
    program = Program.of(next_seat.user)
    kept = ok(program.post(f"matches/{match.code}/plan", {"text": "bid 3 else pass"}, key="p"))
    assert kept["moves"] == []
    assert ok(program.post(f"matches/{match.code}/plan", {"text": "bid 3 else pass"}, key="p"))["repeat"]
    assert "bid 3" in ok(program.get(f"matches/{match.code}"))["plan"]["lines"]
    assert asked.user
    assert ok(Program.of(asked.user).get(f"matches/{match.code}"))["plan"] is None
    submit(Request(match.code, Actor.player(asked.user), "bid 1", Move.Source.WEB, "w"), now=clock.now())
    assert Move.objects.get(ply=2).text == "bid 3"
    ok(program.post(f"matches/{match.code}/plan/clear"))


def test_a_player_resigns_once(players: list[User]) -> None:
    match = make_match(players=players[:2])
    program = Program.of(players[0])
    ok(program.post(f"matches/{match.code}/resign", key="r"))
    assert ok(program.post(f"matches/{match.code}/resign", key="r"))["repeat"]
    assert Match.objects.get().status == Match.Status.FINISHED
    record = ok(program.get(f"matches/{match.code}/record"))["record"]
    assert "resign" in record


def test_settings_are_set_and_shown(ana: User) -> None:
    program = Program.of(ana)
    hours = {"zone": "Europe/Paris", "quiet": {"start": "22:00", "end": "07:00"}}
    ok(program.post("account/hours", hours))
    ok(program.post("account/reminders", {"minutes": [60, 1440]}))
    ok(program.post("account/mail", {"mode": "digest", "digest_at": "08:30", "receipts": "none"}))
    ok(program.post("account/channels", {"kind": "talk", "channel": "web"}))
    day = date.today() + timedelta(days=40)
    ok(program.post("account/vacation", {"first": str(day), "last": str(day)}))
    ok(program.post("account/name", {"name": "anna"}))
    ok(program.post("account/snooze", {"minutes": 60}))
    shown = ok(program.get("account"))
    assert (shown["name"], shown["zone"], shown["quiet"]) == ("anna", "Europe/Paris", hours["quiet"])
    assert (shown["reminders"], shown["mail"], shown["receipts"]) == ([1440, 60], "digest", "none")
    assert shown["vacations"] == [{"first": str(day), "last": str(day)}]
    assert shown["scopes"] == ["read", "play", "talk", "account"]
    ok(program.post("account/vacation/end"))
    assert code_of(program.post("account/hours", {"zone": "Nowhere"})) == "no-such-zone"


def test_no_page_of_a_list_skips_or_repeats_while_others_come_and_go(ana: User) -> None:
    """Tables are opened and cancelled between the pages: those that stay are each told once."""
    program = Program.of(ana)
    stay = [make_table(seats=2, now=clock.now()).code for _ in range(120)]
    seen: list[str] = []
    cursor = ""
    while True:
        page = ok(program.get(f"tables?cursor={cursor}" if cursor else "tables"))
        seen += [table["code"] for table in page["tables"]]
        make_table(seats=2, now=clock.now())
        gone = Match.objects.exclude(code__in=stay).order_by("pk").first()
        if gone:
            gone.delete()
        cursor = page["next"]
        if cursor is None:
            break
    assert [code for code in seen if code in stay] == stay[::-1]
    assert len(seen) == len(set(seen))


def test_a_program_chooses_a_channel_and_learns_no_address(ana: User) -> None:
    add_hook(ana, Channel.Kind.SLACK, "club", url="https://hooks.example.org/services/mark", now=clock.now())
    program = Program.of(ana, "account")
    ok(program.post("account/told-by", {"way": "club"}))
    shown = program.get("account/channels")
    assert ok(shown)["told_by"] == "club"
    assert [(each["name"], each["kind"], each["on"]) for each in ok(shown)["channels"]] == [
        ("club", "slack", True)
    ]
    assert "example" not in shown.content.decode()
    ok(program.post("account/channels/switch", {"name": "club", "on": False}))
    assert ok(program.get("account/channels"))["channels"][0]["why_off"] == "owner"
    assert code_of(program.post("account/told-by", {"way": "club"})) == "channel-off"
    assert code_of(program.post("account/told-by", {"way": "none"})) == "no-such-channel"
    assert Program.of(ana, "read", "play", "talk").get("account/channels").status_code == 403


def test_a_table_gets_bots_and_an_invitation_is_taken_back(ana: User, ben: User) -> None:
    host = Program.of(ana)
    code = ok(host.post("tables", {"game": "gem", "seats": 4}))["match"]
    ok(host.post(f"tables/{code}/invite", {"whom": ben.username}))
    assert code_of(host.post(f"tables/{code}/uninvite", {"whom": "cy@example.org"})) == "no-invitation"
    ok(host.post(f"tables/{code}/uninvite", {"whom": ben.username}))
    assert ok(Program.of(ben).get("invitations"))["invitations"] == []
    assert code_of(host.post(f"tables/{code}/bots", {"number": 4})) == "too-many-bots"
    ok(host.post(f"tables/{code}/bots", {"number": 1, "strength": "normal"}))
    ok(host.post(f"tables/{code}/bots", {}))
    match = Match.objects.get(code=code)
    assert match.is_running
    assert sorted(seat.bot for seat in match.read_seats()) == ["", "easy", "easy", "normal"]


def test_a_program_opens_the_rematch_once(ana: User, ben: User) -> None:
    over = make_match(players=[ana, ben])
    program = Program.of(ana)
    assert code_of(program.post(f"matches/{over.code}/rematch")) == "not-over"
    Match.objects.filter(pk=over.pk).update(status=Match.Status.FINISHED, finished_at=NOON)
    code = ok(program.post(f"matches/{over.code}/rematch", key="a"))["match"]
    again = ok(program.post(f"matches/{over.code}/rematch", key="a"))
    assert (again["match"], again["repeat"]) == (code, True)
    assert ok(Program.of(ben).post(f"matches/{over.code}/rematch"))["match"] == code
    assert Match.objects.get(code=code).rematch_of == over
