"""Writes to the outbox, in the transaction of the change that the mails report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.db.models import CharField

from gemserver.accounts.models import UnreachableAddress, User
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.lib.database.prepared_writes import PreparedInsert
from gemserver.lib.text.mail_address import comparable
from gemserver.notify.models import OutboxMessage
from gemserver.nudge import nudge


def tell(
    user: User | None,
    kind: str,
    *,
    thread: str,
    data: Mapping[str, object],
    dedup_key: str,
    message_id: str,
    now: datetime,
    to: str | None = None,
    in_reply_to: str = "",
) -> bool:
    """Queue one mail and nudge the worker; False if the player has no address or wants no mail.

    `to` names another address than the player's own (the answer to a sender), provided that mail arrives there. Each
    `dedup_key` is told once: a second call changes nothing.
    """
    if user and to and _lost(address=comparable(to)):
        to = None
    address = to or (user.mail_address() if user and user.mail_mode != User.MailMode.OFF else None)
    if address is None:
        return False
    queue(
        [
            draft(
                user,
                kind,
                thread=thread,
                data=data,
                dedup_key=dedup_key,
                message_id=message_id,
                now=now,
                to=address,
                in_reply_to=in_reply_to,
            )
        ]
    )
    return True


_lost = Prepared(
    lambda: UnreachableAddress.objects.filter(
        address=Param("address", CharField()), why__in=User.UNWANTED
    ).values_list("pk")
)


def draft(
    user: User | None,
    kind: str,
    *,
    thread: str,
    data: Mapping[str, object],
    dedup_key: str,
    message_id: str,
    now: datetime,
    to: str,
    in_reply_to: str = "",
    not_before: datetime | None = None,
) -> OutboxMessage:
    """Make a row for `queue`, to an address that the caller knows to be good.

    It is sent no earlier than `not_before`, and not at all if its matter has passed by then.
    """
    return OutboxMessage(
        kind=kind,
        to=to,
        user=user,
        thread=thread,
        data=dict(data),
        dedup_key=dedup_key,
        message_id=message_id,
        in_reply_to=in_reply_to,
        created_at=now,
        available_at=max(now, not_before or now),
    )


def queue(drafts: Sequence[OutboxMessage]) -> None:
    """Write the rows and nudge the worker; rows whose `dedup_key` exists already are left out.

    `dedup_key` and `message_id` are made of the same parts, so that either is taken exactly when the other is.
    """
    if drafts:
        _insert(drafts)
        nudge("gemserver.notify.tasks.send_mail")


_insert = PreparedInsert(OutboxMessage, ignore_conflicts=True)


def release(user: User, held_until: datetime, *, now: datetime) -> None:
    """Send now the mails that were queued for that instant."""
    held = OutboxMessage.objects.filter(user=user, state=OutboxMessage.State.QUEUED, available_at=held_until)
    if held.update(available_at=now):
        nudge("gemserver.notify.tasks.send_mail")


def send_elsewhere(user: User, address: str) -> None:
    """Send what waits for an address that this player has given up to the one they have, or not at all.

    What has failed waits for a moderator, who may send it again.
    """
    waits = (OutboxMessage.State.QUEUED, OutboxMessage.State.FAILED)
    waiting = OutboxMessage.objects.filter(user=user, to=comparable(address), state__in=waits)
    other = user.mail_address()
    if other is None:
        waiting.update(state=OutboxMessage.State.SKIPPED)
    else:
        waiting.update(to=other)


def is_gathering(user: User, kind: str, thread: str, pause: timedelta) -> bool:
    """True if a mail of this kind and thread, queued to be written `pause` later, has not been taken by a worker yet.

    Its row stays locked until the transaction ends: a worker that takes it afterwards sees what was committed here.
    """
    queued = OutboxMessage.objects.select_for_update().filter(
        user=user, kind=kind, thread=thread, state=OutboxMessage.State.QUEUED, attempts=0
    )
    last = queued.order_by("-pk").first()
    return last is not None and last.available_at == last.created_at + pause


def send_again(pk: int, *, now: datetime) -> None:
    """Queue a mail that was given up, under the same Message-ID; does nothing for any other."""
    failed = OutboxMessage.objects.filter(pk=pk, state=OutboxMessage.State.FAILED)
    if failed.update(state=OutboxMessage.State.QUEUED, attempts=0, available_at=now, last_error=""):
        nudge("gemserver.notify.tasks.send_mail")
