"""A player's mailbox after whole matches, as each mail program shows it (docs/decisions/threads.md)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import Message

import pytest
from django.core import mail
from django.core.mail import EmailMultiAlternatives

from games.chance import Chance
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.mailgate.lines.commands import read_subject
from gemserver.mailgate.match_codes import OWN_TAG
from gemserver.matches import replay
from gemserver.matches.mails.subjects import LONGEST, base_subject, say_task
from gemserver.matches.models import Match, Seat
from gemserver.notify import delivery
from tests.builders import make_match, make_user
from tests.mailgate.letters import letter, receive
from tests.notify import mailboxes
from tests.notify.mailboxes import PROGRAMS, Seen

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gemserver.matches.boards.board.png", lambda *_: b"")


def play_by_mail(matches: Sequence[Match]) -> dict[str, list[Seen]]:
    """Play these matches in turns, every move an answer to the last mail; return what went through each mailbox."""
    seen: dict[str, list[Seen]] = {}
    count = _note_sent(seen, 0)
    for number in range(2000):
        running = [match for match in matches if Match.objects.get(pk=match.pk).is_running]
        if not running:
            return seen
        match = running[number % len(running)]
        seat = Seat.objects.select_related("user", "match").get(match=match, is_waiting=True)
        assert seat.user
        answered = _last_about(match, seat.user)
        state = replay.position(seat.match)
        move = seat.match.rules.random_move(state, seat.index, Chance("0" * 64, f"test {number}"))
        own = f"<{number}@client.example.org>"
        subject = f"Re: {answered.subject}"
        references = f"{answered.extra_headers.get('References', '')} {answered.extra_headers['Message-ID']}"
        text = seat.match.rules.write(move)
        raw = letter(seat, text, answering=answered, Subject=subject, References=references, Message_ID=own)
        row = receive(seat, raw)
        assert row.state == "done", row.results
        index = str(answered.extra_headers["Thread-Index"])
        seen[seat.user.email].append(Seen(own, subject, tuple(references.split()), index))
        count = _note_sent(seen, count)
    raise AssertionError("the matches do not end")


def _note_sent(seen: dict[str, list[Seen]], count: int) -> int:
    delivery.send_queued()
    for message in mail.outbox[count:]:
        assert isinstance(message, EmailMultiAlternatives)
        seen.setdefault(message.to[0], []).append(_as_received(message))
    return len(mail.outbox)


def _as_received(message: EmailMultiAlternatives) -> Seen:
    header: Message = message_from_bytes(message.message().as_bytes(), policy=policy.default)
    index = str(header["Thread-Index"] or "")
    references = tuple(re.findall(r"<[^>]+>", str(header["References"] or "")))
    return Seen(str(header["Message-ID"]), str(header["Subject"]), references, index)


def _last_about(match: Match, user: User) -> EmailMultiAlternatives:
    about = [
        each for each in mail.outbox if each.to == [user.email] and str(each.subject).endswith(match.code)
    ]
    assert isinstance(about[-1], EmailMultiAlternatives)
    return about[-1]


@pytest.mark.slow
def test_each_program_shows_one_conversation_for_each_match() -> None:
    """Two matches of the same players at once, to their ends, with the players' own answers between our mails."""
    ana, ben = make_user("ana"), make_user("ben")
    matches = [make_match("gem", players=[ana, ben], now=clock.now()) for _ in range(2)]
    for address, mails in play_by_mail(matches).items():
        expected = {frozenset(each.id for each in mails if each.subject.endswith(m.code)) for m in matches}
        assert sum(map(len, expected)) == len(mails) > 50
        subjects = {each.subject for each in mails if not each.subject.startswith("Re: ")}
        assert len(subjects) > 20, "the subjects say what is new"
        for program, group in PROGRAMS.items():
            assert group(mails) == expected, f"{program} of {address}"


def test_the_other_subjects_that_were_thought_of_break_conversations() -> None:
    """News in plain words make Gmail begin anew; with the match in the bracket RFC 5256 makes one of two matches."""
    first, second = Seen("<1@x>", "", ()), Seen("<2@x>", "", ("<1@x>",))
    other = Seen("<3@x>", "", ())

    plain = [
        replace(first, subject="Your turn: GEM M1, bid"),
        replace(second, subject="Your turn: GEM M1, take"),
    ]
    assert len(mailboxes.group_as_gmail(plain)) == 2
    tagged = [replace(first, subject="[GEM M1] It begins"), replace(other, subject="[GEM M2] It begins")]
    assert len(mailboxes.thread_references(tagged)) == 1
    ours = [replace(first, subject="[It begins] GEM M1"), replace(second, subject="[Your turn: bid] GEM M1")]
    beside = replace(other, subject="[It begins] GEM M2")
    for program, group in PROGRAMS.items():
        mails = [replace(each, thread_index="AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==") for each in ours]
        assert len(group([*mails, beside])) == 2, program


@pytest.mark.parametrize(
    ("subject", "base"),
    [
        ("Re: [Your turn: bid] GEM M17", "gem m17"),
        ("[Your turn: bid (day 2)] Re: GEM M17 (fwd)", "gem m17"),
        ("RE: Fwd:  [a] [b] GEM   M17", "gem m17"),
        ("[Fwd: [GEM] M17]", "m17"),
        ("[all of it]", "[all of it]"),
        ("Re[2]: hello", "hello"),
    ],
)
def test_base_subjects_of_rfc_5256(subject: str, base: str) -> None:
    assert mailboxes.base_subject(subject) == base


@pytest.mark.parametrize("before", ["", "Re: ", "AW: ", "Fwd: Re: ", "RE: [EXTERN] "])
@pytest.mark.parametrize(
    "subject", ["[Your turn: bid or pass (day 2 of 6)] GEM M17", "GEM M17", "[GEM M17] ana, ben"]
)
def test_the_match_is_read_off_new_and_old_subjects(before: str, subject: str) -> None:
    """And an answer under them commands nothing; `GEM M17` alone is that of a ready reply, which has a `Re:`."""
    if before or subject.startswith("["):
        found = OWN_TAG.search(before + subject)
        assert found
        assert found[1] == "M17"
    assert read_subject(before + subject) == [] or subject == "GEM M17"


@pytest.mark.parametrize("subject", ["join M17", "[club] join M17", "M17: bid 3", "status M17?", "hello M17"])
def test_other_subjects_with_the_code_of_a_match_are_not_ours(subject: str) -> None:
    assert OWN_TAG.search(subject) is None


def test_the_task_is_named_in_few_words(ana: User, ben: User) -> None:
    match = make_match("gem", players=[ana, ben])
    drawing = "  GEM, day 2 of 6, auction 1.\n  Open cards:"
    task = say_task(match, ["pass", "bid 3", "up to 4"], drawing, ["ana", "ben"])
    assert task == "bid or pass (day 2 of 6, auction 1)"
    assert say_task(match, ["take SE pay 3"], "", []) == "take a card"
    assert say_task(match, ["pass"], f"GEM, {'very ' * 20}far on.", []) == "pass", "the stage is left out"
    assert say_task(match, [], "GEM, ana (A) to play. More.", ["ana", "ben"]) == "", "no player's words"
    assert base_subject(match) == f"GEM {match.code}"
    assert LONGEST == 78
