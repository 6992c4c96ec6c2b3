"""A mail belongs to one worker as long as the work on it goes on."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches.models import Seat
from gemserver.notify.models import OutboxMessage
from tests.mailgate.letters import letter

pytestmark = pytest.mark.django_db


@pytest.fixture
def row(seat: Seat, player: User) -> InboundEmail:
    """A mail with three lines, claimed."""
    mail = ingest(letter(seat, "bid 1\nsay One.\nsay Two."), player.email, seat.reply_address, "smtp", {})
    assert processing.claim(clock.now()) == mail.pk
    mail.refresh_from_db()
    return mail


def renew_at_each_step(monkeypatch: pytest.MonkeyPatch) -> list[InboundEmail]:
    """Pretend that a quarter of the claim goes by at each step; returns the row before each."""
    seen: list[InboundEmail] = []
    keep = processing.Claim.keep

    def keep_now(self: processing.Claim) -> None:
        self.renewed_at -= processing.CLAIM.total_seconds()
        seen.append(InboundEmail.objects.get(pk=self.pk))
        keep(self)

    monkeypatch.setattr(processing.Claim, "keep", keep_now)
    return seen


def test_the_claim_is_renewed_while_there_is_work(row: InboundEmail, monkeypatch: pytest.MonkeyPatch) -> None:
    """After CLAIM_SECONDS a second worker took the mail that the first was still reading."""
    seen = renew_at_each_step(monkeypatch)
    processing.process(row.pk)
    claims = [each.claimed_until for each in seen]
    assert len(claims) >= 4
    assert all(later > earlier for earlier, later in pairwise(claims) if earlier and later)
    row.refresh_from_db()
    assert row.state == "done"


def test_who_has_lost_the_claim_stops_and_notes_nothing(
    row: InboundEmail, monkeypatch: pytest.MonkeyPatch
) -> None:
    renew_at_each_step(monkeypatch)
    theirs = clock.now() + timedelta(days=1)
    judge = processing.judge

    def judge_late(each: InboundEmail, keep: object) -> object:
        InboundEmail.objects.filter(pk=each.pk).update(claimed_until=theirs)
        return judge(each, keep)  # type: ignore[arg-type]

    monkeypatch.setattr(processing, "judge", judge_late)
    processing.process(row.pk)
    row.refresh_from_db()
    assert (row.state, row.results, row.claimed_until) == ("stored", [], theirs)
    assert not OutboxMessage.objects.filter(kind="receipt").exists()


def test_nor_does_who_finds_out_at_the_end(row: InboundEmail, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = processing.judge

    def take_over_behind(each: InboundEmail, keep: object) -> object:
        verdict = judge(each, keep)  # type: ignore[arg-type]
        InboundEmail.objects.filter(pk=each.pk).update(claimed_until=clock.now() + timedelta(days=1))
        return verdict

    monkeypatch.setattr(processing, "judge", take_over_behind)
    processing.process(row.pk)
    row.refresh_from_db()
    assert row.state == "stored"
    assert not OutboxMessage.objects.filter(kind="receipt").exists()
    monkeypatch.undo()
    processing.process(row.pk)
    row.refresh_from_db()
    assert [result["outcome"] for result in row.results] == ["done"] * 3
    assert OutboxMessage.objects.filter(kind="receipt").count() == 1
