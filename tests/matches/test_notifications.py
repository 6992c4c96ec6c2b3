"""Channels of notifications, chosen for all matches or for one; digest, unsubscribing, and the snooze."""

from __future__ import annotations

from datetime import datetime, time, timedelta

import pytest
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client

from games import registry
from gemserver.accounts.models import User
from gemserver.clocks.control import TimeControl
from gemserver.lib import clock
from gemserver.matches import replay
from gemserver.matches.actions.people.choose_channels import choose_channels
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode
from gemserver.matches.actions.people.snooze import end_snooze, snooze
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, propose_sitting
from gemserver.matches.actions.talk.say import say
from gemserver.matches.actions.time.propose_holiday import propose_holiday
from gemserver.matches.mails.digest import digest
from gemserver.matches.models import Match, Move, NotificationChoice, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, asked, is_asked, make_match, make_user, play, play_to_the_end, play_until
from tests.mailgate.letters import letter, receive_at
from tests.matches.sweeping import sweep
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
SECOND_BEGINS = "a" * 64
"""A deal in which the player in the second seat is asked first."""
EIGHT = NOON.replace(hour=8) + DAY
Topic, Channel = NotificationChoice.Topic, NotificationChoice.Channel


@pytest.fixture(autouse=True)
def at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON)


def again(user: User) -> User:
    return User.objects.get(pk=user.pk)


def match_that_waits_for(user: User, opponent: str) -> Match:
    """The opponent has moved, so that the start and the turn are told in two mails."""
    other = make_user(opponent)
    terms = TimeControl.per_move(3 * DAY)
    match = make_match(players=[again(user), other], time_control=terms, server_part=SECOND_BEGINS)
    if not match.seats.get(user=user).is_waiting:
        play(match, match.seats.get(user=other).index, "bid 0")
    return Match.objects.get(pk=match.pk)


def choose(
    user: User, event: NotificationChoice.Topic, channel: str | None, match: Match | None = None
) -> None:
    wanted = Channel(channel) if channel else None
    choose_channels(again(user), match, {event: wanted}, digest_at=time(8), now=NOON)


def kinds_for(user: User) -> list[str]:
    return sorted(OutboxMessage.objects.filter(user=user).values_list("kind", flat=True))


def sent_to(user: User, monkeypatch: pytest.MonkeyPatch, now: datetime) -> list[EmailMultiAlternatives]:
    mail.outbox.clear()
    sweep(monkeypatch, now)
    delivery.send_queued()
    return [message for message in mail.outbox if message.to == [user.email]]


# --- Queueing and sending


@pytest.mark.parametrize(
    ("event", "kind"), [(Topic.TURN, "turn"), (Topic.TABLE, "started"), (Topic.REMINDER, "reminder")]
)
def test_an_event_that_is_left_to_the_web_is_not_mailed(
    ana: User, monkeypatch: pytest.MonkeyPatch, event: NotificationChoice.Topic, kind: str
) -> None:
    choose(ana, event, "web")
    match_that_waits_for(ana, "ben")
    sweep(monkeypatch, NOON + 2 * DAY)
    assert kind not in kinds_for(ana)
    assert len(kinds_for(ana)) == 2, "the others come as before"


def test_one_match_may_differ_from_all(ana: User) -> None:
    first = match_that_waits_for(ana, "ben")
    choose(ana, Topic.TURN, "web")
    choose(ana, Topic.TURN, "mail", first)
    OutboxMessage.objects.all().delete()
    first = play_until(first, lambda match: not is_asked(ana)(match))
    play_until(first, is_asked(ana))
    match_that_waits_for(ana, "cy")
    turns = OutboxMessage.objects.filter(kind="turn", user=ana)
    assert {row.data["match"] for row in turns} == {first.pk}
    choose(ana, Topic.TURN, None, first)
    assert not ana.notification_choices.exclude(match=None).exists()


def test_even_who_gets_no_mail_may_want_one_match(ana: User) -> None:
    match = match_that_waits_for(ana, "ben")
    set_mail_mode(ana, User.MailMode.OFF, now=NOON)
    choose(ana, Topic.TABLE, "mail", match)
    ben = match.seats.select_related("user").exclude(user=ana).get().user
    assert ben
    OutboxMessage.objects.all().delete()
    propose_holiday(match.pk, ben, EIGHT.date(), EIGHT.date(), now=NOON)
    assert kinds_for(ana) == ["holiday"]


def test_a_mail_that_waits_is_not_sent_once_its_reader_does_not_want_it(ana: User) -> None:
    match_that_waits_for(ana, "ben")
    choose(ana, Topic.TURN, "web")
    delivery.send_queued()
    states = dict(OutboxMessage.objects.filter(user=ana).values_list("kind", "state"))
    assert states == {"started": "sent", "turn": "skipped"}


