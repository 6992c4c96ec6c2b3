"""One mail a day with all turns, answered with one reply; and the snooze."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from email.mime.image import MIMEImage
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core import mail
from django.core.mail import EmailMultiAlternatives

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.lib.text.translator import translator
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches import selectors
from gemserver.matches.actions.people.choose_channels import choose_channels
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode
from gemserver.matches.actions.people.snooze import end_snooze, snooze
from gemserver.matches.actions.time.pause_match import pause_match
from gemserver.matches.actions.time.set_hours import set_hours
from gemserver.matches.models import Match, NotificationChoice, Seat
from gemserver.notify import delivery, health
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, is_asked, make_match, make_user, play, play_until
from tests.mailgate.letters import letter, receive
from tests.mailgate.posting import codes, one_line, sent_to, write
from tests.matches.sweeping import sweep

pytestmark = pytest.mark.django_db

Topic, Channel = NotificationChoice.Topic, NotificationChoice.Channel
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
EIGHT = NOON.replace(hour=8) + DAY
"""The next eight o'clock."""


@pytest.fixture
def ana() -> User:
    user = make_user("ana")
    set_mail_mode(user, User.MailMode.DIGEST, now=NOON, digest_at=time(8))
    return User.objects.get(pk=user.pk)


def match_that_waits_for(user: User, opponent: str) -> Match:
    other = make_user(opponent)
    match = make_match(players=[user, other])
    if not match.seats.get(user=user).is_waiting:
        play(match, match.seats.get(user=other).index, "bid 0")
    return Match.objects.get(pk=match.pk)


def sent_digests(monkeypatch: pytest.MonkeyPatch, now: datetime) -> list[EmailMultiAlternatives]:
    mail.outbox.clear()
    sweep(monkeypatch, now)
    delivery.send_queued()
    return [message for message in mail.outbox if "<d." in message.extra_headers["Message-ID"]]


def answer(user: User, digest: EmailMultiAlternatives, body: str, *, header: bool = True) -> InboundEmail:
    seat = Seat.objects.select_related("user", "match").filter(user=user).first()
    assert seat
    raw = letter(seat, body, answering=digest, To=digest.reply_to[0])
    if not header:
        raw = b"\n".join(line for line in raw.split(b"\n") if not line.startswith(b"In-Reply-To:"))
    row = ingest(raw, user.email, digest.reply_to[0], "smtp", {})
    processing.process_stored()
    row.refresh_from_db()
    return row


