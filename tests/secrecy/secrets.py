"""The secrets of a match: for each kind, two futures that differ in one secret, and those who must not notice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeAlias
from unittest.mock import patch

from games.chance import Chance
from games.contract import GameError
from gemserver.matches import codec, prompts, replay
from gemserver.matches.actions.play.store_plan import store_plan
from gemserver.matches.actions.play.void_moves import void_moves
from gemserver.matches.actions.talk.write_note import write_note
from gemserver.matches.models import Match, Move, Seat
from tests.builders import NOON
from tests.mailgate.letters import letter, receive
from tests.secrecy.surfaces import differing, look
from tests.secrecy.world import Observer, World, future

Future: TypeAlias = Callable[[], AbstractContextManager[None]]
"""A context in which the secret has one of its two values."""

COMMON_PLIES = 4


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret with two values, and the observers who must not notice which it is."""

    futures: Sequence[Future]
    observers: list[Observer]
    owner: int | None = None
    """The owner's seat: the others play on without it, and everybody looks again; None: nobody plays on."""
    plies: int = COMMON_PLIES
    """Answers of the others before that second look, the same in both futures."""


def compare(world: World, secret: Secret, *, share: int = 1, turn: int = 0) -> dict[str, str]:
    """The differences that the observers see between the two futures, by name; empty if there are none."""
    pairs = zip(*look_at_futures(world, secret, share=share, turn=turn), strict=True)
    return {name: where for first, second in pairs for name, where in differing(first, second).items()}


def look_at_futures(
    world: World, secret: Secret, *, share: int = 1, turn: int = 0
) -> list[list[dict[str, str]]]:
    """Read what the observers see in each of the two futures, at once and after the plies that hide it."""
    looks = []
    for happen in secret.futures:
        with future(), happen():
            looks.append([look(world, secret.observers, share=share, turn=turn)])
            if secret.owner is not None and world.go_on(secret.owner, secret.plies):
                looks[-1].append(look(world, secret.observers, share=2 * share, turn=turn))
    return looks


def find_answers(world: World, number: int) -> Secret | None:
    """Two answers that will lie face down, sent by web and by mail in turn; None if the next answer is open."""
    asked = world.asked()
    if not world.hides_answers or len(asked) < 2:
        return None
    seat = asked[number % len(asked)]
    match = world.fresh()
    met = prompts.position_to_answer(match, replay.position(match), seat.index)
    legal = [match.rules.write(move) for move in islice(match.rules.legal_moves(met, seat.index), 40)]
    if len(legal) < 2:
        return None
    send = _by_mail if number % 2 else world.send
    return Secret(
        [_sending(send, seat, text) for text in (legal[0], legal[-1])],
        world.others(seat.index, may_know=seat.index),
        seat.index,
    )


def _by_mail(seat: Seat, text: str) -> None:
    row = receive(seat, letter(seat, text, Message_ID="<secret@client.example.org>"))
    assert row.results, "the mail was read"


def _sending(send: Callable[[Seat, str], None], seat: Seat, text: str) -> Future:
    @contextmanager
    def happen() -> Iterator[None]:
        send(seat, text)
        yield

    return happen


def find_plans(world: World, number: int) -> Secret | None:
    """Two plans of a player who is not asked now, by web and by mail in turn; None if everybody is asked.

    Not even the seat's sitter may read them.
    """
    asked = {seat.index for seat in world.asked()}
    idle = [seat for seat in world.match.seats.select_related("user", "match") if seat.index not in asked]
    if not idle or not asked or world.hides_answers:
        return None
    seat, match = idle[number % len(idle)], world.fresh()
    state = replay.position(match)
    random = [world.random_text(world.asked()[0]) for _ in range(12)]
    texts = list(dict.fromkeys(text for text in random if _is_readable(match, state, seat.index, text)))[:2]
    if len(texts) < 2:
        return None
    store = _plan_by_mail if number % 2 else _plan_on_the_web
    return Secret(
        [_sending(store, seat, text) for text in texts],
        world.others(seat.index),
        seat.index,
        _count_plies_before_turn(world, seat.index),
    )


