"""Which mails are answered, as each player has chosen."""

from __future__ import annotations

import re

import pytest
from django.core.mail import EmailMultiAlternatives
from django.utils import translation

from games.chance import Chance
from games.contract import Message
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.mailgate.lines.command_words import USAGE
from gemserver.matches import replay
from gemserver.matches.models import Match, Seat
from gemserver.matches.notifications import RECEIPT_PAUSE, turns_wait_for_receipt
from gemserver.matches.words.messages import words_of
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user, play
from tests.mailgate.letters import letter, receive
from tests.mailgate.posting import one_line, sent_to, write
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db

Level = User.Receipts


def begin(level: Level, *, options: dict[str, str] | None = None) -> Seat:
    """A match in which a player with this level, who has mailed before, is asked."""
    players = [make_user(name, receipts=level) for name in ("ana", "ben")]
    match = make_match(players=players, options=options, now=clock.now())
    for player in players:
        write(player, "status")
    OutboxMessage.objects.filter(kind="receipt").delete()
    return Seat.objects.select_related("user", "match").filter(match=match, is_waiting=True)[0]


def is_answered(seat: Seat, body: str) -> bool:
    before = OutboxMessage.objects.filter(kind="receipt").count()
    receive(seat, letter(seat, body))
    return OutboxMessage.objects.filter(kind="receipt").count() > before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "answered_at"),
    [
        ("bid 0", {Level.ALL}),
        ("Hi Ben,\nbid 0\nThanks!\nAna", {Level.ALL}),
        ("bid 0\nsay Good luck!", {Level.ALL}),
        ("say Good luck!", {Level.ALL}),
        ("bid 99", {Level.ALL, Level.REFUSALS}),
        ("bid 0\nbit 3 or so", {Level.ALL, Level.REFUSALS}),
        ("bid 0\nbid 99", {Level.ALL, Level.REFUSALS}),
        ("quiet 22-07", {Level.ALL, Level.REFUSALS}),
        ("plan\nbid 1\nend", {Level.ALL, Level.REFUSALS}),
        ("help", set(Level)),
        ("bid 0\nstatus", set(Level)),
        ("resign", set(Level)),
        ("mail turns", set(Level)),
        ("mail receipts none", set(Level)),
        ("address new", set(Level)),
    ],
)
@pytest.mark.parametrize("level", list(Level))
def test_an_answer_comes_at_the_levels_that_promise_it(
    level: Level, body: str, answered_at: set[Level]
) -> None:
    """mail-requirements.md L11."""
    assert is_answered(begin(level), body) == (level in answered_at)


@pytest.mark.parametrize("level", list(Level))
def test_a_sealed_order_is_answered_with_its_fingerprint(level: Level) -> None:
    seat = begin(level, options={"pace": "sealed"})
    assert is_answered(seat, "bid 1") == (level != Level.NONE)


def test_whoever_has_sealed_is_not_told_all_moves_again() -> None:
    seat = begin(Level.ALL, options={"pace": "sealed"})
    assert seat.user
    write(seat.user, "bid 1", to=seat.reply_address)
    text = one_line(sent_to(seat.user)[-1])
    assert "you may send another one instead" in text
    assert "To play, write:" not in text


@pytest.mark.parametrize("level", list(Level))
def test_the_last_failure_is_told_at_every_level(level: Level) -> None:
    """mail-requirements.md L11: whoever is not heard any more learns it."""
    seat = begin(level)
    for number in range(4):
        is_answered(seat, f"bid 9{number}")
    assert OutboxMessage.objects.filter(kind="receipt").count() == (0 if level == Level.NONE else 4)
    assert is_answered(seat, "bid 77")
    assert OutboxMessage.objects.filter(kind="receipt").latest("pk").data["quiet_until"]
    assert not is_answered(seat, "bid 78")


def test_the_first_move_that_somebody_mails_is_answered() -> None:
    """So that a newcomer knows that it works."""
    players = [make_user(name, receipts=Level.REFUSALS) for name in ("ana", "ben")]
    match = make_match(players=players, now=clock.now())
    seat = Seat.objects.select_related("user", "match").get(match=match, is_waiting=True)
    assert is_answered(seat, "bid 0")
    other = Seat.objects.select_related("user", "match").get(match=match, is_waiting=True)
    receive(other, letter(other, "pass"))
    seat = Seat.objects.select_related("user", "match").get(pk=seat.pk)
    move = Match.objects.get(pk=match.pk)
    assert move.is_running
    assert not is_answered(seat, "say hello")


def test_the_level_is_set_by_mail_and_on_the_page(ana: User) -> None:
    write(ana, "mail receipts none")
    assert User.objects.get(pk=ana.pk).receipts == Level.NONE
    assert "not even refused moves" in one_line(sent_to(ana)[-1])
    page = signed_in(ana)
    assert page.post("/notifications/", {"do": "receipts", "level": "refusals"}).status_code == 302
    assert User.objects.get(pk=ana.pk).receipts == Level.REFUSALS
    assert page.post("/notifications/", {"do": "receipts", "level": "loud"}).status_code == 422
    assert write(ana, "mail receipts loud").results[0]["code"] == "usage"