@pytest.mark.slow
def test_no_mail_for_each_turn_but_one_a_day_with_all(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = match_that_waits_for(ana, "ben"), match_that_waits_for(ana, "cy")
    assert not OutboxMessage.objects.filter(kind="turn", user=ana).exists()
    assert sent_digests(monkeypatch, EIGHT - timedelta(seconds=1)) == []
    (digest,) = sent_digests(monkeypatch, EIGHT)
    assert digest.to == [ana.email]
    assert digest.subject == "Your turn in 2 matches"
    for match in (first, second):
        assert f"To play, write:  {match.code}: " in digest.body
    assert sent_digests(monkeypatch, EIGHT + HOUR) == []
    assert len(sent_digests(monkeypatch, EIGHT + DAY)) == 1


def test_each_match_has_its_board_what_happened_and_moves_that_are_played_by_one_touch(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = match_that_waits_for(ana, "ben")
    play(match, match.seats.get(user=ana).index, "bid 1")
    bens = match.seats.get(user__username="ben").index
    match = play_until(
        match, lambda reached: is_asked(ana)(reached) and reached.moves.latest("ply").seat == bens
    )
    (digest,) = sent_digests(monkeypatch, EIGHT)
    html = str(digest.alternatives[0][0])
    assert f'<img src="cid:board-{match.code.lower()}"' in html
    assert [part["Content-ID"] for part in digest.attachments if isinstance(part, MIMEImage)] == [
        f"<board-{match.code.lower()}>"
    ]
    happened = html.partition("<ul")[2].partition("</ul>")[0]
    assert "ben " in happened
    for sentence in re.findall(r"<li>(.*?)</li>", happened):
        assert unescape(sentence) in one_line(digest)
    touched = urlsplit(unescape(re.findall(r'href="(mailto:[^"]*)"', html)[0]))
    body = parse_qs(touched.query)["body"][0]
    assert codes(write(ana, body, to=touched.path)) == ["done"]


def test_a_match_is_played_from_the_text_alone_by_its_board_ones_own_hand_and_the_standing(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = make_match("jewellers", players=[ana, make_user("ben")])
    match = play_until(match, lambda reached: is_asked(ana)(reached) and reached.ply > 6)
    seats = match.read_seats()
    own = next(seat for seat in seats if seat.user_id == ana.pk)
    (digest,) = sent_digests(monkeypatch, EIGHT)
    text = str(digest.body)
    drawing = match.words.draw(selectors.view_for(match, own), translator(), ["ana", "ben"], None)
    shown, known = ([line.strip() for line in each.splitlines() if line] for each in (text, drawing))
    hands = [line for line in known if "in hand" in line]
    assert hands
    assert [line for line in shown if "in hand" in line] == hands
    for seat in seats:
        assert re.search(rf"^ *{seat.letter}  .*{seat.name}.*{seat.score} point", text, re.MULTILINE)
    html = str(digest.alternatives[0][0])
    points = f"{seats[0].name} {seats[0].score}, {seats[1].name} {seats[1].score}"
    assert f'alt="The board of {match.code}. Points: {points}."' in html
    assert text.index("in hand") < text.index(f"To play, write:  {match.code}: ")


def test_when_nothing_waits_none_is_sent(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sent_digests(monkeypatch, EIGHT) == []


@pytest.mark.parametrize("header", [True, False])
def test_one_reply_answers_many_matches_each_by_the_prompt_that_was_shown(
    ana: User, monkeypatch: pytest.MonkeyPatch, header: bool
) -> None:
    first, second = match_that_waits_for(ana, "ben"), match_that_waits_for(ana, "cy")
    (digest,) = sent_digests(monkeypatch, EIGHT)
    play(second, second.seats.get(user=ana).index, "bid 1")
    second = play_until(second, is_asked(ana))
    seat = second.seats.select_related("match").get(user=ana)
    legal = selectors.legal_texts(second, seat, 500)
    assert legal
    row = answer(ana, digest, f"{first.code}: bid 1\n{second.code}: {legal[0]}", header=header)
    assert [(result["line"], result["outcome"], result["code"]) for result in row.results] == [
        (f"{first.code}: bid 1", "done", ""),
        (f"{second.code}: {legal[0]}", "refused", "stale"),
    ]


@pytest.mark.parametrize(
    ("line", "done"),
    [
        ("{0}: bid 1; {1}: bid 2", ["bid 1", "bid 2"]),
        ("{0}: bid 1; {1} bid 2; pass", ["bid 1", "bid 2"]),
        ("{0}: bid 1; {1}: I bid 2", ["bid 1", "bid 2"]),
        ("{0}: bid 1, {1}: bid 2", []),
        ("{0}: bid 1 {1}: bid 2", []),
        ("{0}: bid 1 and {1}: bid 2", []),
        ("{0}: bid 1 / {1}: bid 2", []),
        ("{0}: bid 1; {1}: say hello", []),
    ],
)
def test_moves_for_two_matches_on_one_line_are_both_played_or_none(
    ana: User, monkeypatch: pytest.MonkeyPatch, line: str, done: list[str]
) -> None:
    """The second one was read as a part of the first match, and the writer believed to have played it."""
    matches = [match_that_waits_for(ana, "ben"), match_that_waits_for(ana, "cy")]
    (digest,) = sent_digests(monkeypatch, EIGHT)
    row = answer(ana, digest, line.format(*(match.code for match in matches)))
    played = [match.moves.filter(actor=ana).first() for match in matches]
    assert [move.text for move in played if move] == done
    if not done:
        assert {result["outcome"] for result in row.results} == {"unread"}


def test_a_place_in_the_list_of_each_match_is_a_move(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = match_that_waits_for(ana, "ben"), match_that_waits_for(ana, "cy")
    (digest,) = sent_digests(monkeypatch, EIGHT)
    text = str(digest.body)
    listed = [re.findall(rf"{match.code}: (bid \d)", text) for match in (first, second)]
    quoted = "\n".join(f"> {line}" for line in text.splitlines())
    refused = answer(
        ana, digest, f"{first.code}: option 40\n{second.code}: not option 2\noption 1\n\n{quoted}"
    )
    assert {result["outcome"] for result in refused.results} == {"unread"}
    row = answer(ana, digest, f"{first.code}: option 1\n{second.code}: the 2nd option\n\n{quoted}")
    assert [(result["line"], result["outcome"]) for result in row.results] == [
        (f"{first.code}: {listed[0][0]}", "done"),
        (f"{second.code}: {listed[1][1]}", "done"),
    ]


def test_a_preview_in_answer_to_a_digest_shows_the_match_that_is_named(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, other = match_that_waits_for(ana, "ben"), match_that_waits_for(ana, "cy")
    (digest,) = sent_digests(monkeypatch, EIGHT)
    (first, *_) = re.findall(rf"{match.code}: (bid \d)", str(digest.body))
    quoted = "\n".join(f"> {line}" for line in str(digest.body).splitlines())
    row = answer(ana, digest, f"{match.code}: preview option 1\n{other.code}: preview bid 2\n\n{quoted}")
    assert [(result["outcome"], result["code"]) for result in row.results] == [("shown", "preview")] * 2
    text = one_line(sent_to(ana)[-1])
    assert f"GEM {match.code}. This is how it would stand after: {first} " in text
    assert f"GEM {other.code}. This is how it would stand after: bid 2 " in text
    assert is_asked(ana)(match), "nothing was played"


def test_a_refused_move_stops_those_of_its_own_match_only(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = match_that_waits_for(ana, "ben"), match_that_waits_for(ana, "cy")
    (digest,) = sent_digests(monkeypatch, EIGHT)
    row = answer(ana, digest, f"{first.code}: bid 99\n{first.code}: bid 1\n{second.code}: bid 1")
    assert [result["code"] or result["outcome"] for result in row.results][1:] == ["not-reached", "done"]


@pytest.mark.parametrize(("line", "code"), [("bid 1", "no-match"), ("M999: bid 1", "not-seated")])
def test_a_line_that_is_for_no_match_of_the_player_is_refused(
    ana: User, monkeypatch: pytest.MonkeyPatch, line: str, code: str
) -> None:
    match_that_waits_for(ana, "ben")
    (digest,) = sent_digests(monkeypatch, EIGHT)
    assert answer(ana, digest, line).results[0]["code"] == code


def test_chatter_in_an_answer_to_a_digest_is_said_to_be_not_read(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the answer to a mail of one match: nothing was to be done, so nothing is “not done”."""
    match = match_that_waits_for(ana, "ben")
    (digest,) = sent_digests(monkeypatch, EIGHT)
    row = answer(ana, digest, f"Thank you!\n{match.code}: bid 1\nSee you on Friday")
    assert [result["outcome"] for result in row.results] == ["unread", "done", "unread"]
    receipt = one_line(sent_to(ana)[-1])
    assert "Not done" not in receipt
    assert "2 lines of greetings or thanks were passed over." in receipt
    assert "Not read" not in receipt


def test_a_greeting_at_the_account_does_not_hide_the_command_in_the_subject(ana: User) -> None:
    assert codes(write(ana, "Hello there,", subject="games")) == ["no-command", "shown"]


def test_the_address_of_one_seat_is_no_good_for_another_match(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON)
    first, second = match_that_waits_for(ana, "ben"), match_that_waits_for(ana, "cy")
    seat = first.seats.select_related("user", "match").get(user=ana)
    row = receive(seat, letter(seat, f"{second.code}: bid 1\n{first.code}: bid 1"))
    assert [result["code"] or result["outcome"] for result in row.results] == ["other-match", "done"]
    refusal = f"This address belongs to {first.code} alone; answer a mail of the other match, or your digest."
    assert refusal in one_line(sent_to(ana)[-1])


def test_what_has_been_answered_is_left_out_and_an_empty_digest_is_not_sent(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = match_that_waits_for(ana, "ben")
    sweep(monkeypatch, EIGHT)
    play(match, match.seats.get(user=ana).index, "bid 1")
    mail.outbox.clear()
    delivery.send_queued()
    assert not [message for message in mail.outbox if "<d." in message.extra_headers["Message-ID"]]


def test_who_has_unsubscribed_gets_none_and_who_named_no_hour_gets_each_turn(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    User.objects.update(mail_mode=User.MailMode.OFF)
    match_that_waits_for(User.objects.get(pk=ana.pk), "ben")
    assert sent_digests(monkeypatch, EIGHT) == []
    ana.refresh_from_db()
    assert ana.next_digest_at is None
    User.objects.filter(pk=ana.pk).update(mail_mode=User.MailMode.DIGEST)
    match_that_waits_for(User.objects.get(pk=ana.pk), "cy")
    assert OutboxMessage.objects.filter(kind="turn", user=ana).count() == 1


def test_two_sweeps_queue_one_digest(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    match_that_waits_for(ana, "ben")
    for _ in range(3):
        sweep(monkeypatch, EIGHT + HOUR)
    assert OutboxMessage.objects.filter(kind="digest").count() == 1


def test_a_snooze_holds_mails_about_turns_back_and_then_brings_up_what_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    user = make_user("ana")
    waiting = match_that_waits_for(user, "ben")
    monkeypatch.setattr(clock, "now", lambda: NOON)
    delivery.send_queued()
    snooze(user, 3 * HOUR, now=NOON)
    user = User.objects.get(pk=user.pk)
    match_that_waits_for(user, "cy")
    mail.outbox.clear()
    sweep(monkeypatch, NOON + 3 * HOUR - timedelta(seconds=1))
    delivery.send_queued()
    assert [
        message.to for message in mail.outbox if message.to == [user.email] and "t." in str(message)
    ] == []
    assert not health.is_stalled(NOON + 2 * HOUR), "what is held back is no failure"
    assert not OutboxMessage.objects.filter(kind="reminder").exists()
    sweep(monkeypatch, NOON + 3 * HOUR)
    delivery.send_queued()
    states = OutboxMessage.objects.filter(user=user, kind__in=["turn", "reminder"], available_at__gt=NOON)
    assert set(states.values_list("kind", "state")) == {("turn", "sent"), ("reminder", "sent")}
    seat = waiting.seats.get(user=user)
    assert seat.due_at == NOON + 3 * DAY, "the clocks run on"


def test_a_digest_that_falls_due_in_a_snooze_comes_at_its_end_with_what_waits_then(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_that_waits_for(ana, "ben")
    snooze(ana, 3 * HOUR, now=EIGHT - HOUR)
    assert sent_digests(monkeypatch, EIGHT) == []
    later = match_that_waits_for(ana, "cy")
    assert sent_digests(monkeypatch, EIGHT + 2 * HOUR - timedelta(seconds=1)) == []
    (digest,) = sent_digests(monkeypatch, EIGHT + 2 * HOUR)
    assert later.code in digest.body, "the turn that came meanwhile is in it"
    assert User.objects.get(pk=ana.pk).next_digest_at == EIGHT + DAY, "and the next comes at its hour"


def test_a_snooze_that_is_taken_back_brings_its_digest_at_once(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_that_waits_for(ana, "ben")
    snooze(ana, DAY, now=EIGHT - HOUR)
    assert sent_digests(monkeypatch, EIGHT) == []
    end_snooze(ana, now=EIGHT + HOUR)
    assert len(sent_digests(monkeypatch, EIGHT + HOUR)) == 1


def test_news_of_a_long_snooze_are_in_the_digest_behind_it(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose_channels(ana, None, {Topic.TABLE: Channel.DIGEST}, now=NOON)
    match = match_that_waits_for(ana, "ben")
    assert len(sent_digests(monkeypatch, EIGHT)) == 1
    snooze(ana, 3 * DAY, now=EIGHT + HOUR)
    pause_match(match.pk, why="The hall is closed", now=EIGHT + 2 * HOUR)
    assert sent_digests(monkeypatch, EIGHT + DAY) == []
    (digest,) = sent_digests(monkeypatch, EIGHT + 3 * DAY + HOUR)
    assert "The hall is closed" in digest.body


def test_who_travels_gets_the_next_digest_by_the_clock_on_the_new_wall(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_that_waits_for(ana, "ben")
    set_hours(ana, quiet=None, zone="America/New_York", now=NOON + 2 * HOUR)
    assert sent_digests(monkeypatch, EIGHT) == [], "eight o'clock in Greenwich"
    assert len(sent_digests(monkeypatch, EIGHT + 5 * HOUR)) == 1


def test_a_digest_that_is_due_already_is_not_lost_by_a_change_of_zone(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_that_waits_for(ana, "ben")
    set_hours(ana, quiet=None, zone="Asia/Kathmandu", now=EIGHT)
    assert len(sent_digests(monkeypatch, EIGHT)) == 1
