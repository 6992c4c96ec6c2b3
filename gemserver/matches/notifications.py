"""Chooses the channel of each notification: a mail at once, the daily digest, or only the web.

The account's mail mode sets a channel for every topic (`BY_MODE`); a `NotificationChoice` replaces it for one topic
in all matches, or in one match. The choice is checked when a mail is queued, and once more when it is sent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from django.db.models import Q

from gemserver.accounts.models import User, mail_addresses
from gemserver.lib import clock
from gemserver.lib.database.prepared import Param, ParamSet, Prepared
from gemserver.matches import mail_ids
from gemserver.matches.models import Match, NotificationChoice, Sitting
from gemserver.notify.channels import in_use_by
from gemserver.notify.models import OutboxMessage
from gemserver.notify.outbox import draft, queue

Topic = NotificationChoice.Topic
Channel = NotificationChoice.Channel

TOPIC_OF: Mapping[str, NotificationChoice.Topic] = MappingProxyType(
    {
        "turn": Topic.TURN,
        "reminder": Topic.REMINDER,
        "vacation-ends": Topic.REMINDER,
        "timeout": Topic.TIMEOUT,
        "replaced": Topic.TIMEOUT,
        "away": Topic.TIMEOUT,
        "cut-off": Topic.TABLE,
        "talk": Topic.TALK,
        "started": Topic.TABLE,
        "seat-given": Topic.TABLE,
        "cancelled": Topic.TABLE,
        "terms-changed": Topic.TABLE,
        "removed": Topic.TABLE,
        "restored": Topic.TABLE,
        "finished": Topic.TABLE,
        "holiday": Topic.TABLE,
        "undo": Topic.TABLE,
        "sit-asked": Topic.TABLE,
        "sit-answered": Topic.TABLE,
        "sit-over": Topic.TABLE,
        "season-started": Topic.TABLE,
        "season-over": Topic.TABLE,
        "season-off": Topic.TABLE,
        "event-decision": Topic.TABLE,
        "replace-asked": Topic.TABLE,
        "replace-answered": Topic.TABLE,
        "club-notice": Topic.TABLE,
    }
)
"""The topic that a kind of mail reports. Any other kind answers something its reader did, and is always sent."""

BY_MODE: Mapping[str, Mapping[str, NotificationChoice.Channel]] = MappingProxyType(
    {
        User.MailMode.TURNS: dict.fromkeys(Topic, Channel.MAIL),
        User.MailMode.DIGEST: {
            **dict.fromkeys(Topic, Channel.MAIL),
            Topic.TURN: Channel.DIGEST,
            Topic.TALK: Channel.DIGEST,
        },
        User.MailMode.OFF: dict.fromkeys(Topic, Channel.WEB),
    }
)
"""The channel of a topic by mail mode, if nothing else is chosen."""

NOT_IN_DIGEST = frozenset({Topic.REMINDER})
"""A reminder cannot wait for a digest, which names each deadline anyway."""

DIGEST = "digest"
"""The category in the digest's unsubscribe link, where other mails have their topic."""

OF_SEASONS = frozenset(
    {"season-started", "season-over", "season-off", "event-decision"} | {"replace-asked", "replace-answered"}
)
"""Kinds of mail about a season as a whole, and not about one match."""

_NOT_SAVED_UP = (
    frozenset(
        {"sit-asked", "sit-answered", "sit-over", "club-notice", "terms-changed", "removed", "restored"}
    )
    | OF_SEASONS
)
"""Kinds that go out at once although their topic goes to the digest: personal questions, and what no digest tells."""

_SNOOZED = frozenset({Topic.TURN, Topic.REMINDER})


@dataclass(frozen=True, slots=True)
class Wishes:
    """One player's notification choices, read once for any number of matches."""

    user: User
    chosen: Mapping[tuple[int | None, str], str]
    """By match (None: all matches) and topic."""

    @classmethod
    def of(cls, user: User) -> Wishes:
        rows = _choices_of(user=user.pk)
        return cls(user, {(match, topic): channel for match, topic, channel in rows})

    @classmethod
    def of_all(cls, users: Collection[User], match: Match | None) -> Mapping[int, Wishes]:
        """The choices of each of these users (by primary key) that apply to the match (None: to none in particular)."""
        chosen: dict[int, dict[tuple[int | None, str], str]] = {user.pk: {} for user in users}
        about = match.pk if match else _NO_MATCH
        for user, match_id, topic, channel in _choices_for(match=about, users=chosen):
            chosen[user][match_id, topic] = channel
        return {user.pk: cls(user, chosen[user.pk]) for user in users}

    def channel(self, topic: str, match_id: int | None) -> NotificationChoice.Channel:
        """The player's channel for the topic in this match (None: the default for all matches).

        A digest without an hour would never come, so its news is mailed at once.
        """
        wanted = self.chosen.get((match_id, topic)) or self.chosen.get((None, topic))
        found = Channel(wanted or BY_MODE[self.user.mail_mode][Topic(topic)])
        return Channel.MAIL if found == Channel.DIGEST and self.user.next_digest_at is None else found

    @property
    def want_digest(self) -> bool:
        """True if any topic goes to the digest, whether or not the digest has an hour."""
        channels = {self.chosen.get((None, topic)) or BY_MODE[self.user.mail_mode][topic] for topic in Topic}
        return Channel.DIGEST in channels | set(self.chosen.values())

    def want_mail(self, kind: str, match_id: int | None) -> bool:
        """True if a mail of this kind is wanted at once; a personal question does not wait for a digest."""
        topic = TOPIC_OF.get(kind)
        if topic is None:
            return True
        found = self.channel(topic, match_id)
        return found == Channel.MAIL or (found == Channel.DIGEST and kind in _NOT_SAVED_UP)


