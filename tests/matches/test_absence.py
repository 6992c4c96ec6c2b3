"""Seats whose player does not answer, and their new holders."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest
from django.core import mail
from django.test import Client

from gemserver.clocks.control import TimeControl
from gemserver.mailgate.addresses import find_recipient
from gemserver.matches import selectors, sweeps
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.seats.hand_over import take_seat
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, asked, make_match, make_user, play
from tests.logs import read_log
from tests.matches.sweeping import sweep

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def three_at_the_table(absence: Match.Absence) -> Match:
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    return make_match(players=players, time_control=TimeControl.per_move(DAY), absence=absence)


def answer(match: Match, now: datetime) -> None:
    """Play the last of the legal moves for the seat that is asked."""
    seat = asked(match)
    legal = selectors.legal_texts(seat.match, seat, 500)
    assert legal
    play(match, seat.index, legal[-1], now=now)


def log_of(match: Match) -> str:
    return " ".join(line for entry in read_log(match, None) for line in entry.sentences)


@pytest.mark.slow
def test_a_bot_plays_the_one_move_and_the_player_keeps_the_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    match = three_at_the_table(Match.Absence.BOT)
    seat = asked(match)
    sweep(monkeypatch, NOON + DAY)
    assert match.moves.get(ply=1).source == Move.Source.CLOCK
    seat.refresh_from_db()
    assert (seat.misses, seat.bot) == (1, "")
    delivery.send_queued()
    (told,) = [row for row in OutboxMessage.objects.filter(kind="timeout") if row.rendered]
    assert told.user == seat.user
    assert b"a bot played this move for you" in bytes(told.rendered or b"").replace(b"\n", b" ")


def test_the_mail_says_the_move_of_the_clock_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    players = [make_user("ana"), make_user("ben")]
    match = make_match("florentine", players=players, time_control=TimeControl.per_move(DAY))
    sweep(monkeypatch, NOON + DAY)
    played = match.moves.get(ply=1).text
    delivery.send_queued()
    (told,) = [str(sent.body) for sent in mail.outbox if "[Your time ran out]" in sent.subject]
    card = played.split()[1]
    assert re.search(
        rf"played the game's default move for you: “Place {card},[^”]+” \({played}\)\.",
        " ".join(told.split()),
    )


def abandon(match: Match, monkeypatch: pytest.MonkeyPatch) -> Seat:
    """Let the first player to move be absent and the others answer at once; return the seat once a bot has it."""
    absent = asked(match)
    now = NOON
    for _ in range(400):
        seat = asked(match)
        if seat.pk == absent.pk:
            now += DAY
            sweep(monkeypatch, now)
            absent.refresh_from_db()
            if absent.is_open:
                return absent
        else:
            answer(match, now)
    raise AssertionError("the seat was never given away")


@pytest.mark.slow
def test_the_second_miss_in_a_row_gives_the_seat_to_a_bot_that_plays_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match = three_at_the_table(Match.Absence.REPLACE)
    former = asked(match)
    assert former.user
    seat = abandon(match, monkeypatch)
    assert (seat.user, seat.bot, seat.due_at, seat.is_waiting) == (None, "normal", None, True)
    assert match.moves.filter(source=Move.Source.CLOCK).count() == 1
    assert f"The player of seat {seat.letter} did not answer twice in a row." in log_of(match)
    delivery.send_queued()
    (told,) = [message for message in mail.outbox if "A bot has taken your seat" in message.body]
    assert told.to == [former.user.email]
    before = match.moves.count()
    sweeps.play_bots(match.pk)
    assert match.moves.filter(source=Move.Source.BOT, seat=seat.index).count() >= 1
    assert match.moves.count() > before


def test_an_answer_after_the_due_time_but_before_the_sweep_is_an_answer_and_no_miss() -> None:
    match = make_match(
        players=[make_user("ana"), make_user("ben")],
        time_control=TimeControl.per_move(DAY),
        absence=Match.Absence.REPLACE,
    )
    seat = asked(match)
    Seat.objects.filter(pk=seat.pk).update(misses=1)
    answer(match, NOON + DAY + timedelta(minutes=1))
    seat.refresh_from_db()
    assert match.moves.get(ply=1).source == Move.Source.WEB
    assert (seat.misses, seat.clock_left) == (0, DAY)


def test_an_answer_in_between_forgives_the_first_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    match = make_match(
        players=[make_user("ana"), make_user("ben")],
        time_control=TimeControl.per_move(DAY),
        absence=Match.Absence.REPLACE,
    )
    seat = asked(match)
    sweep(monkeypatch, NOON + DAY)
    for step in range(40):
        if asked(match).pk == seat.pk:
            break
        answer(match, NOON + DAY + timedelta(minutes=step))
    seat.refresh_from_db()
    assert seat.misses == 1
    answer(match, NOON + DAY + timedelta(hours=1))
    seat.refresh_from_db()
    assert seat.misses == 0


def test_a_substitute_has_a_full_bank_an_address_of_their_own_and_is_asked(
    monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    match = three_at_the_table(Match.Absence.REPLACE)
    former = asked(match)
    old_address = former.reply_address
    seat = abandon(match, monkeypatch)
    eva = make_user("eva")
    assert [row.pk for row in selectors.open_seats(eva)] == [seat.pk]
    now = NOON + 30 * DAY
    taken = take_seat(match.pk, seat.index, eva, now=now)
    assert (taken.user, taken.bot, taken.due_at) == (eva, "", now + DAY)
    assert find_recipient(old_address, now + 31 * DAY) is None
    found = find_recipient(taken.reply_address)
    assert found
    assert found.user == eva
    assert OutboxMessage.objects.filter(kind="turn", user=eva).count() == 1
    assert f"eva takes over seat {seat.letter}." in log_of(match)
    assert take_seat(match.pk, seat.index, eva, now=now) == taken
    answer(match, now)


def test_who_comes_back_has_the_time_that_they_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else whoever goes and comes back would never run out of time."""
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    control = TimeControl(7 * DAY, timedelta(minutes=10), 7 * DAY)
    match = make_match(players=players, time_control=control, absence=Match.Absence.REPLACE)
    former = asked(match)
    assert former.user
    seat = abandon(match, monkeypatch)
    left = seat.clock_left or timedelta(0)
    taken = take_seat(match.pk, seat.index, former.user, now=NOON + 30 * DAY)
    assert taken.clock_left == max(left, control.increment) < control.bank