@pytest.mark.parametrize(
    ("event", "hour", "code"), [(Topic.TURN, None, "no-hour"), (Topic.REMINDER, time(8), "not-in-digest")]
)
def test_what_cannot_wait_for_a_digest(
    ana: User, event: NotificationChoice.Topic, hour: time | None, code: str
) -> None:
    with pytest.raises(Refused, match=code):
        choose_channels(ana, None, {event: Channel.DIGEST}, digest_at=hour, now=NOON)
    assert not ana.notification_choices.exists()


# --- The mail mode as the default


@pytest.mark.parametrize("mode", ["turns", "digest", "off"])
def test_a_mode_replaces_what_was_chosen_event_by_event(ana: User, mode: str) -> None:
    match = match_that_waits_for(ana, "ben")
    choose(ana, Topic.TALK, "web")
    choose(ana, Topic.TALK, "mail", match)
    set_mail_mode(again(ana), User.MailMode(mode), now=NOON, digest_at=time(8))
    left = list(ana.notification_choices.values_list("match", flat=True))
    assert left == ([] if mode == "off" else [match.pk])


def test_choosing_what_is_usual_keeps_no_row(ana: User) -> None:
    choose(ana, Topic.TALK, "web")
    choose(ana, Topic.TALK, "mail")
    assert not ana.notification_choices.exists()


# --- The digest


