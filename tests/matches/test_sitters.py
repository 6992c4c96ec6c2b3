"""Somebody plays a seat for its player for a while: who may, what they see, and when it ends."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

import pytest
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client

from gemserver.accounts.models import Block, User
from gemserver.clocks.control import TimeControl
from gemserver.lib import clock
from gemserver.mailgate.addresses import find_recipient
from gemserver.mailgate.ingest import ingest
from gemserver.mailgate.models import InboundEmail
from gemserver.matches import selectors
from gemserver.matches.actions.hand_over import take_seat
from gemserver.matches.actions.mail_mode import queue_digest, set_mail_mode
from gemserver.matches.actions.remind_seat import remind_seat
from gemserver.matches.actions.sitting import agree_to_sit, end_sitting, propose_sitting, refuse_to_sit
from gemserver.matches.actions.submit import Actor, Request, submit
from gemserver.matches.mails import mail_ids
from gemserver.matches.models import Match, Move, Seat, Sitting
from gemserver.matches.refusal import Refused
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, THREE_DAYS, is_asked, make_match, make_user, play, play_until
from tests.mailgate.letters import letter, receive_at
from tests.matches.sweeping import sweep
from tests.web.pages import read, signed_in

pytestmark = pytest.mark.django_db

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
TODAY, SUNDAY = date(2026, 3, 6), date(2026, 3, 8)
MONDAY = datetime(2026, 3, 9, tzinfo=NOON.tzinfo)
"""The end of a sitting until Sunday."""


@pytest.fixture(autouse=True)
def at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON)


@pytest.fixture
def match() -> Match:
    return make_match(players=[make_user("ana"), make_user("ben")], time_control=THREE_DAYS)


@pytest.fixture
def eva(match: Match) -> User:
    return make_user("eva")


def asked(match: Match) -> Seat:
    return Seat.objects.select_related("user", "match").get(match=match, is_waiting=True)


def sit(match: Match, sitter: User, *, first: date = TODAY, last: date = SUNDAY) -> Sitting:
    """The seat that is to move is given to the sitter, who has agreed."""
    seat = asked(match)
    assert seat.user
    sitting = propose_sitting(match.pk, seat.user, sitter.username, first, last, now=NOON)
    agree_to_sit(sitting.pk, sitter, now=NOON)
    return Sitting.objects.select_related("seat__match", "sitter", "player").get(pk=sitting.pk)


def play_as(sitter: User, seat: Seat, text: str, at: datetime = NOON) -> Move:
    actor = Actor.in_seat(sitter, seat, at)
    request = Request(seat.match_id, actor, text, Move.Source.WEB, f"test:{sitter.pk}:{text}")
    return submit(request, now=at).moves[0]


def mails_to(user: User) -> list[EmailMultiAlternatives]:
    mail.outbox.clear()
    delivery.send_queued()
    return [message for message in mail.outbox if message.to == [user.email]]


def write(
    sitting: Sitting, body: str, *, sender: str = "eva@example.org", at: datetime = NOON
) -> InboundEmail:
    raw = letter(sitting.seat, body, sender=sender, To=sitting.reply_address)
    return receive_at(sitting.reply_address, raw, sender=sender, at=at)


def hand_in(text: str) -> str:
    """The beginning of the hand that a page shows; empty when it shows none."""
    found = re.search(r"your hand: (.{20})", text)
    return found[1] if found else ""


def log_of(match: Match, seat: Seat | None = None) -> str:
    return " ".join(line for entry in selectors.history(match, seat) for line in entry.sentences)


# --- Asking and answering


def test_who_is_asked_may_move_only_once_they_have_agreed(match: Match, eva: User) -> None:
    seat = asked(match)
    assert seat.user
    sitting = propose_sitting(match.pk, seat.user, "Eva", TODAY, SUNDAY, now=NOON)
    (question,) = mails_to(eva)
    assert f"{seat.user.username} asks you to play for them" in question.body
    assert seat.token not in str(question.message())
    with pytest.raises(Refused, match="not-seated"):
        play_as(eva, seat, "bid 1")
    assert write(sitting, "bid 1").results[0]["code"] == "not-seated"
    agree_to_sit(sitting.pk, eva, now=NOON)
    move = play_as(eva, seat, "bid 1")
    assert (move.seat, move.actor) == (seat.index, eva)
    entry = next(entry for entry in selectors.log(match, None) if entry.ply == move.ply)
    assert entry.played_by == "eva"


def test_the_log_says_who_plays_for_whom_and_how_long(match: Match, eva: User) -> None:
    sitting = sit(match, eva)
    name = sitting.player.username
    assert f"eva plays for {name} from 6 Mar 12:00 to 9 Mar 00:00." in log_of(match)
    end_sitting(sitting.pk, sitting.player, now=NOON + HOUR)
    assert f"eva does not play for {name} any more." in log_of(match)


def test_the_question_is_answered_by_mail(match: Match, eva: User) -> None:
    seat = asked(match)
    assert seat.user
    sitting = propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON)
    (question,) = mails_to(eva)
    assert question.reply_to == [sitting.reply_address]
    assert write(sitting, "agree").results[0]["outcome"] == "done"
    assert [told.body.count("eva plays for you") for told in mails_to(seat.user)][-1] == 1
    assert write(sitting, "refuse", at=NOON + HOUR).results[0]["outcome"] == "done"
    assert "You play gem" in mails_to(seat.user)[-1].body.replace("GEM", "gem")


def test_a_refusal_is_told_to_the_player_and_frees_the_question(match: Match, eva: User) -> None:
    seat = asked(match)
    assert seat.user
    sitting = propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON)
    refuse_to_sit(sitting.pk, eva, now=NOON)
    assert "eva cannot play for you" in mails_to(seat.user)[-1].body
    assert "eva" not in log_of(match)
    make_user("finn")
    propose_sitting(match.pk, seat.user, "finn", TODAY, SUNDAY, now=NOON)


def test_who_cannot_be_asked(match: Match, eva: User) -> None:
    seat, other = asked(match), match.seats.get(is_waiting=False)
    assert seat.user
    assert other.user

    def propose(name: str, first: date = TODAY, last: date = SUNDAY) -> str:
        assert seat.user
        with pytest.raises(Refused) as refusal:
            propose_sitting(match.pk, seat.user, name, first, last, now=NOON)
        return refusal.value.code

    assert propose(seat.user.username) == "already-seated"
    assert propose(other.user.username) == "already-seated"
    assert propose("nobody") == "no-such-player"
    assert propose("eva", first=TODAY - DAY) == "bad-days"
    assert propose("eva", first=SUNDAY, last=TODAY) == "bad-days"
    assert propose("eva", last=TODAY + 61 * DAY) == "bad-days"
    Block.objects.create(user=eva, blocked=seat.user, created_at=NOON)
    assert propose("eva") == "no-such-player"


def test_one_at_a_time_and_no_more_than_five_a_day(match: Match, eva: User) -> None:
    seat = asked(match)
    assert seat.user
    sitting = propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON)
    assert propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON) == sitting
    with pytest.raises(Refused, match="open-sitting"):
        propose_sitting(match.pk, seat.user, make_user("finn").username, TODAY, SUNDAY, now=NOON + HOUR)
    for hour in range(1, 5):
        end_sitting(sitting.pk, seat.user, now=NOON + hour * HOUR)
        sitting = propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON + hour * HOUR)
    end_sitting(sitting.pk, seat.user, now=NOON + 5 * HOUR)
    with pytest.raises(Refused, match="too-often"):
        propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON + 6 * HOUR)
    propose_sitting(match.pk, seat.user, "eva", SUNDAY, SUNDAY, now=NOON + 30 * HOUR)


def test_only_the_two_it_concerns_may_answer_or_end_it(match: Match, eva: User) -> None:
    seat, finn = asked(match), make_user("finn")
    assert seat.user
    sitting = propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON)
    for act in (agree_to_sit, refuse_to_sit, end_sitting):
        with pytest.raises(Refused, match="nothing-asked"):
            act(sitting.pk, finn, now=NOON)
    with pytest.raises(Refused, match="nothing-asked"):
        agree_to_sit(sitting.pk, seat.user, now=NOON)


# --- What a sitter may see and do


def test_a_sitter_sees_what_the_seat_sees_on_page_and_in_mail(eva: User) -> None:
    players = [make_user(name) for name in ("dan", "kim", "lou")]
    match = make_match("gemessengers", players, server_part="5" * 64)
    seat = match.seats.select_related("user").get(index=0)
    assert seat.user
    own, stranger = signed_in(seat.user), signed_in(eva)
    own_page = read(own.get(match.get_absolute_url())).text
    before = read(stranger.get(match.get_absolute_url())).text
    sitting = propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON)
    agree_to_sit(sitting.pk, eva, now=NOON)
    page = read(stranger.get(match.get_absolute_url()))
    assert "You play for dan" in page.text
    assert "Your move" in page.text
    assert "Your move" not in before
    assert "Your move" in own_page
    assert hand_in(own_page) == hand_in(page.text) != ""
    assert hand_in(before) == ""
    (turn,) = [told for told in mails_to(eva) if "It is your turn" in told.body]
    assert "you play for dan, seat A" in turn.body
    assert turn.reply_to == [sitting.reply_address]
    assert seat.token not in str(turn.message())
    assert seat.token not in stranger.get(match.get_absolute_url()).content.decode()


def test_turns_and_reminders_go_to_the_sitter_while_it_lasts(
    match: Match, eva: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = sit(match, eva)
    seat = sitting.seat
    turns = OutboxMessage.objects.filter(kind="turn", data__turn=seat.prompt_ply)
    assert {row.user_id for row in turns} == {sitting.player_id, eva.pk}, "the player was asked before"
    assert remind_seat(seat.pk, now=NOON + 2 * DAY)
    assert [row.user for row in OutboxMessage.objects.filter(kind="reminder")] == [eva]
    sweep(monkeypatch, MONDAY + 13 * HOUR)
    told = OutboxMessage.objects.filter(kind="timeout").values_list("user", flat=True)
    assert list(told) == [sitting.player_id], "the sitting was over by then"


def test_a_turn_mail_that_waited_until_somebody_sits_there_is_not_sent_to_the_player(
    match: Match, eva: User
) -> None:
    """The turn is the sitter's by then; what is queued is judged anew at sending (`notifications`)."""
    waiting = OutboxMessage.objects.get(user=asked(match).user, kind="turn")
    sit(match, eva)
    delivery.send_queued()
    waiting.refresh_from_db()
    assert waiting.state == OutboxMessage.State.SKIPPED


