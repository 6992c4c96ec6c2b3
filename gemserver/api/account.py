"""The asker's own settings of time and mail. Addresses, tokens and the end of the account are beyond any token."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Annotated, Literal

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from gemserver.accounts.hours import hours_at
from gemserver.accounts.models import User
from gemserver.api.askers import Token, asker_of, user_of
from gemserver.api.keys import Key, Keyed
from gemserver.api.shapes import Day, Done, Strict, Time
from gemserver.lib import clock
from gemserver.matches.actions.people.change_channel import switch_channel, tell_by, told_by
from gemserver.matches.actions.people.choose_channels import Channel, Topic, choose_channels
from gemserver.matches.actions.people.rename import rename as rename_action
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode, set_receipts
from gemserver.matches.actions.people.snooze import snooze as snooze_action
from gemserver.matches.actions.time.set_hours import set_hours, set_leads
from gemserver.matches.actions.time.take_vacation import announce_vacation, end_vacation, vacation_days_left
from gemserver.matches.bot_accounts import offered_games
from gemserver.matches.models import Match
from gemserver.matches.readers import find_match
from gemserver.matches.refusal import Refused
from gemserver.matches.seating import require_held_seat

router = Router(tags=["account"])

HourOfDay = Annotated[
    str,
    Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$", description="A time of day.", examples=["22:00"]),
]


class Quiet(Strict):
    """Hours that count on no clock of yours."""

    start: HourOfDay
    end: HourOfDay


class HoursSent(Strict):
    """Your zone and quiet hours."""

    zone: str | None = Field(None, max_length=64, description="Null: as it is.", examples=["Europe/Paris"])
    quiet: Quiet | None = Field(None, description="Null: none.")


class LeadsSent(Strict):
    """When you are reminded: minutes of your time that are left. Empty: never."""

    minutes: list[Annotated[int, Field(ge=1, le=100_000)]] = Field(max_length=10, examples=[[1440, 240]])


class VacationSent(Strict):
    """First and last day, in your zone."""

    first: date
    last: date


class MailSent(Strict):
    """The way in which turns are mailed."""

    mode: Literal["turns", "digest", "off"]
    digest_at: HourOfDay | None = Field(None, description="The hour of the digest, in your zone.")
    receipts: Literal["all", "refusals", "none"] | None = Field(None, description="Null: as it is.")


class ChannelSent(Strict):
    """The way in which one kind of news comes, in all matches or in one."""

    kind: Literal["turn", "reminder", "timeout", "talk", "table"]
    channel: Literal["mail", "digest", "web"]
    match: str | None = Field(None, pattern=r"^M[1-9][0-9]{0,8}$", description="Null: in all.")
    digest_at: HourOfDay | None = None


class WaySent(Strict):
    """The one way by which you are told."""

    way: str = Field(
        min_length=1,
        max_length=40,
        description="`mail`, `devices`, or the name of a hook.",
        examples=["mail"],
    )


class SwitchSent(Strict):
    """A channel to be switched."""

    name: str = Field(min_length=1, max_length=40, examples=["club"])
    on: bool


class ChannelShown(Schema):
    """A way other than mail by which you can be told; its address is a secret, and not in it."""

    name: str
    kind: Literal["webpush", "webhook", "discord", "slack", "matrix", "ntfy"]
    on: bool
    why_off: Literal["owner", "gone", "failing", "key"] | None = None
    holds_mail: bool = Field(description="It gets the text of the mail that it replaces.")
    failing_since: Time | None = None
    last_success_at: Time | None = None


class Channels(Schema):
    """By what you are told, and by what else you can be."""

    told_by: str = Field(description="`mail`, `devices`, or the name of a hook.", examples=["mail"])
    channels: list[ChannelShown]


class SnoozeSent(Strict):
    """The time for which no mail about turns comes."""

    minutes: int = Field(ge=1, le=100_000)


class NameSent(Strict):
    """The name by which the others know you."""

    name: str = Field(min_length=1, max_length=60)


class Vacation(Schema):
    """Days on which your clocks stand still."""

    first: Day
    last: Day


class Account(Schema):
    """Your account as it concerns play, and what this token may do."""

    name: str
    owner: str | None = Field(None, description="Who answers for this bot; null: the account is a person's.")
    practice: list[str] = Field(description="Games at which this bot is offered for practice.")
    language: str
    zone: str
    quiet: Quiet | None = None
    reminders: list[int] = Field(description="Minutes of your time that are left at each.")
    vacations: list[Vacation]
    vacation_days_left: int = Field(description="In this calendar year.")
    mail: str
    receipts: str
    named_in_archive: bool = Field(
        description="The open archive names you; otherwise you have a number in it."
    )
    token: str = Field(description="The name of the token that asks.")
    scopes: list[str]
    expires_at: Time | None = None


@router.get("/account", response=Account, auth=Token("read"), summary="Your account", operation_id="account")
def account(request: HttpRequest) -> Account:
    """Show your settings, and what the token that asks may do."""
    user, token, now = user_of(request), asker_of(request).token, clock.now()
    hours, today = hours_at(user, now), now.astimezone(user.zone).date()
    return Account(
        name=user.username,
        owner=user.owner.username if user.owner else None,
        practice=list(offered_games(user)),
        language=user.language,
        zone=user.time_zone,
        quiet=Quiet(start=f"{hours.quiet_start:%H:%M}", end=f"{hours.quiet_end:%H:%M}")
        if hours.quiet_start
        else None,
        reminders=list(user.reminder_minutes),
        vacations=[
            Vacation(first=row.first, last=row.last) for row in user.vacations.filter(last__gte=today)
        ],
        vacation_days_left=vacation_days_left(user, today.year),
        mail=user.mail_mode,
        receipts=user.receipts,
        named_in_archive=user.is_named_in_archive,
        token=token.name,
        scopes=token.scope_words,
        expires_at=token.expires_at,
    )


@router.post(
    "/account/hours", response=Done, auth=Token("account"), summary="Set your hours", operation_id="set_hours"
)
def hours(request: HttpRequest, body: HoursSent, key: Key) -> Done:
    """Set zone and quiet hours; the first change counts at once, a later one for turns that begin in a day."""

    def carry_out() -> None:
        quiet = (_read_hour(body.quiet.start), _read_hour(body.quiet.end)) if body.quiet else None
        set_hours(user_of(request), quiet=quiet, zone=body.zone, now=clock.now())

    return Keyed(request, "hours", key).do(carry_out)


@router.post(
    "/account/reminders",
    response=Done,
    auth=Token("account"),
    summary="Set your reminders",
    operation_id="set_reminders",
)
def reminders(request: HttpRequest, body: LeadsSent, key: Key) -> Done:
    """Choose how much of your time is left when you are reminded; open turns too."""

    def carry_out() -> None:
        leads = [timedelta(minutes=minutes) for minutes in body.minutes]
        set_leads(user_of(request), leads, now=clock.now())

    return Keyed(request, "reminders", key).do(carry_out)


@router.post(
    "/account/vacation",
    response=Done,
    auth=Token("account"),
    summary="Take a vacation",
    operation_id="vacation",
)
def vacation(request: HttpRequest, body: VacationSent, key: Key) -> Done:
    """Stop your clocks on these days; all your tables are told."""

    def carry_out() -> None:
        announce_vacation(user_of(request), body.first, body.last, now=clock.now())

    return Keyed(request, "vacation", key).do(carry_out)


@router.post(
    "/account/vacation/end",
    response=Done,
    auth=Token("account"),
    summary="End your vacation",
    operation_id="end_vacation",
)
def end(request: HttpRequest, key: Key) -> Done:
    """Call coming vacations off; one that has begun ends with today."""

    def carry_out() -> None:
        end_vacation(user_of(request), now=clock.now())

    return Keyed(request, "vacation-end", key).do(carry_out)


@router.post(
    "/account/mail",
    response=Done,
    auth=Token("account"),
    summary="Choose how turns are mailed",
    operation_id="set_mail",
)
def mail(request: HttpRequest, body: MailSent, key: Key) -> Done:
    """Choose a mail for each turn, one a day, or none; and which of your own mails are answered."""
    user = user_of(request)

    def carry_out() -> None:
        hour = _read_hour(body.digest_at) if body.digest_at else user.digest_at
        if body.mode == "digest" and hour is None:
            raise Refused("no-hour", "Give the hour at which you want your digest.")
        set_mail_mode(user, User.MailMode(body.mode), now=clock.now(), digest_at=hour)
        if body.receipts:
            set_receipts(user, User.Receipts(body.receipts))

    return Keyed(request, "mail", key).do(carry_out)


@router.get(
    "/account/channels",
    response=Channels,
    auth=Token("account"),
    summary="By what you are told",
    operation_id="channels",
)
def list_channels(request: HttpRequest) -> Channels:
    """List your channels. Their addresses are shown to nobody; they are added and removed on the account page alone."""
    user = user_of(request)
    return Channels(
        told_by=told_by(user),
        channels=[
            ChannelShown(
                name=row.name,
                kind=row.kind,  # type: ignore[arg-type]
                on=row.is_on,
                why_off=row.off or None,  # type: ignore[arg-type]
                holds_mail=row.holds_mail,
                failing_since=row.failing_since,
                last_success_at=row.last_success_at,
            )
            for row in user.channels.all()
        ],
    )


@router.post(
    "/account/told-by",
    response=Done,
    auth=Token("account"),
    summary="Choose by what you are told",
    operation_id="tell_by",
)
def choose_told_by(request: HttpRequest, body: WaySent, key: Key) -> Done:
    """Let whatever would be mailed at once come by one way: mail, your devices, or one hook."""
    return Keyed(request, "told-by", key).do(lambda: tell_by(user_of(request), body.way))


@router.post(
    "/account/channels/switch",
    response=Done,
    auth=Token("account"),
    summary="Switch a channel on or off",
    operation_id="switch_channel",
)
def switch(request: HttpRequest, body: SwitchSent, key: Key) -> Done:
    """Switch one of your channels on, as if nothing had failed, or off; while yours is off you are told by mail."""

    def carry_out() -> None:
        switch_channel(user_of(request), body.name, on=body.on, now=clock.now())

    return Keyed(request, "switch-channel", key).do(carry_out)


@router.post(
    "/account/channels",
    response=Done,
    auth=Token("account"),
    summary="Choose how news comes",
    operation_id="set_channel",
)
def channel(request: HttpRequest, body: ChannelSent, key: Key) -> Done:
    """Choose how one kind of news comes: by mail at once, in the digest, or on the web alone."""
    user = user_of(request)
    found = _find_own(body.match, user) if body.match else None

    def carry_out() -> None:
        hour = _read_hour(body.digest_at) if body.digest_at else None
        chosen = {Topic(body.kind): Channel(body.channel)}
        choose_channels(user, found, chosen, digest_at=hour, now=clock.now())

    return Keyed(request, "channel", key).do(carry_out)


@router.post("/account/snooze", response=Done, auth=Token("account"), summary="Snooze", operation_id="snooze")
def snooze(request: HttpRequest, body: SnoozeSent, key: Key) -> Done:
    """Get no mail about turns for a while; your clocks run on."""

    def carry_out() -> None:
        snooze_action(user_of(request), timedelta(minutes=body.minutes), now=clock.now())

    return Keyed(request, "snooze", key).do(carry_out)


@router.post(
    "/account/name", response=Done, auth=Token("account"), summary="Rename yourself", operation_id="rename"
)
def name(request: HttpRequest, body: NameSent, key: Key) -> Done:
    """Choose the name by which the others know you."""

    def carry_out() -> None:
        rename_action(user_of(request), body.name)

    return Keyed(request, "name", key).do(carry_out)


def _find_own(code: str, user: User) -> Match:
    found, _own = find_match(code, user)
    require_held_seat(found, user)
    return found


def _read_hour(text: str) -> time:
    return datetime.strptime(text, "%H:%M").time()
