"""Bounds on the statements of a page, a move and a mail, the same in long matches and among many."""

from __future__ import annotations

from collections.abc import Callable
from email.message import EmailMessage
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.chance import Chance
from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches import replay
from gemserver.matches.models import Match, Seat
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.api.programs import Program
from tests.builders import asked, is_asked, make_match, make_user, play_until
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db

DEAL = "5" * 64
LATE = 40


@pytest.fixture
def players() -> list[User]:
    return [make_user("ana"), make_user("ben")]


def count(act: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as captured:
        act()
    return len(captured)


def a_move(seat: Seat) -> str:
    """The text of a legal move of the seat."""
    rules, position = seat.match.rules, replay.position(seat.match)
    return rules.write(rules.random_move(position, seat.index, Chance("0" * 64, "queries")))


def in_the_middle(match: Match, ply: int) -> Match:
    """The match after this ply or a little later, where the next move forces no others."""
    return play_until(match, lambda reached: reached.ply >= ply and replay.position(reached).phase == "bid")


def move_on_the_web(match: Match) -> int:
    """Count the statements of sending the form with a move."""
    seat = asked(match)
    assert seat.user
    client = signed_in(seat.user)
    form = {"text": a_move(seat), "prompt_ply": seat.prompt_ply, "request_id": str(uuid4())}
    taken = count(lambda: client.post(match.get_absolute_url(), form))
    assert match.moves.count() > match.ply
    return taken


def move_by_program(match: Match) -> int:
    """Count the statements of a move by the API, but the first of the day by its token."""
    seat = asked(match)
    assert seat.user
    program = Program.of(seat.user)
    program.get("turns")
    sent = {"text": a_move(seat), "prompt_ply": seat.prompt_ply}
    taken = count(lambda: program.post(f"matches/{match.code}/move", sent, key=str(uuid4())))
    assert match.moves.count() > match.ply
    return taken


def move_by_mail(match: Match) -> int:
    """Count the statements from the mail's arrival until its answer is queued."""
    seat = asked(match)
    assert seat.user
    told = OutboxMessage.objects.filter(user=seat.user).latest("pk")
    OutboxMessage.objects.filter(pk=told.pk).update(state="sent", sent_at=told.created_at)
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = seat.user.email, seat.reply_address, "Re: your turn"
    mail["Message-ID"], mail["In-Reply-To"] = f"<{uuid4()}@client.example.org>", told.message_id
    mail.set_content(f"{a_move(seat)}\n")

    def receive() -> None:
        ingest(mail.as_bytes(), seat.user.email, seat.reply_address, "smtp", {})
        processing.process_stored()

    taken = count(receive)
    assert InboundEmail.objects.latest("pk").state == "done"
    return taken


def write_turn_mail(match: Match) -> int:
    """Count the statements of writing the mail about the present turn."""
    told = OutboxMessage.objects.select_related("user").filter(kind="turn", user=asked(match).user)
    message = told.latest("pk")
    assert delivery.write(message) is not None
    return count(lambda: delivery.write(message))


@pytest.mark.parametrize(
    ("measure", "most"),
    [(move_on_the_web, 16), (move_by_program, 17), (move_by_mail, 39), (write_turn_mail, 9)],
)
def test_a_move_takes_as_many_late_as_early(
    players: list[User], measure: Callable[[Match], int], most: int
) -> None:
    match = make_match(players=players, server_part=DEAL)
    early = measure(in_the_middle(match, 4))
    late = measure(in_the_middle(match, LATE))
    assert late <= early <= most


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measure", "most"), [(move_on_the_web, 16), (move_by_program, 17), (move_by_mail, 39)]
)
def test_a_move_takes_as_many_among_many_matches_and_mails(
    players: list[User], measure: Callable[[Match], int], most: int
) -> None:
    alone = measure(in_the_middle(make_match(players=players, server_part=DEAL), 4))
    for _ in range(5):
        in_the_middle(make_match(players=players, server_part=DEAL), 4)
    among_many = measure(in_the_middle(make_match(players=players, server_part=DEAL), 4))
    assert among_many <= alone <= most


@pytest.mark.slow
def test_the_end_is_told_to_all_in_as_many_as_to_one(players: list[User]) -> None:
    """The last move of a match queues a mail about the end for everybody at the table."""

    def last_move(match: Match) -> int:
        taken = 0
        while match.is_running:
            seat = asked(match)
            assert seat.user
            form = {"text": a_move(seat), "prompt_ply": seat.prompt_ply, "request_id": str(uuid4())}
            client = signed_in(seat.user)
            taken = count(lambda: client.post(match.get_absolute_url(), form))  # noqa: B023 called at once
            match = Match.objects.get(pk=match.pk)
        return taken

    people = [*players, make_user("cy"), make_user("dee")]
    two = last_move(make_match(players=players, server_part=DEAL))
    four = last_move(make_match(players=people, server_part=DEAL))
    assert four <= two


def test_the_pages_of_a_match_take_few(players: list[User]) -> None:
    match = play_until(make_match(players=players, server_part=DEAL), is_asked(players[0]))
    late = play_until(
        make_match(players=players, server_part=DEAL),
        lambda reached: reached.ply >= LATE and is_asked(players[0])(reached),
    )

    def look(client: Client, match: Match = match) -> int:
        client.get("/")
        return count(lambda: client.get(match.get_absolute_url()))

    assert look(signed_in(players[0])) <= 18
    # With three to find out whether a move could be taken back.
    assert look(signed_in(players[0]), late) <= 20
    assert look(signed_in(make_user("dee"))) <= 12
    assert look(Client()) <= 8  # with one for the preview of the link, which programs read as strangers


@pytest.mark.parametrize(("path", "most"), [("/", 15), ("/tables/", 7), ("/matches/", 7)])
def test_the_lists_take_few(players: list[User], path: str, most: int) -> None:
    make_match(players=players)
    client = signed_in(players[0])
    client.get(path)
    assert count(lambda: client.get(path)) <= most
