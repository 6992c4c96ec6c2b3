"""What differs in one seat's secret alone differs in no byte that anybody else is sent, until it is shown.

Whole random matches of all games. At some points two futures are tried that differ only in a secret (a sealed order, a
pick, a plan, hidden cards); everything that the others, a stranger, a moderator and the log get is compared. Hashes and
ids are masked, for they are drawn anew each time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import pytest
from django.core import mail
from django.db import transaction
from django.test import Client

from games.chance import Chance
from games.registry import GAMES
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import codec, prompts, replay
from gemserver.matches.actions.store_plan import store_plan
from gemserver.matches.actions.submit import Actor, Request, submit
from gemserver.matches.models import Match, Move, Seat
from gemserver.notify import delivery
from tests.builders import NOON, make_match, make_user
from tests.web.pages import signed_in

pytestmark = pytest.mark.django_db

POINTS = int(os.environ.get("SECRECY_POINTS", "1"))
"""At how many points of each match futures are compared; `make thousand` looks at more."""

CASES = [
    ("gem", 3, {"pace": "sealed"}),
    ("gem", 3, {}),
    ("jewellers", 3, {"pace": "sealed"}),
    ("gemessengers", 3, {}),
    ("florentine", 2, {}),
    ("gembatan", 2, {}),
]


@pytest.fixture(autouse=True)
def at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two futures happen at the same instant."""
    monkeypatch.setattr(clock, "now", lambda: NOON)


_MASKS = [
    (re.compile(r'name="(csrfmiddlewaretoken|request_id)" value="[^"]*"'), ""),
    (re.compile(r"\b[0-9a-f]{64}\b"), "HASH"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "SALT"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}"), "UUID"),
    (re.compile(r"(boundary=\"?|--)=+\d+=+"), "BOUNDARY"),
    (re.compile(r"\d+\xa0\w+|in \d+ \w+"), "WHILE"),
]


def masked(text: str) -> str:
    for pattern, word in _MASKS:
        text = pattern.sub(word, text)
    return text


class World:
    """A running match and everybody who may look at it."""

    def __init__(self, slug: str, seats: int, options: dict[str, str]) -> None:
        self.players = [make_user(f"player{number}") for number in range(seats)]
        self.match = make_match(slug, players=self.players, options=options, server_part="7" * 64)
        self.staff = make_user("staff", is_staff=True, is_superuser=True)
        self.dice = Chance(f"{slug} {options}", "players")
        self.sent = 0

    def fresh(self) -> Match:
        return Match.objects.get(pk=self.match.pk)

    def send(self, seat: Seat, text: str) -> None:
        self.sent += 1
        assert seat.user
        request_id = f"test:{self.sent}"
        submit(Request(self.match.pk, Actor.player(seat.user), text, Move.Source.WEB, request_id), now=NOON)

    def asked(self) -> list[Seat]:
        seats = Seat.objects.select_related("user", "match").filter(match=self.match, is_waiting=True)
        return list(seats.order_by("index"))

    def random_text(self, seat: Seat) -> str:
        match = self.fresh()
        position = prompts.position_to_answer(match, replay.position(match), seat.index)
        return match.rules.write(match.rules.random_move(position, seat.index, self.dice))

    def seen_by_others(self, owner: User | None, log: pytest.LogCaptureFixture) -> dict[str, str]:
        """Everything that anybody but the owner of a secret gets, by a name."""
        log.clear()
        mail.outbox.clear()  # type: ignore[attr-defined]
        delivery.send_queued()
        seen = {
            f"mail {number} to {message.to}": masked(_whole(message))
            for number, message in enumerate(mail.outbox)
            if owner is None or message.to != [owner.email]
        }
        readers: list[User | None] = [None, *(user for user in self.players if user != owner)]
        for reader in readers:
            client = signed_in(reader) if reader else Client()
            for page in self.pages():
                seen[f"{reader} {page}"] = masked(_get(client, page))
        admin = signed_in(self.staff)
        for page in (*self.pages(), *self.admin_pages()):
            seen[f"staff {page}"] = masked(_get(admin, page))
        seen["log"] = masked(log.text)
        return seen

    def pages(self) -> Iterator[str]:
        code, ply = self.match.code, self.fresh().ply
        yield from ("/", f"/m/{code}/", f"/m/{code}/ply/{ply}/", f"/m/{code}/deal/")
        yield from (f"/m/{code}/record.match", f"/m/{code}/progress/")

    def admin_pages(self) -> Iterator[str]:
        yield f"/admin/matches/match/{self.match.pk}/change/"
        yield "/admin/notify/outboxmessage/"


def _get(client: Client, page: str) -> str:
    response = client.get(page)
    assert response.status_code == 200, (page, response.status_code)
    return response.content.decode()


def _whole(message: Any) -> str:
    """Subject, text and HTML of a mail, and its pictures."""
    pictures = [str(part.get_payload()) for part in message.attachments if hasattr(part, "get_payload")]
    bodies = [str(content) for content, _type in message.alternatives]
    return "\n".join([message.subject, str(message.body), *bodies, *pictures])


@contextmanager
def future() -> Iterator[None]:
    """What happens inside has not happened afterwards."""
    point = transaction.savepoint()
    try:
        yield
    finally:
        transaction.savepoint_rollback(point)


