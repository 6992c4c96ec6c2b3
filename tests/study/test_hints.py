"""Hints in practice: what comes, how often, and that none comes where anybody else plays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client

from games import analysis, bots, registry
from games.chance import Chance
from games.record_headers import read_options
from games.registry import OWN
from gemserver.accounts.models import User
from gemserver.clubs.models import Club
from gemserver.lib import clock
from gemserver.matches import replay, selectors
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.play.void_moves import void_moves
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.refusal import Refused
from gemserver.study import hints
from gemserver.study.hints import ask_hint, find_hint, think_of_all
from gemserver.study.models import Hint
from tests.api.programs import Program, code_of
from tests.builders import make_match, make_user, play, play_until
from tests.site.pages import read, signed_in
from tests.study.practice import practise

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("brief_bots")]


def own_seat(match: Match, user: User) -> Seat:
    return match.seats.get(user=user)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["gem", "gemessengers"])
def test_a_hint_names_legal_moves_the_best_first(ana: User, game: str) -> None:
    match = practise(ana, game)
    assert not ask_hint(match, ana, now=clock.now()).is_done
    think_of_all()
    hint = find_hint(match, ana)
    assert hint is not None
    assert hint.is_done
    worths = [worth for _, worth in hint.moves]
    assert worths == sorted(worths, reverse=True)
    assert all(0 <= worth <= 100 for worth in worths)
    legal = selectors.legal_texts(match, own_seat(match, ana), 1000) or []
    assert {text for text, _ in hint.moves} <= set(legal)


def test_at_sealed_pace_it_is_an_order(ana: User) -> None:
    match = practise(ana)
    Match.objects.filter(pk=match.pk).update(options="pace=sealed")
    match = Match.objects.get(pk=match.pk)
    ask_hint(match, ana, now=clock.now())
    think_of_all()
    hint = find_hint(match, ana)
    assert hint is not None
    ((order, worth),) = hint.moves
    assert order
    assert worth is None


def test_the_same_question_has_one_hint_and_the_next_question_none_yet(ana: User) -> None:
    match = practise(ana)
    first = ask_hint(match, ana, now=clock.now())
    assert ask_hint(match, ana, now=clock.now()).pk == first.pk
    think_of_all()
    play(match, own_seat(match, ana).index, Hint.objects.get().moves[0][0], now=clock.now())
    match = play_until(match, lambda reached: own_seat(reached, ana).is_waiting, now=clock.now())
    assert find_hint(match, ana) is None


def test_a_question_that_was_answered_meanwhile_is_thought_about_no_more(ana: User) -> None:
    match = practise(ana)
    ask_hint(match, ana, now=clock.now())
    texts = selectors.legal_texts(match, own_seat(match, ana), 50) or []
    play(match, own_seat(match, ana).index, texts[0], now=clock.now())
    think_of_all()
    assert not Hint.objects.exists()


def test_after_a_move_was_taken_back_the_question_has_a_hint_of_its_own(ana: User) -> None:
    """Its number is that of a question before, but the position is another one."""
    match = practise(ana, "florentine")

    def go_round(choice: int) -> Match:
        """Play one of the legal moves, and let the bots go on until the user is asked again."""
        seat = own_seat(match, ana)
        text = (selectors.legal_texts(match, seat, 50) or [])[choice]
        play(match, seat.index, text, now=clock.now())
        return play_until(match, lambda reached: own_seat(reached, ana).is_waiting, now=clock.now())

    first = go_round(0)
    old, number = ask_hint(first, ana, now=clock.now()), own_seat(first, ana).prompt_ply
    think_of_all()
    void_moves(match.pk, from_ply=match.ply + 1, why="A wrong card was laid.", now=clock.now())
    match = Match.objects.get(pk=match.pk)
    second = go_round(1)
    assert own_seat(second, ana).prompt_ply == number
    assert find_hint(second, ana) is None
    assert ask_hint(second, ana, now=clock.now()).pk != old.pk


def test_of_one_person_three_wait_at_most(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "MOST_WAITING", 1)
    now = clock.now()
    ask_hint(practise(ana), ana, now=now)
    other = practise(ana, "jewellers")
    with pytest.raises(Refused, match="hints-waiting"):
        ask_hint(other, ana, now=now)
    think_of_all()
    assert ask_hint(other, ana, now=now)


def test_the_thinker_begins_none_after_its_time(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    ask_hint(practise(ana), ana, now=clock.now())
    with monkeypatch.context() as hurried:
        hurried.setattr(hints, "PIECE", -1)
        assert think_of_all()
    assert not Hint.objects.get().is_done
    assert not think_of_all()
    assert Hint.objects.get().is_done


@pytest.mark.slow
@pytest.mark.parametrize("slug", OWN)
def test_a_hint_takes_no_more_matches_played_on_than_a_hard_bot_at_any_table(
    slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = registry.game(slug)
    seats, chance = game.rules.meta.max_seats, Chance("e" * 64, "deal")
    state = game.rules.deal(seats=seats, options=read_options(game.rules.meta, "", seats), chance=chance)
    played: list[int] = []
    monkeypatch.setattr(analysis, "play_out", lambda game, state, *_: played.append(1) or state)
    found = analysis.advise(game, state, min(game.rules.waiting_on(state)), chance)
    most = max(bots.count_simulations(game, state, "hard"), analysis.ADVICE_LEAST * len(found))
    assert len(found) > 1
    assert 0 < len(played) <= most


def test_a_day_has_so_many_hints(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "MOST_A_DAY", 1)
    now = clock.now()
    ask_hint(practise(ana), ana, now=now)
    other = practise(ana, "jewellers")
    with pytest.raises(Refused, match="too-many-hints"):
        ask_hint(other, ana, now=now)
    assert ask_hint(other, ana, now=now + timedelta(days=1, minutes=1))


def test_a_person_and_their_bots_have_hints_together(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "MOST_A_DAY", 1)
    bot = make_user("ana-bot", owner=ana)
    ask_hint(practise(bot), bot, now=clock.now())
    with pytest.raises(Refused, match="too-many-hints"):
        ask_hint(practise(ana), ana, now=clock.now())


Change = Callable[[Match, User], object]


@pytest.mark.parametrize(
    "change",
    [
        lambda match, other: Seat.objects.filter(match=match, user=None).update(user=other, bot=""),
        lambda match, other: Seat.objects.filter(match=match, user=None).update(bot=""),
        lambda match, other: Seat.objects.filter(match=match, user=None).update(is_open=True),
        lambda match, other: Match.objects.filter(pk=match.pk).update(is_rated=True),
        lambda match, other: Match.objects.filter(pk=match.pk).update(created_by=other),
        lambda match, other: Match.objects.filter(pk=match.pk).update(created_by=None),
        lambda match, other: Match.objects.filter(pk=match.pk).update(dealt_by={"seed": "0" * 64}),
        lambda match, other: Match.objects.filter(pk=match.pk).update(
            club=Club.objects.create(name="Lake", slug="lake", created_at=clock.now())
        ),
    ],
    ids=[
        "a person",
        "an erased player",
        "a seat to be taken",
        "rated, and the others have resigned",
        "another's",
        "the server's",
        "brought",
        "a club's",
    ],
)
def test_there_is_none_where_it_is_no_practice_asked_anew_at_each_request(ana: User, change: Change) -> None:
    match = practise(ana)
    ask_hint(match, ana, now=clock.now())
    change(match, make_user("other"))
    match = Match.objects.get(pk=match.pk)
    for ask in (lambda: ask_hint(match, ana, now=clock.now()), lambda: find_hint(match, ana)):
        with pytest.raises(Refused, match="no-hints-here"):
            ask()
    think_of_all()
    assert not Hint.objects.exists()
    page = signed_in(ana).get(f"/m/{match.code}/")
    assert "Ask a bot for a hint" not in page.content.decode()


def test_nobody_gets_one_in_a_match_with_people_or_for_anothers_seat(ana: User, ben: User) -> None:
    match = make_match(players=[ana, ben], now=clock.now())
    for user in (ana, ben):
        with pytest.raises(Refused, match="no-hints-here"):
            ask_hint(match, user, now=clock.now())
    with pytest.raises(Refused, match="not-seated"):
        ask_hint(practise(ana), ben, now=clock.now())
    assert not Hint.objects.exists()


def test_after_the_end_of_a_practice_match_its_player_is_told_what_there_is_instead(ana: User) -> None:
    match, client = practise(ana), signed_in(ana)
    resign(match.pk, ana, source=Move.Source.WEB, request_id="1", now=clock.now())
    page = read(client.get(f"/m/{match.code}/hint/", follow=True))
    assert f"{match.code} is over. On its page a bot can look back" in page.text
    assert {f"/m/{match.code}/review/", f"/m/{match.code}/what-if/"} <= set(page.links)


@pytest.mark.slow
def test_a_guest_is_told_to_sign_up(client: Client) -> None:
    client.post("/practice/gem/")
    match = Match.objects.get()
    page = read(client.post(f"/m/{match.code}/hint/", follow=True))
    assert "Hints are for players with an account" in page.text
    assert not Hint.objects.exists()


@pytest.mark.slow
def test_on_the_pages_it_is_asked_for_read_and_taken_to_the_board(ana: User) -> None:
    match, client = practise(ana), signed_in(ana)
    assert "Ask a bot for a hint" in client.get(f"/m/{match.code}/").content.decode()
    waiting = client.post(f"/m/{match.code}/hint/", follow=True)
    assert "A bot is thinking" in read(waiting).text
    assert 'http-equiv="refresh"' in waiting.content.decode()
    think_of_all()
    page = client.get(f"/m/{match.code}/hint/")
    best = Hint.objects.get().moves[0][0]
    assert f"A bot would play: {best}" in read(page).text
    assert "refresh" not in page.content.decode()
    (link,) = [link for link in read(page).links if "?move=" in link]
    assert f'value="{best}"' in client.get(link).content.decode()


@pytest.mark.slow
def test_a_program_asks_and_reads(ana: User) -> None:
    match, program = practise(ana), Program.of(ana, "play")
    assert code_of(program.get(f"matches/{match.code}/hint")) == "no-hint"
    assert program.post(f"matches/{match.code}/hint").status_code == 200
    asked = program.get(f"matches/{match.code}/hint").json()
    assert (asked["done"], asked["moves"]) == (False, [])
    think_of_all()
    shown = program.get(f"matches/{match.code}/hint").json()
    assert shown["done"]
    assert shown["moves"][0].keys() == {"move", "worth"}


def test_others_hidden_cards_change_no_hint(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same chance the hint is the same in another position that looks the same to the seat."""
    match = practise(ana, "gemessengers")
    seat = own_seat(match, ana)
    monkeypatch.setattr(hints, "token_hex", lambda length: "c" * 64)
    before = hints._find_moves(match, seat)
    other = match.rules.resample(replay.position(match), seat.index, Chance("d" * 64, "another"))
    assert other != replay.position(match)
    monkeypatch.setattr(replay, "position", lambda match: other)
    assert hints._find_moves(match, seat) == before