def test_a_digest_for_one_match_alone(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = match_that_waits_for(ana, "ben"), match_that_waits_for(ana, "cy")
    choose(ana, Topic.TURN, "digest", first)
    told = sent_to(ana, monkeypatch, EIGHT)
    (digest,) = [message for message in told if "<d." in message.extra_headers["Message-ID"]]
    assert f"{first.code}: bid" in digest.body
    assert f"{second.code}: bid" not in digest.body


def test_talk_and_news_of_the_table_wait_for_the_digest(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    choose(ana, Topic.TALK, "digest")
    choose(ana, Topic.TABLE, "digest")
    match = match_that_waits_for(ana, "ben")
    seat = match.seats.select_related("user").exclude(user=ana).get()
    assert seat.user
    say(match.pk, seat.user, "well met\nbid 3", "one", now=NOON + HOUR)
    propose_holiday(match.pk, seat.user, EIGHT.date(), EIGHT.date(), now=NOON + HOUR)
    say(match.pk, again(ana), "hello", "two", now=NOON + HOUR)
    digests = [told for told in sent_to(ana, monkeypatch, EIGHT) if "<d." in str(told.message())]
    (digest,) = digests
    for line in (
        "The match has begun.",
        "ben proposes a table holiday",
        "ben writes:",
        "| well met",
        "| bid 3",
    ):
        assert line in digest.body
    assert "hello" not in digest.body, "what the reader said is no news"
    assert digest.subject == "News of your matches", "turns were mailed at once"
    assert sent_to(ana, monkeypatch, EIGHT + DAY) == [], "it is told once"


def test_timeouts_wait_for_the_digest(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    choose(ana, Topic.TIMEOUT, "digest")
    match_that_waits_for(ana, "ben")
    sweep(monkeypatch, EIGHT + DAY)
    told = sent_to(ana, monkeypatch, NOON + 3 * DAY)
    assert not [message for message in told if "Your time ran out" in message.body]
    told = sent_to(ana, monkeypatch, EIGHT + 3 * DAY)
    assert [
        message.body.count("the server moved for you") for message in told if "<d." in str(message.message())
    ] == [1]


def test_a_digest_is_written_although_one_of_its_games_was_removed(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(ana, Topic.TIMEOUT, "digest")
    gone = match_that_waits_for(ana, "ben")
    sweep(monkeypatch, NOON + 3 * DAY)
    missed = gone.moves.get(source=Move.Source.CLOCK)
    Match.objects.update(status=Match.Status.FINISHED, finished_at=NOON + 3 * DAY)
    row = OutboxMessage(user=again(ana), data={"prompts": [], "since": NOON.isoformat()})
    monkeypatch.delitem(registry.GAMES, gone.game)
    content = digest(row)
    assert content
    assert f"the server moved for you: {missed.text}" in " ".join(content.text.split())


def test_a_question_to_the_player_alone_does_not_wait_for_the_digest(ana: User) -> None:
    choose(ana, Topic.TABLE, "digest")
    match = make_match(players=[make_user("ben"), make_user("cy")])
    ben = match.seats.select_related("user").get(index=0).user
    assert ben
    propose_sitting(match.pk, ben, "ana", NOON.date(), NOON.date(), now=NOON)
    assert kinds_for(ana) == ["sit-asked"]


# --- Unsubscribing


@pytest.mark.parametrize("kind", ["turn", "started"])
def test_the_link_in_a_mail_stops_mails_of_its_kind_alone(ana: User, client: Client, kind: str) -> None:
    match_that_waits_for(ana, "ben")
    delivery.send_queued()
    rows = OutboxMessage.objects.filter(user=ana, kind=kind)
    message = next(told for told in mail.outbox if told.extra_headers["Message-ID"] == rows[0].message_id)
    header = message.extra_headers["List-Unsubscribe"]
    url = header.split(">")[0].removeprefix("<")
    event = {"turn": Topic.TURN, "started": Topic.TABLE}[kind]
    assert url.endswith(f"/{event}/")
    assert client.get(url).status_code == 200
    assert not ana.notification_choices.exists()
    for _ in range(2):
        assert Client(enforce_csrf_checks=True).post(url).status_code == 200
    assert list(ana.notification_choices.values_list("event", "channel")) == [(event, "web")]
    assert again(ana).mail_mode == "turns"


def test_the_same_by_mail(ana: User) -> None:
    match = match_that_waits_for(ana, "ben")
    seat = match.seats.select_related("user").get(user=ana)
    address = f"me+{ana.token}@gem.localhost"
    raw = letter(seat, "", To=address, Subject="unsubscribe talk")
    row = receive_at(address, raw, sender=ana.email, at=NOON)
    assert row.results[0]["outcome"] == "done"
    assert list(ana.notification_choices.values_list("event", "channel")) == [("talk", "web")]


def test_the_link_in_a_digest_stops_all_that_it_tells(ana: User, client: Client) -> None:
    match = match_that_waits_for(ana, "ben")
    set_mail_mode(ana, User.MailMode.DIGEST, now=NOON, digest_at=time(8))
    choose(ana, Topic.TABLE, "digest", match)
    client.post(f"/u/{ana.token}/digest/")
    chosen = set(ana.notification_choices.values_list("match", "event", "channel"))
    assert chosen == {(None, "turn", "web"), (None, "talk", "web")}


def test_a_link_for_no_kind_of_mail_leads_nowhere(ana: User, client: Client) -> None:
    assert client.post(f"/u/{ana.token}/everything/").status_code == 404


def test_every_mail_about_a_match_names_the_page_of_choices(ana: User) -> None:
    match = match_that_waits_for(ana, "ben")
    delivery.send_queued()
    assert mail.outbox
    for message in mail.outbox:
        assert f"/m/{match.code}/notifications/" in message.body


# --- The snooze


def test_a_snooze_is_taken_back_and_what_was_held_goes_out(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    snooze(ana, DAY, now=NOON)
    match = match_that_waits_for(ana, "ben")
    assert "It is your turn" not in "".join(told.body for told in sent_to(ana, monkeypatch, NOON + HOUR))
    end_snooze(again(ana), now=NOON + HOUR)
    assert "It is your turn" in "".join(told.body for told in sent_to(ana, monkeypatch, NOON + HOUR))
    seat = Seat.objects.get(match=match, user=ana)
    assert seat.remind_at == NOON + 2 * DAY
    end_snooze(again(ana), now=NOON + HOUR)


# --- The pages


def test_the_grid_for_all_matches(ana: User) -> None:
    client = signed_in(ana)
    form = {event.value: "mail" for event in Topic} | {"turn": "digest", "talk": "web", "digest_at": "07:30"}
    page = read(client.post("/notifications/", {"do": "channels", **form}, follow=True))
    assert "Saved" in page.text
    assert dict(ana.notification_choices.values_list("event", "channel")) == {"turn": "digest", "talk": "web"}
    assert again(ana).digest_at == time(7, 30)
    html = client.get("/notifications/").content.decode()
    for chosen in ("turn-digest", "talk-web", "table-mail"):
        assert f'id="{chosen}"' in html
        assert "checked" in html.split(f'id="{chosen}"')[1].split(">")[0]


def test_the_grid_for_one_match(ana: User) -> None:
    match = match_that_waits_for(ana, "ben")
    client = signed_in(ana)
    url = f"/m/{match.code}/notifications/"
    form = {event.value: "same" for event in Topic} | {"talk": "web"}
    assert "Saved, for this match." in read(client.post(url, form, follow=True)).text
    assert list(ana.notification_choices.values_list("match", "event", "channel")) == [
        (match.pk, "talk", "web")
    ]
    assert "chosen separately" in read(client.get("/notifications/")).text
    assert url in client.get(match.get_absolute_url()).content.decode()


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"do": "mail", "mode": "digest"}, "Give the hour"),
        (
            {
                "do": "channels",
                "turn": "digest",
                "reminder": "mail",
                "timeout": "mail",
                "talk": "mail",
                "table": "mail",
            },
            "Give the hour",
        ),
        ({"do": "channels", "turn": "pigeon"}, "not one of the available choices"),
        ({"do": "snooze", "hours": "1000"}, "not one of the available choices"),
    ],
)
def test_what_cannot_be_is_refused_in_words(ana: User, form: dict[str, str], sentence: str) -> None:
    response = signed_in(ana).post("/notifications/", form)
    assert response.status_code == 422
    assert response.content.decode().count(sentence) == 1, "beside its field, and not above the page too"


def test_the_snooze_on_the_page(ana: User) -> None:
    client = signed_in(ana)
    page = read(client.post("/notifications/", {"do": "snooze", "hours": "3"}, follow=True))
    assert "No mail about turns until Fri 6 Mar 2026 15:00 UTC." in page.text
    page = read(client.post("/notifications/", {"do": "wake"}, follow=True))
    assert "until Fri" not in page.text
    assert again(ana).snoozed_until is None


def test_the_pages_are_for_who_is_signed_in(client: Client) -> None:
    assert client.get("/notifications/").status_code == 302


def test_who_only_sits_there_is_led_to_the_page_for_all_matches(ana: User) -> None:
    match = make_match(players=[make_user("ben"), make_user("cy")])
    ben = match.seats.select_related("user").get(index=0).user
    assert ben
    sitting = propose_sitting(match.pk, ben, "ana", NOON.date(), NOON.date(), now=NOON)
    delivery.send_queued()
    (question,) = [told for told in mail.outbox if told.to == [ana.email]]
    assert "/m/" not in question.body.split("What comes by mail:")[1]
    agree_to_sit(sitting.pk, ana, now=NOON)
    page = signed_in(ana).get(match.get_absolute_url()).content.decode()
    assert f"/m/{match.code}/notifications/" not in page


@pytest.mark.parametrize(
    ("ranks", "told"),
    [((1, 1), "you share first place"), ((1, 2), "you have won"), ((2, 1), "you are number 2 of 2")],
)
def test_the_end_is_told_as_it_was(ranks: tuple[int, int], told: str) -> None:
    match = play_to_the_end(make_match("florentine", [make_user("ana"), make_user("ben")]))
    for index, rank in enumerate(ranks):
        match.seats.filter(index=index).update(rank=rank)
    mail.outbox.clear()
    delivery.send_queued()
    assert any(
        f"The match is over: {told}" in str(letter.subject) for letter in mail.outbox if "ana" in letter.to[0]
    )


def test_who_plays_at_the_board_gets_no_mail_of_turns_that_are_answered_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And one of the turn that is left open, once they have gone."""
    match = make_match("gem", [make_user("eva"), make_user("finn")])
    delivery.send_queued()
    Seat.objects.filter(match=match).update(seen_at=NOON)
    mail.outbox.clear()
    for minute in range(1, 5):
        at = NOON + timedelta(minutes=minute)
        monkeypatch.setattr(clock, "now", lambda at=at: at)
        seat = asked(Match.objects.get(pk=match.pk))
        Seat.objects.filter(pk=seat.pk).update(seen_at=at)
        text = match.rules.write(match.rules.default_move(replay.position(again_match(match)), seat.index))
        play(match, seat.index, text, now=at)
        delivery.send_queued()
    assert mail.outbox == []
    monkeypatch.setattr(clock, "now", lambda: NOON + timedelta(minutes=20))
    delivery.send_queued()
    assert [message.to for message in mail.outbox] == [[asked(again_match(match)).user.email]]


def again_match(match: Match) -> Match:
    return Match.objects.get(pk=match.pk)


@pytest.mark.parametrize(("left", "mails"), [(HOUR, 1), (DAY, 0)])
def test_a_mail_waits_only_where_there_is_time_enough(left: timedelta, mails: int, ana: User) -> None:
    terms = TimeControl.per_move(left)
    match = make_match("gem", [again(ana), make_user("gil")], time_control=terms, server_part=SECOND_BEGINS)
    delivery.send_queued()
    first = asked(match)
    other = match.seats.exclude(pk=first.pk).get()
    Seat.objects.filter(pk=other.pk).update(seen_at=NOON)
    mail.outbox.clear()
    play(match, first.index, "bid 0")
    delivery.send_queued()
    assert sum(other.user.email in message.to for message in mail.outbox) == mails