_NO_MATCH = 0
"""The primary key of no match."""

_choices_for = Prepared(
    lambda: NotificationChoice.objects.filter(
        Q(match=Param("match")) | Q(match=None), user__in=ParamSet("users")
    ).values_list("user", "match", "event", "channel")
)
_choices_of = Prepared(
    lambda: NotificationChoice.objects.filter(user=Param("user")).values_list("match", "event", "channel")
)


def is_wanted(message: OutboxMessage) -> bool:
    """True if the reader of a queued mail still wants such news by mail at once."""
    if message.user is None or message.kind not in TOPIC_OF:
        return True
    wishes = Wishes.of(message.user)
    kinds = [message.kind, "started"] if message.data.get("starts") else [message.kind]
    return any(wishes.want_mail(kind, message.data.get("match")) for kind in kinds)


def find_wanting(readers: Collection[User], kind: str) -> list[tuple[User, str]]:
    """Those who want to be told of this, which is about no match, with their addresses; "": by other channels alone."""
    found = {reader.pk: reader for reader in readers}
    wishes = Wishes.of_all(readers, None)
    addresses = _find_addresses(readers)
    return [(found[pk], to) for pk, to in addresses.items() if wishes[pk].want_mail(kind, None)]


def _find_addresses(readers: Collection[User]) -> dict[int, str]:
    """The address of each of these users (by primary key) who can be told; "" if mail is lost and a channel is not."""
    addresses = dict(mail_addresses(readers))
    if unreachable := {reader.pk for reader in readers} - addresses.keys():
        addresses |= dict.fromkeys(in_use_by(unreachable), "")
    return addresses


RECEIPT_PAUSE = timedelta(seconds=30)
"""For so long a mail about a turn waits for the answer to the mail that brought the turn about."""
HELD = "held_until"
"""Key in the row of such a mail: the instant at which it goes out by itself."""
_waiting_for_receipt: ContextVar[int | None] = ContextVar("waiting_for_receipt", default=None)


@contextmanager
def turns_wait_for_receipt(user: User) -> Iterator[None]:
    """Hold mails about this player's turns back while a mail of theirs is carried out.

    Its answer can then tell the turn too; whoever writes it takes the mails in or lets them go.
    """
    token = _waiting_for_receipt.set(user.pk)
    try:
        yield
    finally:
        _waiting_for_receipt.reset(token)


@dataclass(frozen=True, slots=True)
class Addressee:
    """A reader of mail about a seat (by index): its player, or the sitter of this sitting."""

    user: User
    seat: int
    sitting: Sitting | None = None


def tell_players(
    match: Match,
    kind: str,
    addressees: Sequence[Addressee],
    *,
    turn: int,
    now: datetime,
    number: int = 0,
    not_before: datetime | None = None,
    **data: object,
) -> None:
    """Queue one mail to each addressee who wants it at once; only once for a person, kind, turn and number.

    None goes out before `not_before`, and mails about turns wait until the end of a snooze, too: of a turn that is
    answered by then nothing is mailed. Takes as many queries for all as for one.
    """
    if not addressees:
        return
    readers = [one.user for one in addressees]
    wishes, addresses = Wishes.of_all(readers, match), _find_addresses(readers)
    is_snoozed = TOPIC_OF.get(kind) in _SNOOZED
    held_until = max(now, clock.now()) + RECEIPT_PAUSE
    drafts = []
    for one in addressees:
        if one.user.pk not in addresses or not wishes[one.user.pk].want_mail(kind, match.pk):
            continue
        snooze = one.user.snoozed_until if is_snoozed else None
        wait = max(filter(None, (snooze, not_before)), default=None)
        about: dict[str, object] = {"match": match.pk, "seat": one.seat, "turn": turn}
        if kind == "turn" and one.user.pk == _waiting_for_receipt.get() and (wait or now) < held_until:
            wait = held_until
            about[HELD] = held_until.isoformat()
        sitting = one.sitting.pk if one.sitting else 0
        drafts.append(
            draft(
                one.user,
                kind,
                thread=match.thread,
                data={**about, **data},
                dedup_key=_name_mail(kind, match.pk, one.seat, turn, number, sitting),
                message_id=mail_ids.message_id(kind, match.pk, turn, one.seat, number, sitting),
                now=now,
                to=addresses[one.user.pk],
                not_before=wait,
            )
        )
    queue(drafts)


def _name_mail(kind: str, match: int, seat: int, turn: int, number: int, sitting: int) -> str:
    """The `dedup_key` of the mail, of the same parts as its Message-ID."""
    with_number, to_sitter = f":{number}" if number else "", f":sitting:{sitting}" if sitting else ""
    return f"{kind}:{match}:{seat}:{turn}{with_number}{to_sitter}"