def test_who_has_resigned_does_not_come_back() -> None:
    match = three_at_the_table(Match.Absence.REPLACE)
    seat = asked(match)
    assert seat.user
    resign(match.pk, seat.user, source=Move.Source.WEB, request_id="r", now=NOON)
    with pytest.raises(Refused, match="resigned"):
        take_seat(match.pk, seat.index, seat.user, now=NOON)
    assert take_seat(match.pk, seat.index, make_user("eva"), now=NOON).clock_left == DAY


def test_only_who_does_not_sit_there_may_take_an_open_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    match = three_at_the_table(Match.Absence.REPLACE)
    seat = abandon(match, monkeypatch)
    other = match.seats.select_related("user").exclude(user=None).first()
    assert other
    assert other.user
    with pytest.raises(Refused, match="already-seated"):
        take_seat(match.pk, seat.index, other.user, now=NOON)
    with pytest.raises(Refused, match="not-open-seat"):
        take_seat(match.pk, other.index, make_user("eva"), now=NOON)
    assert not selectors.open_seats(other.user).exists()


def test_nothing_about_the_seat_is_sent_to_who_has_lost_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting mails are dropped; the mail about the loss holds neither the seat's view nor its address."""
    match = three_at_the_table(Match.Absence.REPLACE)
    former = asked(match)
    assert former.user
    delivery.send_queued()
    seat = abandon(match, monkeypatch)
    take_seat(match.pk, seat.index, make_user("eva"), now=NOON + 30 * DAY)
    mail.outbox.clear()
    delivery.send_queued()
    to_former = [message for message in mail.outbox if message.to == [former.user.email]]
    assert [message.body.count("A bot has taken your seat") for message in to_former] == [1]
    seat = Seat.objects.select_related("user").get(pk=seat.pk)
    assert seat.token not in str(to_former[0].message())


@pytest.mark.slow
def test_an_open_seat_is_offered_and_taken_on_the_web(
    monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    match = three_at_the_table(Match.Absence.REPLACE)
    seat = abandon(match, monkeypatch)
    eva = make_user("eva")
    client.force_login(eva)
    assert "Seats free for a substitute" in client.get("/").content.decode()
    url = f"{match.get_absolute_url()}seats/{seat.index}/take/"
    assert url in client.get(match.get_absolute_url()).content.decode()
    assert client.post(url, follow=True).status_code == 200
    seat.refresh_from_db()
    assert seat.user == eva