def _count_plies_before_turn(world: World, owner: int) -> int:
    """The number of answers of the others before the seat is to act and so reveals its plan."""
    with future():
        for number in range(COMMON_PLIES):
            if not world.go_on(owner, 1, first=number) or owner in {seat.index for seat in world.asked()}:
                return number
    return COMMON_PLIES


def _is_readable(match: Match, state: Any, seat: int, text: str) -> bool:
    try:
        return bool(match.rules.write(match.rules.parse(state, seat, text)))
    except GameError:
        return False


def _plan_on_the_web(seat: Seat, text: str) -> None:
    assert seat.user
    store_plan(seat.match_id, seat.user, text, source=Move.Source.WEB, request_id="plan", now=NOON)


def _plan_by_mail(seat: Seat, text: str) -> None:
    _by_mail(seat, f"plan\n{text}\nend")


def find_notes(world: World, number: int) -> Secret:
    """Two private notes of a player, from the web and by mail in turn."""
    seat = world.match.seats.select_related("user", "match").get(index=number % len(world.players))

    def on_the_web(seat: Seat, text: str) -> None:
        assert seat.user
        write_note(seat.match_id, seat.user, text, now=NOON)

    write = on_the_web if number % 2 else _note_by_mail
    texts = ("Ruby sapphire: hold it.", "Let it go.")
    return Secret([_sending(write, seat, text) for text in texts], world.others(seat.index), seat.index)


def _note_by_mail(seat: Seat, text: str) -> None:
    _by_mail(seat, f"note {text}")


def find_cards(world: World, number: int) -> Secret:
    """Two positions that a player, or (after the last player) a stranger, cannot tell from the real one."""
    readers: list[int | None] = [*range(len(world.players)), None]
    reader = readers[number % len(readers)]
    observers = [each for each in world.observers if each.seat == reader]
    futures = [_redraw(world, reader, f"{number} {attempt}") for attempt in range(2)]
    return Secret(futures, observers)


def _redraw(world: World, reader: int | None, label: str) -> Future:
    """Replace all positions, past ones too, by some that are consistent with this reader's knowledge."""
    match = world.fresh()

    def imagine(state: Any) -> Any:
        return match.rules.resample(state, reader, Chance("0" * 64, f"redraw {label}"))

    steps = [(move, replace(step, state=imagine(step.state))) for move, step in replay.steps(match)]

    @contextmanager
    def happen() -> Iterator[None]:
        Match.objects.filter(pk=match.pk).update(position=codec.dump(imagine(replay.position(match))))
        with patch.object(replay, "steps", lambda match: iter(steps)):
            yield

    return happen


def find_seeds(world: World, number: int) -> Secret:
    """Two values of the server's secret, while everything known of the match stays as it is."""
    futures = [_change_secret(world, str(digit) * 64) for digit in (4, 5)]
    return Secret(futures, world.observers)


def _change_secret(world: World, server_part: str) -> Future:
    match = world.fresh()
    steps = list(replay.steps(match))

    @contextmanager
    def happen() -> Iterator[None]:
        Match.objects.filter(pk=match.pk).update(server_part=server_part)
        with patch.object(replay, "steps", lambda match: iter(steps)):
            yield

    return happen


def find_taken_back(world: World, number: int) -> Secret | None:
    """Two answers that lay face down when a moderator took them back; then all answer again, alike in both futures.

    Nobody learns the old answers, even when the new ones are shown.
    """
    secret = find_answers(world, 2 * number)
    if secret is None or not world.fresh().ply:
        return None
    return Secret([_taken_back(world, happen) for happen in secret.futures], secret.observers)


def _taken_back(world: World, answer: Future) -> Future:
    @contextmanager
    def happen() -> Iterator[None]:
        with answer():
            void_moves(world.match.pk, from_ply=world.fresh().ply, why="A test.", now=NOON)
            for number in range(COMMON_PLIES):
                if asked := world.asked():
                    world.send(asked[0], world.random_text(asked[0], Chance("0" * 64, f"anew {number}")))
            yield

    return happen


KINDS: dict[str, Callable[[World, int], Secret | None]] = {
    "answers": find_answers,
    "plans": find_plans,
    "taken back": find_taken_back,
    "notes": find_notes,
    "cards": find_cards,
    "seeds": find_seeds,
}