def test_a_digest_that_waited_until_somebody_sits_there_leaves_that_match_out(
    match: Match, eva: User
) -> None:
    player = asked(match).user
    assert player
    own = make_match(players=[player], bots=1, server_part="5" * 64)
    own = play_until(own, is_asked(player))
    due = set_mail_mode(player, User.MailMode.DIGEST, now=NOON, digest_at=time(8))
    assert due
    assert queue_digest(player.pk, now=due)
    sit(match, eva)
    OutboxMessage.objects.filter(kind="digest").update(available_at=NOON)
    [digest] = [message for message in mails_to(player) if "Your turn in one match" in message.subject]
    assert f"M{own.pk}" in digest.body
    assert f"M{match.pk}" not in digest.body


def test_both_are_told_that_time_ran_out(match: Match, eva: User, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = sit(match, eva, last=TODAY + 30 * DAY)
    sweep(monkeypatch, NOON + 3 * DAY)
    told = OutboxMessage.objects.filter(kind="timeout")
    assert {row.user_id for row in told} == {sitting.player_id, eva.pk}


def test_the_mails_of_player_and_sitter_have_different_names_that_tell_the_turn(
    match: Match, eva: User
) -> None:
    sitting = sit(match, eva)
    rows = OutboxMessage.objects.filter(kind="turn", data__turn=1)
    names = {row.user_id: row.message_id for row in rows}
    assert len(set(names.values())) == 2
    assert mail_ids.read_message_id(names[eva.pk]) == mail_ids.MailRef(
        match.pk, 1, sitting.seat.index, sitting.pk
    )
    assert mail_ids.read_message_id(names[sitting.player_id]) == mail_ids.MailRef(
        match.pk, 1, sitting.seat.index
    )


def test_a_sitter_moves_by_mail_with_an_address_of_their_own(match: Match, eva: User) -> None:
    sitting = sit(match, eva)
    row = write(sitting, "bid 1")
    assert (row.results[0]["outcome"], row.user, row.seat) == ("done", eva, sitting.seat)
    assert match.moves.get(ply=1).actor == eva
    (receipt,) = [told for told in mails_to(eva) if told.body.count("OK: bid 1")]
    assert receipt.reply_to == [sitting.reply_address]


def test_only_the_sitters_own_addresses_count_for_the_sitters_token(match: Match, eva: User) -> None:
    sitting = sit(match, eva)
    row = write(sitting, "bid 1", sender=sitting.player.email)
    assert (row.state, row.code) == ("held", "foreign-sender")
    assert not match.moves.exists()


def test_an_answer_without_the_token_is_taken_from_who_got_the_mail(match: Match, eva: User) -> None:
    sitting = sit(match, eva)
    (turn,) = [told for told in mails_to(eva) if "It is your turn" in told.body]
    raw = letter(sitting.seat, "bid 1", sender=eva.email, answering=turn, To="play@gem.localhost")
    row = receive_at("play@gem.localhost", raw, sender=eva.email, at=NOON)
    assert (row.results[0]["outcome"], row.user) == ("done", eva)


@pytest.mark.parametrize("line", ["holiday 2026-04-03 2026-04-06", "say hello", "undo", "address new"])
def test_what_is_the_players_alone_is_refused_by_mail(match: Match, eva: User, line: str) -> None:
    sitting = sit(match, eva)
    result = write(sitting, line).results[0]
    assert result["outcome"] in {"refused", "unread"}
    assert not match.holidays.exists()


def test_the_players_page_has_no_talk_or_consent_for_the_sitter(match: Match, eva: User) -> None:
    sit(match, eva)
    page = signed_in(eva).get(match.get_absolute_url()).content.decode()
    assert "Propose days off" not in page
    assert "Let somebody else play" not in page


def test_the_player_may_still_move_and_read(match: Match, eva: User) -> None:
    sitting = sit(match, eva)
    play(match, sitting.seat.index, "bid 1")
    assert match.moves.get(ply=1).actor == sitting.player


def test_a_digest_lists_the_seat_and_its_answer_moves_there(match: Match, eva: User) -> None:
    sitting = sit(match, eva)
    raw = letter(
        sitting.seat,
        f"{match.code}: bid 1",
        sender=eva.email,
        To=f"me+{eva.token}@gem.localhost",
    )
    row = receive_at(f"me+{eva.token}@gem.localhost", raw, sender=eva.email, at=NOON)
    assert row.results[0]["outcome"] == "done"


def test_a_deadline_waits_for_the_sitters_mail_that_came_in_time(
    match: Match, eva: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = sit(match, eva, last=TODAY + 30 * DAY)
    due = NOON + 3 * DAY
    monkeypatch.setattr(clock, "now", lambda: due - HOUR)
    ingest(letter(sitting.seat, "bid 1", sender=eva.email), eva.email, sitting.reply_address, "smtp", {})
    sweep(monkeypatch, due + timedelta(minutes=1))
    assert not match.moves.exists()


# --- The end


def test_on_return_the_address_is_dead_and_the_sitter_is_told(
    match: Match, eva: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = sit(match, eva)
    assert find_recipient(sitting.reply_address, NOON)
    mails_to(eva)
    end_sitting(sitting.pk, sitting.player, now=NOON + HOUR)
    assert find_recipient(sitting.reply_address, NOON + HOUR) is None
    with pytest.raises(Refused, match="not-seated"):
        play_as(eva, sitting.seat, "bid 1", NOON + HOUR)
    monkeypatch.setattr(clock, "now", lambda: NOON + HOUR)
    (told,) = mails_to(eva)
    assert "You do not play for" in told.body
    assert write(sitting, "bid 1", at=NOON + 2 * HOUR).state == "dropped"
    assert "Your move" not in read(signed_in(eva).get(match.get_absolute_url())).text


def test_a_mail_counts_by_its_receipt_even_if_the_sitting_ends_before_it_is_read(
    match: Match, eva: User
) -> None:
    sitting = sit(match, eva)
    end_sitting(sitting.pk, sitting.player, now=NOON + HOUR)
    assert write(sitting, "bid 1", at=NOON + HOUR - timedelta(seconds=1)).results[0]["outcome"] == "done"


def test_it_ends_with_its_period_and_the_player_is_asked(
    match: Match, eva: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = sit(match, eva)
    mails_to(sitting.player)
    with pytest.raises(Refused, match="not-seated"):
        play_as(eva, sitting.seat, "bid 1", MONDAY)
    for _ in range(3):
        sweep(monkeypatch, MONDAY)
    sitting.refresh_from_db()
    assert sitting.ended_at == MONDAY
    told = [told for told in mails_to(sitting.player) if "yourself again" in told.body]
    assert len(told) == 1
    assert "Your move is due" in told[0].body
    assert told[0].reply_to == [sitting.seat.reply_address]


def test_it_begins_when_its_time_has_come(match: Match, eva: User, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = sit(match, eva, first=SUNDAY)
    assert not OutboxMessage.objects.filter(kind="turn", user=eva).exists()
    with pytest.raises(Refused, match="not-seated"):
        play_as(eva, sitting.seat, "bid 1", NOON)
    begins = datetime(2026, 3, 8, tzinfo=NOON.tzinfo)
    sweep(monkeypatch, begins - timedelta(seconds=1))
    assert "eva" not in log_of(match)
    for _ in range(3):
        sweep(monkeypatch, begins)
    assert OutboxMessage.objects.filter(kind="turn", user=eva).count() == 1
    assert log_of(match).count("eva plays for") == 1


def test_a_question_nobody_answers_lapses(match: Match, eva: User, monkeypatch: pytest.MonkeyPatch) -> None:
    seat = asked(match)
    assert seat.user
    sitting = propose_sitting(match.pk, seat.user, "eva", TODAY, TODAY, now=NOON)
    sweep(monkeypatch, NOON + DAY)
    sitting.refresh_from_db()
    assert sitting.ended_at is not None
    with pytest.raises(Refused, match="nothing-asked"):
        agree_to_sit(sitting.pk, eva, now=NOON + DAY)


def test_it_ends_when_the_seat_changes_hands(eva: User, monkeypatch: pytest.MonkeyPatch) -> None:
    match = make_match(
        players=[make_user("kim"), make_user("lou")],
        time_control=TimeControl.per_move(DAY),
        absence=Match.Absence.REPLACE,
    )
    sitting = sit(match, eva, last=TODAY + 50 * DAY)
    Seat.objects.filter(pk=sitting.seat_id).update(misses=1)
    sweep(monkeypatch, NOON + DAY)
    seat = Seat.objects.get(pk=sitting.seat_id)
    assert seat.is_open
    assert find_recipient(sitting.reply_address, NOON + DAY) is None
    with pytest.raises(Refused, match="not-seated"):
        play_as(eva, seat, "bid 1", NOON + DAY)
    sweep(monkeypatch, NOON + DAY + HOUR)
    sitting.refresh_from_db()
    assert sitting.ended_at
    for row in OutboxMessage.objects.filter(user=eva, kind="turn"):
        assert delivery.write(row) is None


def test_who_has_sat_in_one_seat_may_not_take_another_of_the_match(match: Match, eva: User) -> None:
    sitting = sit(match, eva)
    end_sitting(sitting.pk, sitting.player, now=NOON + HOUR)
    other = match.seats.exclude(pk=sitting.seat_id).get()
    Seat.objects.filter(pk=other.pk).update(user=None, bot=Seat.Bot.NORMAL, is_open=True)
    with pytest.raises(Refused, match="has-seen"):
        take_seat(match.pk, other.index, eva, now=NOON + DAY)


# --- The page


def test_asking_agreeing_and_returning_on_the_web(match: Match, eva: User) -> None:
    seat = asked(match)
    assert seat.user
    own, sitters = signed_in(seat.user), signed_in(eva)
    url = match.get_absolute_url()
    form = {"do": "propose", "name": "eva", "first": "2026-03-06", "last": "2026-03-08"}
    assert "eva is asked" in read(own.post(f"{url}sitter/", form, follow=True)).text
    question = read(sitters.get(url))
    assert f"{seat.user.username} asks you to play" in question.text
    answer = {"do": "agree", "sitting": question.fields["sitting"]}
    assert "Thank you" in read(sitters.post(f"{url}sitter/", answer, follow=True)).text
    page = read(own.get(url))
    assert "eva plays for you" in page.text
    back = {"do": "end", "sitting": page.fields["sitting"]}
    assert "You play this seat yourself." in read(own.post(f"{url}sitter/", back, follow=True)).text


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"do": "propose", "name": "eva"}, "required"),
        ({"do": "agree", "sitting": "x"}, "nothing to answer"),
        ({"do": "end"}, "nothing to answer"),
    ],
)
def test_what_cannot_be_is_said(match: Match, eva: User, form: dict[str, str], sentence: str) -> None:
    client: Client = signed_in(asked(match).user or eva)
    url = f"{match.get_absolute_url()}sitter/"
    assert sentence in read(client.post(url, form, follow=True)).text


def test_the_first_page_shows_questions_and_the_seats_one_plays_for_others(match: Match, eva: User) -> None:
    seat = asked(match)
    assert seat.user
    client = signed_in(eva)
    sitting = propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON)
    assert "You are asked to play for somebody" in read(client.get("/")).text
    agree_to_sit(sitting.pk, eva, now=NOON)
    page = read(client.get("/")).text
    assert "You are asked to play" not in page
    assert f"for {seat.user.username}, with" in page
    end_sitting(sitting.pk, seat.user, now=NOON)
    assert f"for {seat.user.username}, with" not in read(client.get("/")).text


def test_a_substitute_is_reminded_though_the_former_player_was(match: Match, eva: User) -> None:
    seat = asked(match)
    assert remind_seat(seat.pk, now=NOON + 2 * DAY)
    Seat.objects.filter(pk=seat.pk).update(user=None, bot=Seat.Bot.NORMAL, is_open=True)
    take_seat(match.pk, seat.index, eva, now=NOON + 2 * DAY)
    assert remind_seat(seat.pk, now=NOON + 4 * DAY)
    assert OutboxMessage.objects.filter(kind="reminder", user=eva).count() == 1


def test_standing_orders_stay_the_players(match: Match, eva: User) -> None:
    sitting = sit(match, eva)
    assert write(sitting, "bid 1 else pass").results[0]["code"] == "not-for-sitters"
    assert write(sitting, "plan\nbid 1\nend").results[0]["code"] == "not-for-sitters"
    assert not match.plans.exists()
    assert "else" not in signed_in(eva).get(match.get_absolute_url()).content.decode()