def compare(
    world: World, owner: User | None, futures: list[Callable[[], object]], log: pytest.LogCaptureFixture
) -> None:
    seen = []
    for happen in futures:
        with future():
            happen()
            seen.append(world.seen_by_others(owner, log))
    first, second = seen
    assert first.keys() == second.keys()
    for name, text in first.items():
        assert text == second[name], name


def face_down(world: World) -> tuple[Seat, list[str]] | None:
    """A seat whose answer will lie face down, and two answers; None when the next answer is open."""
    match, asked = world.fresh(), world.asked()
    position = replay.position(match)
    hides = prompts.has_open_contest(match, position) or match.rules.meta.has_sealed_picks
    if not hides or len(asked) < 2:
        return None
    seat = asked[0]
    met = prompts.position_to_answer(match, position, seat.index)
    legal = [match.rules.write(move) for move in islice(match.rules.legal_moves(met, seat.index), 40)]
    return (seat, [legal[0], legal[-1]]) if len(legal) > 1 else None


def plans_of_one_out_of_turn(world: World) -> tuple[User, list[Callable[[], object]]] | None:
    """Two plans of a player who is not asked now."""
    asked = {seat.index for seat in world.asked()}
    seat = world.match.seats.select_related("user").exclude(index__in=asked).first()
    if seat is None or seat.user is None:
        return None
    user, match = seat.user, world.fresh()
    state = replay.position(match)
    if prompts.has_open_contest(match, state):
        return None
    texts = [world.random_text(world.asked()[0]) for _ in range(12)]
    different = list(dict.fromkeys(text for text in texts if _reads(match, state, seat.index, text)))[:2]
    if len(different) < 2:
        return None

    def store(text: str) -> Callable[[], object]:
        return lambda: store_plan(match.pk, user, text, source=Move.Source.WEB, request_id="plan", now=NOON)

    return user, [store(text) for text in different]


def _reads(match: Match, state: Any, seat: int, text: str) -> bool:
    return bool(match.rules.write(match.rules.parse(state, seat, text)))


def redraw(world: World, reader: int | None, number: int) -> Callable[[], object]:
    """Another position that this reader cannot tell from the real one."""
    match = world.fresh()
    state = match.rules.resample(replay.position(match), reader, Chance("0" * 64, f"redraw {number}"))
    return lambda: Match.objects.filter(pk=match.pk).update(position=codec.dump(state))


@pytest.mark.parametrize(("slug", "seats", "options"), CASES, ids=lambda value: str(value))
def test_a_secret_changes_no_byte_for_anybody_else(
    slug: str, seats: int, options: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    world = World(slug, seats, options)
    hides_answers = bool(options) or GAMES[slug].rules.meta.has_sealed_picks
    ways = {
        "cards": lambda: compare_hidden_cards(world, caplog),
        "answers": lambda: compare_answers(world, caplog),
        "plans": lambda: compare_plans(world, caplog),
    }
    wanted = {"cards": POINTS, "answers" if hides_answers else "plans": POINTS}
    step = 0
    while (asked := world.asked()) and any(wanted.values()):
        step += 1
        way = max(wanted, key=wanted.__getitem__)
        if step % 5 in (1, 3) and ways[way]():
            wanted[way] -= 1
        world.send(asked[0], world.random_text(asked[0]))
    assert not any(wanted.values()), "the match was over before all had been tried"


def compare_answers(world: World, log: pytest.LogCaptureFixture) -> bool:
    """Two answers that lie face down; False when the next answer does not."""
    secret = face_down(world)
    if secret:
        seat, answers = secret
        compare(world, seat.user, [_sender(world, seat, text) for text in answers], log)
    return secret is not None


def compare_plans(world: World, log: pytest.LogCaptureFixture) -> bool:
    """Two plans for later; False when nobody can write one now."""
    planned = plans_of_one_out_of_turn(world)
    if planned:
        compare(world, *planned, log)
    return planned is not None


def _sender(world: World, seat: Seat, text: str) -> Callable[[], object]:
    return lambda: world.send(seat, text)


def compare_hidden_cards(world: World, log: pytest.LogCaptureFixture) -> bool:
    """A stranger sees the same whatever is hidden from strangers; each player whatever is hidden from that player."""
    for reader in (None, *range(len(world.players))):
        seen = []
        for number in range(2):
            with future():
                redraw(world, reader, number)()
                client = Client() if reader is None else signed_in(world.players[reader])
                mail.outbox.clear()  # type: ignore[attr-defined]
                delivery.send_queued()
                addresses = [] if reader is None else [world.players[reader].email]
                mails = [_whole(message) for message in mail.outbox if message.to == addresses]
                page = _get(client, f"/m/{world.match.code}/")
                seen.append(masked("\n".join([page, _get(client, "/"), *mails])))
        assert seen[0] == seen[1], reader
    return True


def test_a_difference_would_be_noticed(caplog: pytest.LogCaptureFixture) -> None:
    """The owner of a secret does see it: were it shown to anybody else, the comparison would fail."""
    world = World("gem", 3, {"pace": "sealed"})
    secret = face_down(world)
    assert secret
    seat, answers = secret
    with pytest.raises(AssertionError):
        compare(world, None, [_sender(world, seat, text) for text in answers], caplog)
