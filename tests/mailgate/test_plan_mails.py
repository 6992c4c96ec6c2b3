"""Plans, sealed orders and undo by mail, and the words of the receipts."""

from __future__ import annotations

import re
from datetime import timedelta
from hashlib import sha256
from html import unescape

import pytest
from django.core import mail
from django.test import Client
from django.utils.formats import date_format

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.matches import replay
from gemserver.matches.actions.play.propose_undo import propose_undo
from gemserver.matches.actions.play.store_plan import plan_of, store_plan
from gemserver.matches.mails.about_match import MatchMail
from gemserver.matches.models import ChatMessage, Match, Move, SealedOrder, Seat, StoredPlan, Undo
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, play, play_until
from tests.mailgate.letters import letter, receive
from tests.mailgate.test_reply_plays import sent

pytestmark = pytest.mark.django_db

DEAL = "1" * 64


@pytest.fixture
def match(players: list[User]) -> Match:
    return make_match(players=players, server_part=DEAL, now=clock.now())


@pytest.fixture
def sealed(players: list[User]) -> Match:
    return make_match(players=players, options={"pace": "sealed"}, server_part=DEAL, now=clock.now())


def seat(match: Match, index: int) -> Seat:
    return match.seats.select_related("user", "match").get(index=index % match.seat_count)


def oya(match: Match) -> int:
    return int(replay.position(match).oya)


def flat(text: str) -> str:
    return " ".join(text.split())


def receipt(row: InboundEmail) -> str:
    """The receipt of this mail as its reader sees it."""
    sent("receipt")
    (found,) = [
        message
        for message in mail.outbox
        if message.extra_headers.get("In-Reply-To") == f"<{row.message_id}>"  # type: ignore[attr-defined]
    ]
    return flat(str(found.body))


def test_a_plan_is_kept_until_its_turn_and_the_receipt_repeats_it(match: Match) -> None:
    second = seat(match, oya(match) + 1)
    row = receive(second, letter(second, "plan\nbid 3 else bid 2\ntake SR pay 3\nend\n\nBest wishes\nB."))
    assert row.state == "done"
    said = receipt(row)
    assert "Your plan is kept and nobody else can read it: bid 3 else bid 2; take SR pay 3" in said
    play(match, oya(match), "bid 2", now=clock.now())
    assert match.moves.get(ply=2).text == "bid 3"
    assert match.moves.get(ply=2).source == Move.Source.PLAN


def test_a_plan_that_plays_at_once_says_so(match: Match) -> None:
    first = seat(match, oya(match))
    row = receive(first, letter(first, "plan\nbid 1\nend"))
    assert "Your plan has played: bid 1. It reads: bid 1" in receipt(row)


def test_else_on_a_line_is_a_plan_and_one_that_cannot_be_read_changes_nothing(match: Match) -> None:
    second = seat(match, oya(match) + 1)
    row = receive(second, letter(second, "bid 3 else pass"))
    assert plan_of(match, second.user) is not None  # type: ignore[arg-type]
    assert "bid 3 else pass" in receipt(row)
    row = receive(second, letter(second, "or else we meet on Sunday"))
    assert row.results[0]["outcome"] == "unread"
    assert StoredPlan.objects.count() == 1


def test_a_broken_line_of_a_plan_is_put_together(match: Match) -> None:
    second = seat(match, oya(match) + 1)
    receive(second, letter(second, "plan\nbid 6 else bid 5\nelse bid 4\nend"))
    assert StoredPlan.objects.get().lines == [["bid 6", "bid 5", "bid 4"]]


def test_plan_show_and_plan_clear(match: Match) -> None:
    second = seat(match, oya(match) + 1)
    row = receive(second, letter(second, "plan show"))
    assert "You have no plan here." in receipt(row)
    receive(second, letter(second, "plan always\nbid 3 else pass\nend"))
    row = receive(second, letter(second, "plan show", X_Try="2"))
    assert "Your plan for as long as you leave it, its next line first: bid 3 else pass" in receipt(row)
    row = receive(second, letter(second, "plan clear"))
    assert "Your plan is gone" in receipt(row)
    assert StoredPlan.objects.get().end == StoredPlan.End.CLEARED