def test_courtesies_are_passed_over_in_one_sentence_and_are_no_errors() -> None:
    seat = begin(Level.ALL)
    receive(seat, letter(seat, "Hi Ben,\nbid 0\nThanks, good luck!\nAna\nbit 4\n"))
    assert seat.user
    receipt = sent_to(seat.user)[-1]
    assert isinstance(receipt, EmailMultiAlternatives)
    text = one_line(receipt)
    assert "3 lines of greetings or thanks were passed over." in text
    listed = text.partition("Not read:")[2].partition("3 lines")[0]
    assert "bit 4" in listed
    assert "Hi Ben" not in text
    assert "Thanks" not in listed


def sent_about(seat: Seat, since: int) -> list[OutboxMessage]:
    rows = OutboxMessage.objects.filter(user=seat.user, pk__gt=since).exclude(state="skipped")
    return list(rows.order_by("pk"))


@pytest.mark.parametrize(("level", "kinds"), [(Level.ALL, ["receipt"]), (Level.REFUSALS, ["turn"])])
def test_the_answer_and_a_turn_that_comes_at_once_are_one_mail(level: Level, kinds: list[str]) -> None:
    """Whoever invests last opens the next auction: one mail about both."""
    seat = asked_again_at_once(begin(level).match)
    before = OutboxMessage.objects.latest("pk").pk
    taken = seat.match.rules.write(
        next(seat.match.rules.legal_moves(replay.position(seat.match), seat.index))
    )
    assert receive(seat, letter(seat, taken)).state == "done"
    rows = sent_about(seat, before)
    assert [row.kind for row in rows] == kinds
    assert all(row.available_at <= clock.now() for row in rows), "nothing waits any more"
    assert rows[0].message_id.startswith("<t."), "an answer to it answers the turn"
    assert seat.user
    sent = sent_to(seat.user)[-1]
    assert "[Your turn: " in str(sent.subject)
    assert (f"Done: * {taken}" in one_line(sent)) == (level == Level.ALL)
    assert "To play, write:" in one_line(sent)
    again = Seat.objects.select_related("user", "match").get(pk=seat.pk)
    assert again.is_waiting
    move = next(again.match.rules.legal_moves(replay.position(again.match), again.index))
    reply = letter(again, again.match.rules.write(move), In_Reply_To=rows[0].message_id)
    assert receive(again, reply).state == "done"


def test_a_turn_whose_answer_is_never_written_goes_out_by_itself() -> None:
    """A process that dies between the move and its answer loses neither."""
    seat = asked_again_at_once(begin(Level.ALL).match)
    assert seat.user
    with turns_wait_for_receipt(seat.user):
        move = next(seat.match.rules.legal_moves(replay.position(seat.match), seat.index))
        play(seat.match, seat.index, seat.match.rules.write(move), now=clock.now())
    held = OutboxMessage.objects.filter(user=seat.user, kind="turn").latest("pk")
    assert clock.now() < held.available_at <= clock.now() + RECEIPT_PAUSE


def asked_again_at_once(match: Match) -> Seat:
    """The seat that is asked for a move after which the same seat is asked."""
    for _ in range(60):
        match = Match.objects.get(pk=match.pk)
        state = replay.position(match)
        (index,) = match.rules.waiting_on(state)
        move = next(match.rules.legal_moves(state, index))
        chance = Chance("0" * 64, "try")
        if match.rules.waiting_on(match.rules.apply(state, index, move, chance).state) == {index}:
            return Seat.objects.select_related("user", "match").get(match=match, index=index)
        play(match, index, match.rules.write(move), now=clock.now())
    raise AssertionError("nobody is asked twice in a row")


@pytest.mark.parametrize("language", ["de", "fr"])
def test_what_a_player_fills_in_is_named_in_their_language(language: str) -> None:
    with translation.override(language):
        for _shape, usage in USAGE.values():
            sentence = words_of(
                Message("“{word}” is written like this: {usage}", {"word": "", "usage": usage})
            )
            assert not re.search(r"ADDRESS|FROM|GAME|PLAYER|WORDS", sentence)


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("quiet 22-07 Nowhere/Town", "NOT done: quiet 22-07 Nowhere/Town."),
        ("undo", "NOT done: undo."),
        ("bid 99", "NOT played: bid 99."),
    ],
)
def test_only_of_a_move_an_answer_says_that_it_is_not_played(
    seat: Seat, player: User, line: str, verdict: str
) -> None:
    receive(seat, letter(seat, line))
    assert verdict in one_line(sent_to(player)[-1])


def test_a_command_refused_at_the_address_of_the_account_is_not_said_to_be_unplayed(
    seat: Seat, player: User
) -> None:
    write(player, f"{seat.match.code}: undo")
    assert f"NOT done: {seat.match.code}: undo." in one_line(sent_to(player)[-1])
