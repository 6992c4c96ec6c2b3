"""`/metrics`: the right figures, to the right reader, and nothing else."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate.ingest import ingest
from gemserver.matches import replay, uptime
from gemserver.matches.models import Match, Seat, Stop
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from gemserver.operating.exposition import expose
from gemserver.operating.gauges import measure
from gemserver.operating.models import Incident
from gemserver.operating.task_queues import count_waiting_tasks
from gemserver.schedule import QUEUES
from tests.builders import NOON, make_match, make_table, make_user, play_to_the_end
from tests.mailgate.letters import letter

pytestmark = pytest.mark.django_db

TOKEN = "a token for the scraper"
HOUR = timedelta(hours=1)


def figures(now=NOON) -> dict[str, float]:
    """Every sample as `name{label}`, parsed as Prometheus does."""
    text = expose(measure(now)).decode()
    return {
        "".join(
            [sample.name.removeprefix("gemserver_"), *(f"[{value}]" for value in sample.labels.values())]
        ): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture
def match() -> Match:
    return make_match(players=[make_user(name) for name in ("ana", "ben", "cy")])


def test_without_a_token_there_is_no_such_page(settings) -> None:
    settings.METRICS_TOKEN = ""
    assert Client().get("/metrics").status_code == 404
    assert Client().get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer ä"]
)
def test_without_the_right_token_nothing_is_told(settings, header: str) -> None:
    settings.METRICS_TOKEN = TOKEN
    response = Client().get("/metrics", headers={"Authorization": header})
    assert response.status_code == 401
    assert b"gemserver_" not in response.content


def test_with_the_token_prometheus_can_read_it(settings) -> None:
    settings.METRICS_TOKEN = TOKEN
    response = Client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/plain; version=")
    families = list(text_string_to_metric_families(response.content.decode()))
    assert len(families) > 15
    assert all(family.documentation for family in families)
    assert not response.cookies


def test_matches_by_state() -> None:
    make_table(seats=3)
    make_match(bots=2)
    play_to_the_end(make_match(bots=2))
    found = figures()
    states = {state: found[f"matches[{state}]"] for state in Match.Status.values}
    assert states == {"open": 1, "running": 1, "finished": 1, "cancelled": 0}


def test_a_seat_that_is_overdue_is_counted_with_its_age(match: Match) -> None:
    asked = match.seats.get(is_waiting=True)
    before, after = figures(asked.due_at - HOUR), figures(asked.due_at + HOUR)
    assert (before["seats_asked"], before["seats_overdue"], before["seats_overdue_age_seconds"]) == (1, 0, 0)
    assert (after["seats_asked"], after["seats_overdue"], after["seats_overdue_age_seconds"]) == (1, 1, 3600)


def test_a_bot_that_waits_is_counted_with_its_age() -> None:
    make_match(bots=2)
    found = figures(NOON + HOUR)
    assert (found["bots_waiting"], found["bots_waiting_age_seconds"]) == (1, 3600)


def test_mail_that_waits_is_counted_with_its_age(match: Match) -> None:
    queued = OutboxMessage.objects.count()
    found = figures(NOON + HOUR)
    assert (found["outbox_due"], found["outbox_later"], found["outbox_age_seconds"]) == (queued, 0, 3600)
    assert found["mail_out_last_day[queued]"] == queued
    delivery.claim(NOON + HOUR)
    found = figures(NOON + HOUR)
    assert (found["outbox_due"], found["outbox_later"], found["outbox_age_seconds"]) == (0, queued, 0)


def test_mail_that_nobody_has_tried_to_send_is_counted_apart(match: Match) -> None:
    queued = OutboxMessage.objects.count()
    found = figures(NOON + HOUR)
    assert (found["outbox_untried"], found["outbox_untried_age_seconds"]) == (queued, 3600)
    OutboxMessage.objects.update(attempts=1)
    found = figures(NOON + HOUR)
    assert (found["outbox_untried"], found["outbox_untried_age_seconds"]) == (0, 0)
    assert found["outbox_due"] == queued


def test_a_match_whose_rules_have_failed_is_counted_until_it_goes_on(match: Match) -> None:
    stop = Stop.objects.create(match=match, reason=Stop.Reason.PAUSE, start=NOON)
    assert figures()["games_failed"] == 0
    Stop.objects.update(reason=Stop.Reason.GAME)
    found = figures()
    assert (found["games_failed"], found["clocks_stand_still"]) == (1, 0)
    Stop.objects.filter(pk=stop.pk).update(end=NOON + HOUR)
    assert figures()["games_failed"] == 0


def test_bots_of_a_match_whose_rules_have_failed_wait_for_nobody() -> None:
    match = make_match(bots=2)
    assert figures()["bots_waiting"] == 1
    Stop.objects.create(match=match, reason=Stop.Reason.GAME, start=NOON)
    assert figures()["bots_waiting"] == 0


def test_clocks_that_all_stand_still_are_a_figure() -> None:
    assert figures()["clocks_stand_still"] == 0
    Stop.objects.create(reason=Stop.Reason.MAIL, start=NOON)
    assert figures()["clocks_stand_still"] == 1


def test_a_trouble_of_which_the_operators_were_not_told_is_counted() -> None:
    Incident.objects.create(kind=Incident.Kind.MAIL, began_at=NOON, ended_at=NOON + HOUR, tell_after=NOON)
    Incident.objects.create(kind=Incident.Kind.INBOX, began_at=NOON, tell_after=NOON, told_at=NOON)
    found = figures(NOON + HOUR)
    assert (found["incidents_untold"], found["incident[mail]"], found["incident[inbox]"]) == (1, 0, 1)


def test_a_mail_that_was_refused_has_waited_from_the_start(match: Match) -> None:
    OutboxMessage.objects.update(attempts=3, available_at=NOON + 2 * HOUR)
    assert figures(NOON + HOUR)["outbox_age_seconds"] == 3600


def test_sent_mail_waits_no_more(match: Match) -> None:
    sent = delivery.send_queued()
    found = figures(clock.now())
    assert sent
    assert found["outbox_due"] + found["outbox_later"] + found["outbox_age_seconds"] == 0
    assert figures(NOON + HOUR)["mail_out_last_day[sent]"] == sent
    assert figures(NOON + 25 * HOUR)["mail_out_last_day[sent]"] == 0


def test_mail_that_waits_to_be_read_is_counted_with_its_age(match: Match) -> None:
    seat = match.seats.select_related("user").get(is_waiting=True)
    ingest(letter(seat, "pass"), seat.user.email, seat.reply_address, "smtp", {}, received_at=NOON)
    found = figures(NOON + HOUR)
    assert (found["inbox_waiting"], found["inbox_age_seconds"], found["mail_in_last_day[stored]"]) == (
        1,
        3600,
        1,
    )


def test_mail_that_the_server_fails_to_read_is_counted_apart_from_mail_that_nobody_could_read(
    match: Match,
) -> None:
    seat = match.seats.select_related("user").get(is_waiting=True)
    for text, code in (("pass", "server-error"), ("bid 1", "no-text")):
        mail = letter(seat, text)
        ingest(mail, seat.user.email, seat.reply_address, "smtp", {}, received_at=NOON)
        stored = InboundEmail.objects.filter(state=InboundEmail.State.STORED)
        stored.update(state=InboundEmail.State.UNREADABLE, code=code)
    found = figures(NOON + HOUR)
    assert (found["mail_in_last_day[unreadable]"], found["mail_given_up_last_day"]) == (2, 1)
    assert figures(NOON + 25 * HOUR)["mail_given_up_last_day"] == 0


def test_heartbeats_have_an_age() -> None:
    assert not [name for name in figures() if name.startswith("heartbeat_age_seconds[")]
    uptime.watch(NOON)
    found = figures(NOON + HOUR)
    assert (found["heartbeat_age_seconds[sweep]"], found["heartbeat_age_seconds[mail]"]) == (3600, 3600)


def test_tasks_at_the_broker_are_counted() -> None:
    from gemserver.celery import app

    before = count_waiting_tasks()
    app.send_task("gemserver.operating.tasks.watch")
    assert before is not None
    assert count_waiting_tasks() == before + 1
    found = figures()
    assert (found["broker_up"], sum(found[f"broker_tasks[{queue}]"] for queue in QUEUES)) == (1, before + 1)
    assert found["broker_tasks[celery]"] > 0


def test_a_broker_that_is_away_is_a_figure_and_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    from gemserver.celery import app

    # Nothing listens on port 1.
    monkeypatch.setitem(app.conf, "broker_read_url", "redis://127.0.0.1:1/0")
    monkeypatch.setitem(app.conf, "broker_transport", "gemserver.lib.process.broker:Transport")
    monkeypatch.setattr("kombu.utils.functional.sleep", lambda _: pytest.fail("whoever scrapes waits"))
    found = figures()
    assert found["broker_up"] == 0
    assert not [name for name in found if name.startswith("broker_tasks")]


@pytest.mark.slow
def test_figures_name_nobody_and_hold_no_secret(match: Match) -> None:
    play_to_the_end(match)
    text = expose(measure(NOON + HOUR)).decode()
    for seat in Seat.objects.select_related("user"):
        assert seat.token not in text
        assert seat.part not in text
        assert seat.user is None or seat.user.username not in text
    assert match.server_part not in text
    assert replay.seed(match) not in text
    assert match.code not in text
    assert "@" not in text
    assert not re.search(r"[0-9a-z]{20}", text)


def test_the_number_of_questions_does_not_grow_with_the_data(
    match: Match, django_assert_max_num_queries
) -> None:
    with django_assert_max_num_queries(16):
        measure(NOON)


def test_what_leaves_by_other_channels_is_counted_apart(match: Match) -> None:
    queued = OutboxMessage.objects.count()
    row = OutboxMessage.objects.earliest("pk")
    OutboxMessage.objects.filter(pk=row.pk).update(route=OutboxMessage.Route.CHANNEL)
    found = figures(NOON + HOUR)
    assert (found["mail_out_last_day[queued]"], found["told_last_day[queued]"]) == (queued - 1, 1)
    assert found["outbox_due"] == queued - 1