def test_a_plan_with_a_line_that_is_no_move_is_refused_with_what_to_do(match: Match) -> None:
    second = seat(match, oya(match) + 1)
    row = receive(second, letter(second, "plan\nbid 3\nfrobnicate else pass\nend"))
    assert row.results[0]["outcome"] == "refused"
    assert "“frobnicate” is not understood here" in receipt(row)
    assert not StoredPlan.objects.exists()


def test_the_answer_to_a_mail_of_an_older_contest_stores_no_plan(match: Match) -> None:
    first = seat(match, oya(match))
    old = next(message for message in sent("turn") if message.to == [first.user.email])  # type: ignore[union-attr]
    play_auction(match)
    row = receive(first, letter(first, "plan\nbid 1\nend", answering=old))
    assert (row.results[0]["outcome"], row.results[0]["code"]) == ("refused", "stale")
    assert not StoredPlan.objects.exists()


def test_the_answer_to_a_receipt_of_this_contest_stores_a_plan(match: Match) -> None:
    """The receipt names the turn that it answers, but it was sent when the next auction was open."""
    first = seat(match, oya(match))
    play(match, first.index, "bid 2", now=clock.now())
    for step in (1, 2):
        play(match, (first.index + step) % 3, "pass", now=clock.now())
    card = replay.position(Match.objects.get(pk=match.pk)).open[0]
    receive(first, letter(first, f"take {card} pay 2"))
    (answer,) = sent("receipt")
    row = receive(seat(match, first.index), letter(first, "plan\nbid 1 else pass\nend", answering=answer))
    assert row.results[0]["outcome"] == "done", row.results


def play_auction(match: Match) -> None:
    first = oya(match)
    play(match, first, "bid 0", now=clock.now())
    play(match, (first + 1) % 3, "bid 1", now=clock.now())
    play(match, (first + 2) % 3, "pass", now=clock.now())
    card = replay.position(Match.objects.get(pk=match.pk)).open[0]
    play(match, (first + 1) % 3, f"take {card} pay 1", now=clock.now())


def test_a_dropped_plan_is_told_with_the_turn(match: Match) -> None:
    second = seat(match, oya(match) + 1)
    receive(second, letter(second, "plan\nbid 1\nend"))
    play(match, oya(match), "bid 2", now=clock.now())
    turns = [message for message in sent("turn") if message.to == [second.user.email]]  # type: ignore[union-attr]
    assert "so the plan was dropped" in flat(str(turns[-1].body))
    others = [message for message in sent("turn") if message.to != [second.user.email]]  # type: ignore[union-attr]
    assert not [message for message in others if "plan" in str(message.body)]


def test_a_sealed_order_by_mail_is_answered_with_its_fingerprint_and_the_page_that_says_how_to_check_it(
    sealed: Match, client: Client
) -> None:
    first = seat(sealed, oya(sealed))
    row = receive(first, letter(first, "bid 3"))
    laid = SealedOrder.objects.get()
    covered = f"{sealed.code}|day 1 auction 1|{first.letter}|1|{laid.salt}|bid 3"
    assert laid.hash == sha256(covered.encode()).hexdigest()
    said = receipt(row)
    assert "OK: bid 3" in said
    assert "Sealed for day 1 auction 1. It becomes final when all are in" in said
    assert f"Fingerprint of this answer: {laid.hash};" in said
    html = " ".join(str(each.alternatives) for each in mail.outbox if each.to == [first.user.email])  # type: ignore[union-attr, attr-defined]
    assert laid.hash in html
    assert laid.salt not in said + html, "who reads the mail can try no orders until one fits"
    (page,) = re.findall(r"how to check it: http://localhost:8000(/[^#\s]+)#sealed", said)
    assert laid.hash in Client().get(page).content.decode(), "everybody can keep it"
    client.force_login(first.user)  # type: ignore[arg-type]
    shown = client.get(f"/m/{sealed.code}/").content.decode()
    assert laid.hash in shown
    assert covered in unescape(shown)


