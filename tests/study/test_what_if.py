"""What-ifs: other moves in finished matches, who may try and read them, and that none comes of a match that goes on."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from games import what_if as trees
from games.chance import Chance
from games.registry import GAMES
from gemserver.accounts.models import User
from gemserver.inbox.erasure import erase
from gemserver.lib import clock
from gemserver.matches import replay
from gemserver.matches.models import Match, Move, Report
from gemserver.matches.refusal import Refused
from gemserver.matches.words.moves import name_move
from gemserver.operating import retention
from gemserver.site.account.export import collect
from gemserver.site.match.what_if_page import MOST_IN_WORDS
from gemserver.study import what_if as what_ifs
from gemserver.study.models import WhatIf
from gemserver.study.what_if import (
    begin_what_if,
    delete_what_if,
    find_what_if,
    list_own,
    read_branch,
    rename_what_if,
    report_what_if,
    try_move,
)
from tests.api.programs import Program, code_of
from tests.builders import NOON, make_match, make_user, play_to_the_end
from tests.clubs.people import make_club, play_in
from tests.site.pages import read, read_main, signed_in
from tests.study.practice import practise

pytestmark = pytest.mark.django_db


@pytest.fixture
def over(players: list[User]) -> Match:
    return play_to_the_end(make_match("jewellers", players=players[:2]))


def begin(match: Match, user: User, ply: int = 3, seat: int | None = None, name: str = "") -> WhatIf:
    return begin_what_if(match, user, ply, seat, name, now=NOON)


def why(act: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        act()
    return refused.value.code


def play_on(tree: WhatIf, user: User, number: int = 0, variant: str = "") -> int:
    """Try a random move after this one."""
    tree.refresh_from_db()
    reached = read_branch(tree).reach(number)
    assert reached.actor is not None
    move = tree.match.rules.random_move(reached.state, reached.actor, Chance("0" * 64, f"{number} {variant}"))
    return try_move(tree, user, number, tree.match.rules.write(move), now=NOON)


# The tree


@pytest.mark.slow
@pytest.mark.parametrize("slug", GAMES)
@pytest.mark.parametrize("seat", [None, 1])
def test_every_game_can_be_played_on_to_its_end(slug: str, seat: int | None, players: list[User]) -> None:
    match = play_to_the_end(make_match(slug, players=players[:2]))
    tree = begin(match, players[0], match.ply - 5, seat)
    number = len(tree.moves)
    while not read_branch(tree).reach(number).is_over:
        number = play_on(tree, players[0], number)
        tree.refresh_from_db()
    by_hand = [move["seat"] for move in tree.moves if move["chosen"] == "hand"]
    assert set(by_hand) <= ({0, 1} if seat is None else {1})
    assert read(signed_in(players[0]).get(f"{tree.get_absolute_url()}{number}/")).text.count("The end") == 1


def test_the_position_is_that_of_the_match(over: Match, players: list[User]) -> None:
    for ply in (0, over.ply // 2, over.ply):
        assert read_branch(begin(over, players[0], ply)).reach(0).state == replay.position_at(over, ply)


def test_a_move_tried_again_is_found_and_another_one_begins_a_line(over: Match, players: list[User]) -> None:
    tree = begin(over, players[0])
    first = play_on(tree, players[0])
    assert play_on(tree, players[0]) == first
    others = {play_on(tree, players[0], 0, str(variant)) for variant in range(9)}
    assert len(others) > 1
    tree.refresh_from_db()
    lines = read_branch(tree).list_lines()
    assert len(lines) == len(others | {first}) == len(tree.moves)
    assert not WhatIf.objects.exclude(pk=tree.pk).exists()


def test_bots_answer_at_once_and_the_same_to_the_same_move(over: Match, players: list[User]) -> None:
    tree = begin(over, players[0], 0, 0)
    before = number = len(tree.moves)
    while not any(move["chosen"] == "bot" for move in tree.moves[before:]):
        before, number = number, play_on(tree, players[0], number)
        tree.refresh_from_db()
    assert read_branch(tree).reach(number).actor == 0
    tried, moves = tree.moves[before]["text"], list(tree.moves)
    WhatIf.objects.update(moves=moves[:before])
    assert try_move(tree, players[0], before, tried, now=NOON) == number
    tree.refresh_from_db()
    assert tree.moves == moves


def test_what_the_game_refuses_is_refused_and_nothing_is_kept(over: Match, players: list[User]) -> None:
    tree = begin(over, players[0])
    for text in ("", "fly to the moon", "x" * 501, "\0", "x" * 900_000):
        with pytest.raises(Refused) as refused:
            try_move(tree, players[0], 0, text, now=NOON)
        assert refused.value.kind in ("invalid", "illegal", "ambiguous")
    assert why(lambda: try_move(tree, players[0], 7, "pass", now=NOON)) == "no-such-what-if"
    tree.refresh_from_db()
    assert tree.moves == []


def test_the_number_and_the_length_of_lines_are_bounded(
    over: Match, players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "MOST_MOVES", 3)
    monkeypatch.setattr(trees, "LONGEST_LINE", 2)
    tree = begin(over, players[0])
    second = play_on(tree, players[0], play_on(tree, players[0]))
    assert why(lambda: play_on(tree, players[0], second)) == "what-if-full"
    assert (
        why(lambda: [play_on(tree, players[0], 0, str(variant)) for variant in range(30)]) == "what-if-full"
    )
    assert play_on(tree, players[0]) == 1, "what was tried is still found"
    tree.refresh_from_db()
    assert len(tree.moves) == 3


@pytest.mark.slow
def test_bots_that_move_for_long_are_stopped_and_go_on_when_told(
    players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "MOST_ANSWERS", 1)
    match = play_to_the_end(make_match("jewellers", players=players))
    first = next(iter(match.rules.waiting_on(replay.position_at(match, 0))))
    tree = begin(match, players[0], 0, (first + 2) % 3)
    client = signed_in(players[0])
    number = len(tree.moves)
    while read_branch(tree).reach(number).actor is None:
        path = f"{tree.get_absolute_url()}{number}/"
        assert "Let them go on" in read(client.get(path)).text
        assert client.post(path).status_code == 302
        tree.refresh_from_db()
        number = len(tree.moves)
    assert number >= 2
    assert all(move["chosen"] == "bot" for move in tree.moves)


def test_an_account_keeps_so_many_and_may_delete_them(
    over: Match, players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(what_ifs, "MOST_KEPT", 1)
    tree = begin(over, players[0])
    assert why(lambda: begin(over, players[0])) == "too-many-what-ifs"
    begin(over, players[1])
    assert why(lambda: delete_what_if(over, tree.key, players[1])) == "no-such-what-if"
    delete_what_if(over, tree.key, players[0])
    assert begin(over, players[0])


def test_names_are_one_short_line(over: Match, players: list[User]) -> None:
    tree = begin(over, players[0], name="  Bid\nhigher \u202e now ")
    assert tree.name == "Bid higher now"
    for name in ("x" * 61, "x" * 900_000):
        assert why(lambda name=name: rename_what_if(tree, players[0], name, now=NOON)) == "too-long-name"  # type: ignore[misc]
    assert why(lambda: begin(over, players[0], over.ply + 1)) == "no-such-ply"
    assert why(lambda: begin(over, players[0], 1, 2)) == "no-such-seat"


def test_what_nobody_goes_on_with_is_deleted_after_a_year(over: Match, players: list[User]) -> None:
    tree = begin(over, players[0])
    assert retention.forget(NOON + timedelta(days=364))["what-ifs"] == 0
    assert retention.forget(NOON + timedelta(days=366))["what-ifs"] == 1
    assert not WhatIf.objects.filter(pk=tree.pk).exists()


def test_the_export_has_them_and_who_erases_the_account_leaves_none(over: Match, players: list[User]) -> None:
    tree = begin(over, players[0], name="Bid higher")
    play_on(tree, players[0])
    (row,) = collect(players[0], NOON)["what-ifs"]
    assert (row["match__code"], row["name"], len(row["moves"])) == (over.code, "Bid higher", 1)
    path = tree.get_absolute_url()
    assert Client().get(path).status_code == 200
    erase(players[0], now=NOON)
    assert Client().get(path).status_code == 404
    assert not WhatIf.objects.exists()


# Who may


def test_there_is_none_of_a_match_that_goes_on(players: list[User]) -> None:
    match = make_match(players=players)
    assert why(lambda: begin(match, players[0], 0)) == "still-running"
    practice = practise(make_user("cecil"))
    assert why(lambda: begin(practice, User.objects.get(username="cecil"), 0)) == "still-running"
    client = signed_in(players[0])
    for answer in (
        client.get(f"/m/{match.code}/what-if/?ply=0"),
        client.post(f"/m/{match.code}/what-if/", {"ply": 0}),
    ):
        assert answer["Location"] == match.get_absolute_url()
    assert not WhatIf.objects.exists()


@pytest.mark.slow
def test_a_guest_is_told_that_what_ifs_need_an_account(client: Client) -> None:
    client.post("/practice/gem/")
    match = play_to_the_end(Match.objects.get())
    page = read(client.get(f"/m/{match.code}/what-if/", follow=True))
    assert "Reviews and what-ifs are for players with an account" in page.text


@pytest.mark.slow
def test_own_practice_can_be_looked_back_at_once_it_is_over() -> None:
    cecil, other = make_user("cecil"), make_user("other")
    match = play_to_the_end(practise(cecil))
    tree = begin(match, cecil)
    assert play_on(tree, cecil)
    assert why(lambda: begin(match, other)) == "not-studied"
    assert why(lambda: find_what_if(match, tree.key, other)) == "not-studied"
    assert why(lambda: find_what_if(match, tree.key, AnonymousUser())) == "not-studied"
    page = read(signed_in(cecil).get(tree.get_absolute_url()))
    assert "Share" not in page.text, "nobody else would see it"
    for client in (signed_in(other), Client()):
        told = read(client.get(tree.get_absolute_url(), follow=True)).text
        assert f"Only those who played {match.code} see its reviews and what-ifs: it was practice" in told


@pytest.mark.slow
def test_permission_is_asked_anew_at_every_request(over: Match, players: list[User]) -> None:
    """While the deal is played again nothing of it can be tried or read, by pages and programs."""
    tree = begin(over, players[0])
    play_on(tree, players[0])
    path, program = tree.get_absolute_url(), Program.of(players[0])
    other = make_match("jewellers", players=players[:2])
    Match.objects.filter(pk=other.pk).update(server_part=over.server_part)
    for act in (
        lambda: begin(over, players[0]),
        lambda: play_on(tree, players[0], 1),
        lambda: find_what_if(over, tree.key, players[0]),
        lambda: find_what_if(over, tree.key, AnonymousUser()),
        lambda: rename_what_if(tree, players[0], "x", now=NOON),
        lambda: list_own(over, players[0]),
    ):
        assert why(act) == "same-deal-runs"  # type: ignore[arg-type]
    for client in (signed_in(players[0]), signed_in(players[1]), Client()):
        for address in (path, f"{path}1/"):
            assert client.get(address)["Location"] == over.get_absolute_url()
        assert client.get(f"{path}0/moves/?from=").status_code == 204
    assert signed_in(players[0]).post(f"{path}0/", {"text": "pass"})["Location"] == over.get_absolute_url()
    for name in ("what-if", f"what-if/{tree.key}", f"what-if/{tree.key}?at=1"):
        assert code_of(program.get(f"matches/{over.code}/{name}")) == "same-deal-runs"
    tree.refresh_from_db()
    assert len(tree.moves) == 1


def test_guests_and_strangers_read_and_only_who_began_it_goes_on(over: Match, players: list[User]) -> None:
    tree = begin(over, players[0], name="Bid higher")
    guest = make_user("guest", is_guest=True)
    assert why(lambda: begin(over, guest)) == "guest"
    assert why(lambda: try_move(tree, guest, 0, "pass", now=NOON)) == "guest"
    assert why(lambda: try_move(tree, players[1], 0, "pass", now=NOON)) == "not-yours"
    assert why(lambda: rename_what_if(tree, players[1], "mine", now=NOON)) == "not-yours"
    path = tree.get_absolute_url()
    page = read(Client().get(path))
    assert "Bid higher" in page.text
    assert "Share this address" in page.text
    actor = read_branch(tree).reach(0).actor
    assert actor is not None
    assert f"On this board “you” is {over.read_seats()[actor].name}." in page.text
    assert "“you”" not in read(signed_in(players[0]).get(path)).text
    assert "text" not in page.fields
    assert Client().post(f"{path}0/", {"text": "pass"})["Location"].startswith("/accounts/login/")
    assert signed_in(players[1]).post(f"{path}0/", {"text": "pass"}).status_code == 422
    assert Client().get(f"/m/{over.code}/what-if/")["Location"].startswith("/accounts/login/")


def test_a_match_among_friends_is_for_its_players_alone(over: Match, players: list[User]) -> None:
    tree = begin(over, players[0])
    Match.objects.filter(pk=over.pk).update(access=Match.Access.INVITED)
    friends = Match.objects.get(pk=over.pk)
    assert find_what_if(friends, tree.key, players[1])
    assert "Share this address" in read(signed_in(players[0]).get(tree.get_absolute_url())).text
    eve = make_user("eve")
    assert why(lambda: find_what_if(friends, tree.key, eve)) == "not-studied"
    assert signed_in(eve).get(tree.get_absolute_url())["Location"] == friends.get_absolute_url()
    Match.objects.filter(pk=over.pk).update(access=Match.Access.ANYONE, dealt_by={"seed": "0" * 64})
    assert why(lambda: begin(Match.objects.get(pk=over.pk), players[0])) == "not-studied"


@pytest.mark.slow
def test_strangers_of_a_private_club_find_nothing(players: list[User]) -> None:
    match = play_to_the_end(play_in(make_club("Kellerkinder", *players), *players))
    tree = begin(match, players[0])
    for client in (signed_in(make_user("eve")), Client()):
        assert client.get(tree.get_absolute_url()).status_code == 404
    assert signed_in(players[1]).get(tree.get_absolute_url()).status_code == 200


@pytest.mark.slow
def test_the_key_of_another_match_finds_nothing(over: Match, players: list[User]) -> None:
    tree = begin(over, players[0])
    other = play_to_the_end(make_match("jewellers", players=players[:2]))
    for path in (f"/m/{other.code}/what-if/{tree.key}/", f"/m/{over.code}/what-if/{tree.pk}/"):
        assert signed_in(players[0]).get(path).status_code == 404
    for number in (1, 10**30):
        assert signed_in(players[0]).get(f"{tree.get_absolute_url()}{number}/").status_code == 404


# Pages


def test_an_address_shows_the_same_to_everybody(over: Match, players: list[User]) -> None:
    tree = begin(over, players[0], seat=0)
    number = play_on(tree, players[0], len(tree.moves))
    path = f"{tree.get_absolute_url()}{number}/"
    pages = [client.get(path).content.decode() for client in (signed_in(players[1]), Client())]
    drawings = {page.partition("<pre")[2].partition("</pre>")[0] for page in pages}
    own = signed_in(players[0]).get(path).content.decode()
    assert drawings == {own.partition("<pre")[2].partition("</pre>")[0]}
    lines = {page.partition('<ol class="lines">')[2].partition("</ol>")[0] for page in [*pages, own]}
    assert len(lines) == 1
    assert lines != {""}


def test_only_who_has_begun_it_is_told_of_their_moves_as_theirs(over: Match, players: list[User]) -> None:
    seat = over.seats.get(user=players[0]).index
    tree = begin(over, players[0], seat=seat)
    path = f"{tree.get_absolute_url()}{play_on(tree, players[0], len(tree.moves))}/"
    told = {
        client: re.sub(r"<[^>]+>", "", client.get(path).content.decode().partition('id="happened"')[2][:200])
        for client in (signed_in(players[0]), signed_in(players[1]), Client())
    }
    own, *others = told.values()
    assert re.search(r"\bYou\b", own)
    for other in others:
        assert not re.search(r"\bYou\b", other)
        assert players[0].username in other


@pytest.mark.slow
def test_it_is_begun_and_played_without_javascript(over: Match, players: list[User]) -> None:
    client, code = signed_in(players[0]), over.code
    assert f"/m/{code}/what-if/" in read(client.get(over.get_absolute_url())).links
    assert f"/m/{code}/what-if/?ply=3" in read(client.get(f"/m/{code}/ply/3/")).links
    form = read(client.get(f"/m/{code}/what-if/?ply=3"))
    assert form.fields["ply"] == "3"
    begun = client.post(f"/m/{code}/what-if/", {"ply": "3", "play": "all", "name": "Another"})
    page = read(client.get(begun["Location"]))
    assert "Try a move for" in page.text
    assert "In the match" in page.text
    choice = next(value for name, value in page.buttons if name == "choose" and value)
    built = client.get(begun["Location"], {"choose": choice})
    assert "data-building" in built.content.decode()
    tree = WhatIf.objects.get()
    move = read_branch(tree).reach(0)
    assert move.actor is not None
    legal = over.rules.write(next(over.rules.legal_moves(move.state, move.actor)))
    played = client.post(begun["Location"], {"text": legal, "play": "1"})
    assert played["Location"] == f"{tree.get_absolute_url()}1/"
    words = name_move(over.rules, move.state, move.actor, legal)
    assert words.startswith("Draw a ")
    assert words in read_main(client.get(played["Location"])).text.split("Moves tried")[1]
    wrong = client.post(begun["Location"], {"text": "fly", "play": "1"})
    assert wrong.status_code == 422
    assert read(wrong).fields["text"] == "fly"
    assert client.get(f"{tree.get_absolute_url()}0/moves/?from=").json()["nodes"]
    assert "Another" in read(client.get(f"/m/{code}/what-if/")).text


@pytest.mark.slow
def test_of_a_large_tree_only_so_many_moves_are_put_into_words(over: Match, players: list[User]) -> None:
    tree = begin(over, players[0])
    play_on(tree, players[0])
    tree.refresh_from_db()
    (row,) = tree.moves
    tree.moves = [row] * (MOST_IN_WORDS + 7)
    tree.save()
    page = signed_in(players[0]).get(f"{tree.get_absolute_url()}0/").context["page"]
    words = name_move(over.rules, page.reached.state, row["seat"], row["text"])
    told = Counter(move.words for line in page.lines for move in line.moves)
    assert words != row["text"]
    assert told == {words: MOST_IN_WORDS, row["text"]: 7}


@pytest.mark.slow
def test_a_match_that_does_not_replay_says_so_on_every_page(over: Match, players: list[User]) -> None:
    tree, client = begin(over, players[0], ply=5), signed_in(players[0])
    Move.objects.filter(match=over, ply=3).update(text="take nonsense")
    page = client.get(tree.get_absolute_url(), follow=True)
    assert "have changed since these moves were tried" in read(page).text
    for path in (f"/m/{over.code}/ply/5/", f"/m/{over.code}/plies/0/", f"/s/{over.code}.gif"):
        answer = client.get(path)
        assert answer.status_code == 503, path
        assert "The rules of this game have failed" in read(answer).text


def test_hostile_fields_are_answered_with_a_sentence(over: Match, players: list[User]) -> None:
    client = signed_in(players[0])
    for fields in (
        {},
        {"ply": "²"},
        {"ply": "9" * 40},
        {"ply": "1", "play": "-1"},
        {"ply": "1", "play": "x" * 9000},
    ):
        answer = client.post(f"/m/{over.code}/what-if/", fields)
        assert answer.status_code == 422
        assert len(answer.content) < 20_000
    tree = begin(over, players[0])
    path = tree.get_absolute_url()
    assert client.post(f"{path}change/", {"name": "x" * 900, "number": "-7"})["Location"] == path
    assert client.post(f"{path}change/", {"name": "ok", "number": "-7"})["Location"] == f"{path}0/"
    answer = client.post(f"{path}0/", {"text": "x" * 900_000})
    assert answer.status_code == 422
    assert len(answer.content) < 200_000
    assert client.post(f"{path}0/", {"choose": "x" * 900_000}).status_code == 302
    assert client.get(f"{path}0/", {"choose": "x" * 3000}).status_code == 200
    assert client.get(f"{path}0/moves/", {"from": "x" * 3000}).status_code == 422


def test_a_name_is_reported_and_moderators_delete_it(over: Match, players: list[User]) -> None:
    tree = begin(over, players[0], name="Something rude")
    reader = make_user("reader")
    path = tree.get_absolute_url()
    assert "Report the name" in read(signed_in(reader).get(path)).text
    assert signed_in(reader).post(f"{path}report/", {"why": "It insults me."}).status_code == 302
    report = Report.objects.get()
    assert (report.reporter, report.reported) == (reader, players[0])
    assert path in report.text
    assert "Something rude" not in report.text, "it would outlive the account"
    long = signed_in(reader).post(f"{path}report/", {"why": "x" * 3000})
    assert long.status_code == 422
    assert "shorten it" in read(long).text
    assert report_what_if(tree, reader, "Again.", now=clock.now())


# Programs


@pytest.mark.slow
def test_programs_begin_try_read_rename_and_delete(over: Match, players: list[User]) -> None:
    program, root = Program.of(players[0]), f"matches/{over.code}/what-if"
    begun = program.post(root, {"ply": 3, "seat": None, "name": "Another"})
    assert begun.status_code == 200, begun.content
    key = begun.json()["key"]
    shown = program.get(f"{root}/{key}").json()
    assert (shown["name"], shown["ply"], shown["moves"], shown["at"]["number"]) == ("Another", 3, [], 0)
    assert shown["at"]["asked"] in ("A", "B")
    move = {"before": 0, "text": shown["at"]["moves"][0]}
    tried = program.post(f"{root}/{key}/move", move)
    assert tried.json()["number"] == 1
    shown = program.get(f"{root}/{key}?at=1").json()
    assert [each["text"] for each in shown["moves"]] == [move["text"]]
    assert code_of(program.post(f"{root}/{key}/move", {"before": 0, "text": "fly"})) != "misfit"
    other = Program.of(players[1])
    assert other.get(f"{root}/{key}?at=1").json()["at"] == shown["at"]
    assert other.get(f"{root}/{key}").json()["name"] == "Another"
    assert other.post(f"{root}/{key}/move", move).status_code == 403
    assert code_of(other.get(f"{root}/nothing")) == "no-such-what-if"
    assert [each["key"] for each in program.get(root).json()["what_ifs"]] == [key]
    assert other.get(root).json()["what_ifs"] == []
    assert program.post(f"{root}/{key}/rename", {"name": "New"}).status_code == 200
    assert program.post(f"{root}/{key}/delete").status_code == 200
    assert code_of(program.get(f"{root}/{key}")) == "no-such-what-if"
    assert json.loads(Program.of(players[0], "read").post(root, {"ply": 0}).content)["status"] == 403


@pytest.mark.parametrize("ply", [0, 3])
def test_the_head_of_a_what_if_says_so_once(over: Match, players: list[User], ply: int) -> None:
    for name in ("", "Another"):
        tree = begin(over, players[0], ply=ply, name=name)
        page = Client().get(tree.get_absolute_url(), follow=True).content.decode()
        head = page.partition("<main")[2].partition("</header>")[0]
        assert head.count("What if") == 1
        assert over.code in head
