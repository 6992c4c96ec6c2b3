"""A sitter's view, mails and rights."""

from __future__ import annotations

from datetime import time, timedelta

import pytest

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.mailgate.ingest import ingest
from gemserver.matches import mail_ids
from gemserver.matches.actions.people.choose_channels import choose_channels
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, propose_sitting
from gemserver.matches.actions.time.remind_seat import remind_seat
from gemserver.matches.digests import queue_digest
from gemserver.matches.models import Match, NotificationChoice
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, asked, is_asked, make_match, make_user, play, play_until
from tests.mailgate.letters import letter, receive_at
from tests.matches.sitters.sitting import (
    DAY,
    HOUR,
    MONDAY,
    SUNDAY,
    TODAY,
    hand_in,
    mails_to,
    sit,
    write,
)
from tests.matches.sweeping import sweep
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

Topic, Channel = NotificationChoice.Topic, NotificationChoice.Channel


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


def test_it_is_the_sitter_who_chooses_whether_turns_come_by_mail(match: Match, eva: User) -> None:
    choose_channels(eva, None, {Topic.TURN: Channel.WEB}, digest_at=None, now=NOON)
    sitting = sit(match, eva)
    turns = OutboxMessage.objects.filter(kind="turn", data__turn=sitting.seat.prompt_ply)
    assert {row.user_id for row in turns} == {sitting.player_id}, "the player was asked before"


def test_a_turn_mail_that_waited_until_somebody_sits_there_is_not_sent_to_the_player(
    match: Match, eva: User
) -> None:
    """The turn is the sitter's by then; queued mails are checked again when they are sent (`notifications`)."""
    delivery.send_queued()
    play(match, asked(match).index, "bid 0")
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


def test_standing_orders_stay_the_players(match: Match, eva: User) -> None:
    sitting = sit(match, eva)
    assert write(sitting, "bid 1 else pass").results[0]["code"] == "not-for-sitters"
    assert write(sitting, "plan\nbid 1\nend").results[0]["code"] == "not-for-sitters"
    assert not match.plans.exists()
    assert "else" not in signed_in(eva).get(match.get_absolute_url()).content.decode()