def test_each_receipt_numbers_the_sealed_order_and_says_when_it_becomes_final(sealed: Match) -> None:
    first = seat(sealed, oya(sealed))
    bids = ("bid 3", "bid 4", "bid 3")
    said = [receipt(receive(first, letter(first, text, X_Try=str(at)))) for at, text in enumerate(bids)]
    latest = max(due for due in sealed.seats.values_list("due_at", flat=True) if due)
    for each in said:
        assert f"as the clocks stand by {date_format(latest, 'D j M Y H:i T')} at the latest" in each
    assert "your answer number" not in said[0]
    for number in (2, 3):
        assert f"This is your answer number {number}; it replaces the one before." in said[number - 1]
    hashes = [order.hash for order in SealedOrder.objects.order_by("version")]
    assert [[one in each for one in hashes] for each in said] == [
        [number == at for at in range(3)] for number in range(3)
    ]
    sent("turn")
    turns = [
        f"{each.body} {each.alternatives}" for each in mail.outbox if "In-Reply-To" not in each.extra_headers
    ]  # type: ignore[attr-defined]
    assert turns
    assert not [each for each in turns if any(one in each for one in hashes)]


@pytest.mark.parametrize(
    "text", ["bid 3; pass", "bid 3\npass", "Hi all\n\nbid 3\n\npass #{turn}\n\nBest\nB."]
)
def test_moves_that_stand_together_are_one_sealed_order_as_at_the_page(sealed: Match, text: str) -> None:
    """Each was sealed as an answer of its own, so that the pass alone counted; the receipt listed both as done."""
    second = seat(sealed, oya(sealed) + 1)
    row = receive(second, letter(second, text.format(turn=second.prompt_ply)))
    order = SealedOrder.objects.get()
    assert (order.text, order.version) == ("bid 3; pass", 1)
    assert "Done: * bid 3; pass Sealed for day 1" in receipt(row)
    InboundEmail.objects.filter(pk=row.pk).update(state="stored", claimed_until=None)
    processing.process_stored()
    assert SealedOrder.objects.count() == 1, "read again after a crash"
    row = receive(second, letter(second, "bid 4"))
    assert (row.state, SealedOrder.objects.latest("pk").text) == ("done", "bid 4"), "another mail replaces it"


def test_a_mail_read_again_after_its_contest_lays_no_part_of_its_order_in_the_next_one(sealed: Match) -> None:
    second = seat(sealed, oya(sealed) + 1)
    row = receive(second, letter(second, "bid 3; pass"))
    for index in (0, 2):
        other = seat(sealed, oya(sealed) + index)
        receive(other, letter(other, "pass"))
    assert SealedOrder.objects.filter(resolved_ply=None).count() == 0
    laid, results = SealedOrder.objects.count(), row.results
    InboundEmail.objects.filter(pk=row.pk).update(state="stored", claimed_until=None)
    processing.process_stored()
    row.refresh_from_db()
    assert SealedOrder.objects.count() == laid
    assert [each["line"] for each in row.results] == [each["line"] for each in results] == ["bid 3; pass"]


def test_a_pass_of_the_oya_at_sealed_pace_is_a_move(sealed: Match) -> None:
    """It stands for a bid of 0; it was taken for a name."""
    oyas = seat(sealed, oya(sealed))
    assert receive(oyas, letter(oyas, "pass")).state == "done"
    assert SealedOrder.objects.get().text == "bid 0"


def test_a_second_answer_to_a_sealed_question_does_not_replace_the_first_unseen(sealed: Match) -> None:
    first = seat(sealed, oya(sealed))
    row = receive(first, letter(first, "bid 3\nsay Good luck!\nbid 4\nsay Bye"))
    assert [each["code"] or each["outcome"] for each in row.results] == [
        "done",
        "say",
        "second-answer",
        "say",
    ]
    assert SealedOrder.objects.get().text == "bid 3"
    assert "This mail has already sealed an answer to the same question." in receipt(row)


def test_the_turn_mail_at_sealed_pace_asks_for_an_order(sealed: Match) -> None:
    turns = sent("turn")
    assert len(turns) == 3
    assert all("Sealed auction: all write their bid at once" in flat(str(turn.body)) for turn in turns)
    answer = seat(sealed, oya(sealed) + 1)
    turn = next(turn for turn in turns if turn.to == [answer.user.email])  # type: ignore[union-attr]
    row = receive(answer, letter(answer, "bid 2", answering=turn))
    assert row.state == "done"
    assert sealed.moves.count() == 0


