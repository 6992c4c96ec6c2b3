"""The puzzle of the day sent each morning to whoever has asked for it."""

from __future__ import annotations

from datetime import datetime, time

from django.conf import settings
from django.db import transaction

from gemserver.accounts.models import User
from gemserver.clocks.daily import next_daily
from gemserver.lib import signing
from gemserver.matches.refusal import Refused
from gemserver.notify.channels import in_use
from gemserver.notify.outbox import draft, queue
from gemserver.puzzles.days import posed_puzzles, today_of
from gemserver.puzzles.models import Answer, Subscription

KIND = "puzzle"
"""Kind of the mail, and the category that its unsubscribe link stops."""
HOUR = time(8)
"""When it is sent to somebody who has chosen no hour for a digest."""
BATCH = 500


def is_subscribed(user: User) -> bool:
    return Subscription.objects.filter(user=user).exists()


def subscribe(user: User, *, now: datetime) -> Subscription:
    """Send the user each day's puzzle from the next morning on; a second time changes nothing.

    Raises Refused(guest, no-mail-at-all).
    """
    if user.is_guest:
        raise Refused("guest", "Guests get no mail; sign up to have the puzzle of the day sent.")
    if user.mail_mode == User.MailMode.OFF:
        raise Refused(
            "no-mail-at-all",
            "You have chosen to get no mail at all. Choose another way first, as with: mail turns",
        )
    subscription, _ = Subscription.objects.get_or_create(
        user=user, defaults={"since": now, "next_at": _find_next(user, now)}
    )
    return subscription


def unsubscribe(user: User) -> None:
    """Send the user no more puzzles."""
    Subscription.objects.filter(user=user).delete()


def _find_next(user: User, now: datetime) -> datetime:
    return next_daily(user.digest_at or HOUR, user.zone, after=now)


def send_due(now: datetime) -> None:
    """Queue the day's puzzle for all who are due, each once."""
    due = Subscription.objects.filter(next_at__lte=now).order_by("next_at").values_list("pk", flat=True)
    for pk in list(due[:BATCH]):
        with transaction.atomic():
            _send(pk, now)


def _send(pk: int, now: datetime) -> None:
    locked = Subscription.objects.select_for_update().filter(pk=pk, next_at__lte=now).first()
    if locked is None:  # another worker has done it, or it was ended
        return
    user = locked.user
    locked.next_at = _find_next(user, now)
    locked.save(update_fields=["next_at"])
    puzzle = posed_puzzles(user, now).filter(day=today_of(user, now)).first()
    to = user.mail_address() or ("" if in_use(user).exists() else None)
    if puzzle is None or to is None or user.mail_mode == User.MailMode.OFF:
        return
    if Answer.objects.filter(puzzle=puzzle, user=user).exists():
        return
    queue(
        [
            draft(
                user,
                KIND,
                thread=f"puzzle:{puzzle.pk}",
                data={KIND: puzzle.pk},
                dedup_key=f"{KIND}:{puzzle.pk}:{user.pk}",
                message_id=f"<z.{puzzle.pk}.{user.pk}.{signing.mac('z', puzzle.pk, user.pk)}"
                f"@{settings.MAIL_DOMAIN}>",
                now=now,
                to=to,
            )
        ]
    )
