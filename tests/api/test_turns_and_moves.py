"""The first things that a program does: its turns, a match, a move."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from gemserver.accounts.models import User
from gemserver.api.document import document
from gemserver.clubs.models import Club
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.models import ChatMessage, Match, Move
from tests.api.programs import Program, code_of
from tests.builders import NOON, make_match, make_table, make_user, play

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(players: list[User]) -> Match:
    return make_match(players=players, server_part="7" * 64)


@pytest.fixture
def asked(match: Match) -> Program:
    """The program of the player who is asked first."""
    seat = match.seats.get(is_waiting=True)
    assert seat.user
    return Program.of(seat.user)


def waiting(match: Match) -> Program:
    """The program of a player who is not asked."""
    seat = match.seats.filter(is_waiting=False).first()
    assert seat
    assert seat.user
    return Program.of(seat.user)


def test_a_program_finds_its_turn_and_plays_it(match: Match, asked: Program) -> None:
    (turn,) = asked.get("turns").json()["turns"]
    assert turn["match"] == match.code
    assert turn["role"] == "player"
    seen = asked.get(f"matches/{match.code}").json()
    assert seen["you"]["role"] == "player"
    assert seen["asked"]["prompt_ply"] == turn["prompt_ply"]
    move = seen["asked"]["moves"][0]
    played = asked.post(f"matches/{match.code}/move", {"text": move, "prompt_ply": turn["prompt_ply"]})
    assert played.status_code == 200, played.content
    assert played.json()["moves"] == [{"ply": 1, "seat": seen["you"]["seat"], "text": move}]
    assert Move.objects.get(ply=1).source == Move.Source.API
    assert asked.get("turns").json()["turns"] == []


def test_nothing_new_costs_no_body(match: Match, asked: Program) -> None:
    first = asked.get("turns")
    again = asked.get("turns", **{"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    play(match, match.seats.get(is_waiting=True).index, "bid 1")
    other = asked.get("turns", **{"If-None-Match": first["ETag"]})
    assert other.status_code == 200


def test_the_document_names_the_headers_that_a_program_goes_by(match: Match, asked: Program) -> None:
    known = asked.get("turns")
    answers = [
        known,
        asked.get("turns", **{"If-None-Match": known["ETag"]}),
        asked.get("turns", Authorization="Bearer gem_nobody"),
        asked.get("turns", Accept="text/html"),
        asked.get("matches/M999"),
    ]
    made = document()
    for answer in answers:
        described = made["paths"]["/api/v1/turns"]["get"]["responses"][str(answer.status_code)]
        if "$ref" in described:
            described = made["components"]["responses"][described["$ref"].rpartition("/")[2]]
        looked_at = {"ETag", "RateLimit", "RateLimit-Policy"}
        assert looked_at & set(answer.headers) == looked_at & set(described["headers"]), answer.status_code
    assert "Preference-Applied" in made["paths"]["/api/v1/turns"]["get"]["responses"]["304"]["headers"]


def test_the_tag_of_a_match_does_not_tell_what_its_reader_may_not_know(
    match: Match, players: list[User]
) -> None:
    reader = waiting(match)
    before = reader.get(f"matches/{match.code}")["ETag"]
    holder = match.seats.get(is_waiting=True).user
    assert holder
    Program.of(holder).post(f"matches/{match.code}/plan", {"text": "bid 2"}, key="p")
    assert match.plans.exists() or match.moves.exists()
    if not match.moves.exists():
        assert reader.get(f"matches/{match.code}")["ETag"] == before


def test_a_move_sent_twice_is_played_once(match: Match, asked: Program) -> None:
    body = {"text": "bid 1", "prompt_ply": 1}
    first = asked.post(f"matches/{match.code}/move", body, key="one")
    again = asked.post(f"matches/{match.code}/move", body, key="one")
    assert (first.json()["repeat"], again.json()["repeat"]) == (False, True)
    assert first.json()["moves"] == again.json()["moves"]
    assert match.moves.count() == 1


def test_a_key_names_one_request_only(match: Match, asked: Program) -> None:
    asked.post(f"matches/{match.code}/move", {"text": "bid 1", "prompt_ply": 1}, key="one")
    other = asked.post(f"matches/{match.code}/move", {"text": "bid 2", "prompt_ply": 1}, key="one")
    assert (other.status_code, code_of(other)) == (422, "key-reused")
    assert match.moves.count() == 1


def test_the_order_of_members_is_no_other_body(match: Match, asked: Program) -> None:
    asked.post(f"matches/{match.code}/move", {"text": "bid 1", "prompt_ply": 1}, key="one")
    again = asked.post(f"matches/{match.code}/move", {"prompt_ply": 1, "text": "bid 1"}, key="one")
    assert again.json()["repeat"]


def test_a_refused_move_does_not_use_its_key_up(match: Match, asked: Program) -> None:
    refused = asked.post(f"matches/{match.code}/move", {"text": "bid 999", "prompt_ply": 1}, key="one")
    assert refused.status_code == 422
    played = asked.post(f"matches/{match.code}/move", {"text": "bid 1", "prompt_ply": 1}, key="one")
    assert played.status_code == 200


def test_a_move_without_a_key_is_not_played(match: Match, asked: Program) -> None:
    answer = asked.client.post(
        f"/api/v1/matches/{match.code}/move",
        {"text": "bid 1", "prompt_ply": 1},
        content_type="application/json",
        headers={"Authorization": f"Bearer {asked.token}"},
    )
    assert (answer.status_code, code_of(answer)) == (422, "misfit")
    assert answer.json()["errors"][0]["in"] == "header"
    assert not match.moves.exists()


def test_a_move_for_an_old_question_is_stale(match: Match, asked: Program) -> None:
    late = asked.post(f"matches/{match.code}/move", {"text": "bid 1", "prompt_ply": 0})
    assert (late.status_code, code_of(late)) == (409, "stale")


def test_others_do_not_move(match: Match) -> None:
    body = {"text": "bid 1", "prompt_ply": 0}
    early = waiting(match).post(f"matches/{match.code}/move", body)
    assert (early.status_code, code_of(early)) == (409, "not-your-turn")
    stranger = Program.of(make_user("dee")).post(f"matches/{match.code}/move", body)
    assert (stranger.status_code, code_of(stranger)) == (403, "not-seated")
    nowhere = Program.of(make_user("eli")).post("matches/M99999/move", body)
    assert (nowhere.status_code, code_of(nowhere)) == (404, "no-such-match")


def test_a_private_clubs_match_is_not_there_for_who_would_move_in_it(match: Match) -> None:
    club = Club.objects.create(slug="owls", name="Owls", is_private=True, created_at=NOON)
    Match.objects.filter(pk=match.pk).update(club=club)
    body = {"text": "bid 1", "prompt_ply": 0}
    stranger = Program.of(make_user("dee")).post(f"matches/{match.code}/move", body)
    assert (stranger.status_code, code_of(stranger)) == (404, "no-such-match")


def test_a_program_finds_matches_to_watch(match: Match, players: list[User]) -> None:
    """Those that the page *Matches* lists: no tables, no practice of guests, nothing of private clubs."""
    other = make_match("jewellers", players=players, now=NOON)
    make_table(seats=3, creator=players[0])
    watcher = Program.of(make_user("dee"))

    def listed(query: str) -> list[str]:
        return [found["code"] for found in watcher.get(f"matches?{query}").json()["matches"]]

    assert listed("") == []
    assert listed("mine=false&cursor=") == [other.code, match.code], "an empty cursor is the first page"
    assert listed("mine=false") == listed("mine=false&status=running") == [other.code, match.code]
    assert listed("mine=false&game=gem") == [match.code]
    assert listed("mine=false&status=open") == listed("mine=false&status=finished") == []
    club = Club.objects.create(slug="owls", name="Owls", is_private=True, created_at=NOON)
    Match.objects.filter(pk=match.pk).update(club=club)
    User.objects.filter(pk=players[0].pk).update(is_guest=True)
    Match.objects.filter(pk=other.pk).update(created_by=players[0])
    assert listed("mine=false") == []


def test_an_earlier_result_is_not_given_to_who_has_left_the_seat(match: Match, asked: Program) -> None:
    body = {"text": "bid 1", "prompt_ply": 1}
    asked.post(f"matches/{match.code}/move", body, key="one")
    user = User.objects.get(pk=Move.objects.get().actor_id)
    resign(match.pk, user, source=Move.Source.WEB, request_id="r", now=NOON)
    again = asked.post(f"matches/{match.code}/move", body, key="one")
    assert (again.status_code, code_of(again)) == (403, "not-seated")


def test_refusals_speak_the_language_of_the_account(match: Match, asked: Program) -> None:
    seat = match.seats.get(is_waiting=True)
    User.objects.filter(pk=seat.user_id).update(language="de")
    late = asked.post(f"matches/{match.code}/move", {"text": "bid 1", "prompt_ply": 0})
    assert late["Content-Language"] == "de"
    assert "Zug" in late.json()["detail"]


def test_a_preview_changes_nothing(match: Match, asked: Program) -> None:
    seen = asked.post(f"matches/{match.code}/preview", {"text": "bid 1", "prompt_ply": 1})
    assert seen.status_code == 200
    assert seen.json()["text"] == "bid 1"
    assert not match.moves.exists()


def test_the_steps_lead_to_a_legal_move(match: Match, asked: Program) -> None:
    seen = asked.get(f"matches/{match.code}").json()
    steps = asked.get(f"matches/{match.code}/steps").json()
    assert {step["text"] for step in steps["steps"] if step["complete"]} <= set(seen["asked"]["moves"])
    assert waiting(match).get(f"matches/{match.code}/steps").json() == {"prompt_ply": None, "steps": []}


def test_the_log_tells_what_was_said_and_played(match: Match, asked: Program) -> None:
    asked.post(f"matches/{match.code}/move", {"text": "bid 1", "prompt_ply": 1})
    log = waiting(match).get(f"matches/{match.code}/log").json()
    assert log["ply"] == 1
    assert any(line["ply"] == 1 and "1" in line["text"] for line in log["lines"])
    assert waiting(match).get(f"matches/{match.code}/log?after=1").json()["lines"] == [
        line for line in log["lines"] if line["ply"] > 1
    ]


@pytest.mark.slow
def test_talk_is_said_once_and_read_in_pages(match: Match, asked: Program) -> None:
    for number in range(60):
        said = asked.post(
            f"matches/{match.code}/say", {"text": f"word {number}"}, key=f"say {number // 2 * 2}"
        )
        assert said.status_code in (200, 422)
    assert ChatMessage.objects.count() == 30
    reader = waiting(match)
    for number in range(60, 100):
        asked.post(f"matches/{match.code}/say", {"text": f"word {number}"})
    first = reader.get(f"matches/{match.code}/talk").json()
    second = reader.get(f"matches/{match.code}/talk?cursor={first['next']}").json()
    texts = [message["text"] for page in (first, second) for message in page["messages"]]
    assert len(texts) == len(set(texts)) == 70
    assert second["next"] is None
    bad = reader.get(f"matches/{match.code}/talk?cursor=xyz")
    assert (bad.status_code, code_of(bad)) == (422, "bad-cursor")


def test_polling_for_turns_costs_few_queries(match: Match, asked: Program) -> None:
    asked.get("turns")
    with CaptureQueriesContext(
        connection,
    ) as found:
        asked.get("turns")
    assert len(found) <= 3, [query["sql"][:80] for query in found]


def test_a_move_costs_few_queries(match: Match, asked: Program) -> None:
    (turn,) = asked.get("turns").json()["turns"]
    with CaptureQueriesContext(connection) as found:
        played = asked.post(f"matches/{match.code}/move", {"text": "bid 0", "prompt_ply": turn["prompt_ply"]})
    assert played.status_code == 200
    assert len(found) <= 26, [query["sql"][:80] for query in found]