def test_a_sealed_order_read_again_after_a_crash_is_laid_once(sealed: Match) -> None:
    first = seat(sealed, oya(sealed))
    row = receive(first, letter(first, "bid 3"))
    before = row.results
    InboundEmail.objects.update(state="stored", claimed_until=None)
    processing.process_stored()
    row.refresh_from_db()
    assert SealedOrder.objects.count() == 1
    assert [result["line"] for result in row.results] == [result["line"] for result in before]


def test_nobody_else_is_mailed_what_was_ordered(sealed: Match) -> None:
    first = seat(sealed, oya(sealed))
    receive(first, letter(first, "bid 5 else bid 4"))
    laid = SealedOrder.objects.get()
    sent("turn")
    others = [message for message in mail.outbox if message.to != [first.user.email]]  # type: ignore[union-attr]
    assert len(others) >= sealed.seat_count - 1
    for message in others:
        whole = f"{message.subject} {message.body} {message.alternatives}"  # type: ignore[union-attr]
        assert "bid 5 else" not in whole
        assert laid.salt not in whole


def test_a_pick_is_answered_in_the_same_words(players: list[User]) -> None:
    match = make_match("gemessengers", players=players[:2], server_part=DEAL, now=clock.now())
    pick = match.rules.write(match.rules.default_move(replay.position(match), 0))
    row = receive(seat(match, 0), letter(seat(match, 0), pick))
    assert "Sealed for round 1 turn 1." in receipt(row)


def test_who_picks_last_is_told_what_all_have_picked(players: list[User]) -> None:
    match = make_match("gemessengers", players=players[:2], server_part=DEAL, now=clock.now())
    play(match, 1, match.rules.write(match.rules.default_move(replay.position(match), 1)), now=clock.now())
    pick = match.rules.write(match.rules.default_move(replay.position(match), 0))
    row = receive(seat(match, 0), letter(seat(match, 0), pick))
    said = flat(receipt(row))
    assert "Yours was the last one: all are open now." in said
    assert "you may send another one" not in said
    assert f"* {seat(match, 1).name} places" in said
    assert "* You place" in said


def test_the_next_mail_tells_what_the_readers_own_move_set_off(players: list[User]) -> None:
    match = make_match("gembatan", players=players[:2], server_part=DEAL, now=clock.now())
    play_until(match, lambda match: match.ply == 2, now=clock.now(), variant="news")
    first = Move.objects.get(ply=1)
    mine = seat(match, first.seat)
    news = MatchMail.of(mine, mine.user, 3).news
    assert news[0].startswith("You draw ")
    assert not any(sentence.startswith(("You trade", "You score")) for sentence in news)


@pytest.mark.slow
def test_undo_agree_and_refuse(match: Match) -> None:
    first = oya(match)
    play(match, first, "bid 5", now=clock.now())
    row = receive(seat(match, first), letter(seat(match, first), "undo"))
    assert "The match goes back to before move 1 when all others agree" in receipt(row)
    asked = sent("undo")
    assert len(asked) == 2
    assert "asks to take back move 1: bid 5" in flat(str(asked[0].body))
    assert [part.get_content_type() for part in asked[0].attachments] == ["image/png"]  # type: ignore[union-attr]
    for step in (1, 2):
        other = seat(match, first + step)
        (question,) = [message for message in asked if message.to == [other.user.email]]  # type: ignore[union-attr]
        agree, refuse = re.findall(
            r'href="mailto:([^"?]+)\?[^"]*body=(\w+)"', str(question.alternatives[0][0])
        )
        assert [agree, refuse] == [(other.reply_address, "agree"), (other.reply_address, "refuse")]
        row = receive(other, letter(other, agree[1]))
        assert row.state == "done", row.results
    assert "All agree: the match goes back to before move 1." in receipt(row)
    assert Match.objects.get(pk=match.pk).ply == 0
    play(match, first, "bid 1", now=clock.now())
    user = seat(match, first).user
    assert user
    propose_undo(match.pk, user, now=clock.now() + timedelta(seconds=5))
    other = seat(match, first + 1)
    row = receive(other, letter(other, "refuse"))
    assert "The proposal is off" in receipt(row)
    assert Undo.objects.latest("pk").outcome == Undo.Outcome.REFUSED


def test_the_receipts_of_a_plan_say_it_in_words_too(players: list[User]) -> None:
    players[0].language = "de"
    players[0].save()
    match = make_match("jewellers", players=players, server_part=DEAL, now=clock.now())
    first = seat(match, 0)
    said = receipt(receive(first, letter(first, "plan\nbid 4 else pass\nend")))
    kept = "niemand sonst kann ihn lesen: "
    assert re.search(rf"{kept}„[^“]+“ \(bid 4 else pass\)", said)
    assert re.search(r"„[^“]+“ \(bid 4 else pass\)", receipt(receive(first, letter(first, "plan show"))))


def test_a_plan_is_for_the_players_own_eyes_in_the_outbox_too(match: Match) -> None:
    second = seat(match, oya(match) + 1)
    user = second.user
    assert user
    store_plan(match.pk, user, "bid 6", source=Move.Source.WEB, request_id="web", now=clock.now())
    assert not [row for row in OutboxMessage.objects.all() if "bid 6" in str(row.data)]


def test_a_bid_that_cannot_be_paid_is_kept_in_a_plan_and_the_receipt_says_so(match: Match) -> None:
    second = seat(match, oya(match) + 1)
    row = receive(second, letter(second, "plan\nbid 99 else bid 2\nend"))
    said = receipt(row)
    assert "Your plan is kept and nobody else can read it: bid 99 else bid 2." in said
    assert "As things stand, this part of it cannot be played: bid 99" in said


def test_a_plan_that_has_won_is_not_called_dropped_in_the_turn_mail(match: Match) -> None:
    second = seat(match, oya(match) + 1)
    receive(second, letter(second, "plan\nbid 2 else bid 3 else pass\nend"))
    play(match, oya(match), "bid 2", now=clock.now())
    play(match, (oya(match) + 2) % 3, "pass", now=clock.now())
    turns = [message for message in sent("turn") if message.to == [second.user.email]]  # type: ignore[union-attr]
    told = flat(str(turns[-1].body))
    assert "You win the auction at 3" in told
    assert "dropped" not in told
    assert (
        "Your plan is used up (its last line was bid 2 else bid 3 else pass), and you decide what follows."
        in told
    )


@pytest.mark.slow
@pytest.mark.parametrize("text", ["up to 7", "bid up to 7"])
def test_both_ways_to_write_a_limit_are_one_order_by_mail(players: list[User], text: str) -> None:
    match = make_match(
        "jewellers", players=players, options={"pace": "sealed"}, server_part=DEAL, now=clock.now()
    )
    play(match, min(match.rules.waiting_on(replay.position(match))), "draw medium", now=clock.now())
    (turn, *_others) = [message for message in sent("turn") if "Sealed auction" in str(message.body)]
    assert "A bid with cards is made once: when somebody goes higher, you pass." in flat(str(turn.body))
    assert "To play, write:  up to 28 else pass" in str(turn.body)
    row = receive(seat(match, 0), letter(seat(match, 0), text))
    assert row.state == "done", row.results
    assert "OK: up to 7" in receipt(row)
    assert SealedOrder.objects.get().text == "up to 7"


def test_the_lines_of_a_plan_are_those_that_our_mail_lists(match: Match) -> None:
    """They were taken for a quote of it, so that a part of the plan was stored, and played."""
    asked = match.seats.select_related("user", "match").get(is_waiting=True)
    turn = next(each for each in sent("turn") if asked.user and each.to == [asked.user.email])
    for text in ("plan\nbid 0\nbid 1\nbid 2\nbid 3 else pass\nend", "plan\nbid 1\nbid 2\nbid 3\nend"):
        row = receive(asked, letter(asked, f"{text}\n\n> {turn.body[:200]}", answering=turn))
        assert "is written like this" not in receipt(row)
        assert "bid 3 else pass" not in [move.text for move in Move.objects.all()]


def test_a_text_may_hold_lines_of_our_mail(match: Match) -> None:
    asked = match.seats.select_related("user", "match").get(is_waiting=True)
    turn = next(each for each in sent("turn") if asked.user and each.to == [asked.user.email])
    lines = [line.strip() for line in str(turn.body).splitlines() if line.strip()][3:8]
    receive(
        asked, letter(asked, "\n".join(["say", "I do not understand this:", *lines, "end"]), answering=turn)
    )
    said = ChatMessage.objects.get().text
    assert all(line in said for line in lines)
