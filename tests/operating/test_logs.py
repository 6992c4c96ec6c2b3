"""Logs hold enough to find a request or a mail again, and nothing to play or look with."""

from __future__ import annotations

import io
import json
import logging
import logging.config
from collections.abc import Iterator
from typing import Any

import pytest
from celery import Task
from django.conf import settings as django_settings
from django.test import Client
from django.urls import reverse

from gemserver.celery import app
from gemserver.inbox import held_mail
from gemserver.lib.process import logs
from gemserver.lib.process.log_setup import configuration
from gemserver.lib.text.redaction import redact_log
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches import prompts, replay
from gemserver.matches.models import Invitation, Match
from gemserver.notify import delivery
from tests.builders import NOON, make_match, make_table, make_user
from tests.mailgate.letters import letter
from tests.quick import first
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db

TOKEN = "abcdefghijklmnopqrstuvwx23"


class Log:
    """The output of production's handlers."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture
def log() -> Iterator[Log]:
    """The production logging, into a string; the former setup is restored afterwards."""
    found = Log()
    setup = configuration(as_json=True, level="DEBUG")
    setup["handlers"]["console"]["stream"] = found.stream
    logging.config.dictConfig(setup)
    yield found
    logging.config.dictConfig(django_settings.LOGGING)


@pytest.fixture
def match() -> Match:
    return make_match(players=[make_user(name) for name in ("ana", "ben", "cy")])


SECRETS = [
    ("to play+%s@gem.localhost", TOKEN),
    ("to PLAY+%s@GEM.LOCALHOST", TOKEN.upper()),
    ("GET /u/%s/", TOKEN),
    ("seed %s", "0123456789abcdef" * 4),
    ("Cookie: sessionid=%s; theme=dark", "s3ss10nk3y0fs0meb0dy"),
    ("Cookie: theme=dark; csrftoken=%s", "CsRfToKeN"),
    ("{'sessionid': '%s'}", "s3ss10nk3y"),
    ("Set-Cookie: sessionid=%s; HttpOnly", "s3ss10nk3y"),
    ("Authorization: Bearer %s", "m3tr1cs"),
    ("sent with bearer %s to us", "m3tr1cs-token"),
    ("GET /accounts/login/?next=/m/M1/&code=%s HTTP/1.1", "Q7XK2P"),
    ("fetched https://play.example.org/feed?token=%s once", "short-one"),
    ("cannot connect to postgres://gem:%s@db.example.org:5432/gem", "passw0rd"),
    ("Error 111 connecting to redis://:%s@127.0.0.1/0", "redispass"),
    ("DETAIL:  Failing row contains (17, gem, %s, 3).", "hand R3 R4"),
]


@pytest.mark.parametrize(("line", "secret"), SECRETS)
def test_secrets_are_left_out(log: Log, line: str, secret: str) -> None:
    """Wherever a line may hold them: in its text, its arguments, extra fields and exceptions."""
    logger = logging.getLogger("somewhere")
    full = line % secret
    logger.error(full.replace("%", "%%") + "%s", "")
    logger.error("%s", full)
    logger.error("besides", extra={"detail": full, "more": {"inner": [full]}})
    try:
        raise ValueError(full)
    except ValueError:
        logger.exception("an exception")
    assert len(log.lines) == 4
    assert secret not in log.text
    assert "…" in log.lines[1]["message"]


@pytest.mark.parametrize(
    "line",
    [
        "M17 ply 12: the bot of seat 3 came too late",
        "<t.17.12.0.k7o2nqx4ab@gem.localhost> not sent, attempt 2",
        "Task gemserver.notify.tasks.send_mail[0f3c4d1e-7f5b-4e55-8a3b-0d8f6a1b2c3d] succeeded",
        "what is it? nothing",
    ],
)
def test_what_helps_to_find_things_stays(line: str) -> None:
    assert redact_log(line) == line


def test_every_handler_of_every_mode_leaves_secrets_out(log: Log) -> None:
    for as_json in (True, False):
        setup = configuration(as_json=as_json, level="INFO")
        for handler in setup["handlers"].values():
            assert handler["formatter"] == "line"
        stream = io.StringIO()
        setup["handlers"]["console"]["stream"] = stream
        logging.config.dictConfig(setup)
        for name in ("", "django", "django.server", "django.request", "gunicorn.error", "celery", "mail.log"):
            logging.getLogger(name).error("play+%s@gem.localhost", TOKEN)
        assert len(stream.getvalue().splitlines()) == 7
        assert TOKEN not in stream.getvalue()


def test_no_logger_has_a_handler_beside_ours(log: Log) -> None:
    app.log.setup_logging_subsystem(loglevel="INFO")
    own = set(logging.getLogger().handlers)
    named = [logging.getLogger(name) for name in logging.root.manager.loggerDict]
    foreign = [
        (logger.name, handler)
        for logger in named
        for handler in logger.handlers
        if handler not in own and not isinstance(handler, logging.NullHandler)
    ]
    assert not foreign


def test_a_request_is_logged_with_its_id(log: Log, match: Match) -> None:
    response = Client().get(f"/m/{match.code}/?token={TOKEN}", headers={"X-Request-ID": "proxy-12345"})
    assert response["X-Request-ID"] == "proxy-12345"
    [line] = [line for line in log.lines if line["logger"] == "gemserver.lib.web.request_log"]
    assert line["request_id"] == "proxy-12345"
    assert (line["method"], line["path"], line["status"]) == ("GET", f"/m/{match.code}/", 200)
    assert line["level"] == "INFO"
    assert line["time"].endswith("+00:00")


@pytest.mark.parametrize("given", ["", "short", "with blank s", 'quote"d-quoted', "x" * 65])
def test_a_request_without_a_good_id_gets_one(log: Log, given: str) -> None:
    response = Client().get("/rules/gem/", headers={"X-Request-ID": given})
    assert response["X-Request-ID"] != given
    assert log.lines[-1]["request_id"] == response["X-Request-ID"]
    assert len(response["X-Request-ID"]) == 16


def test_probes_do_not_fill_the_log(log: Log) -> None:
    for _ in range(3):
        Client().get("/healthz")
    assert log.lines == []
    Client().get("/metrics", headers={"Authorization": "Bearer x"})
    assert log.lines[-1]["status"] == 404


def test_addresses_with_tokens_are_cut(log: Log, match: Match) -> None:
    player = match.seats.select_related("user").get(index=0).user
    assert player is not None
    table = make_table(seats=2)
    invitation = Invitation.objects.create(match=table, address="dee@example.org", created_at=NOON)
    row = ingest(b"From: x@y.z\r\n\r\nhello\r\n", "x@y.z", "play@gem.localhost", "smtp", {})
    secrets = {
        reverse("unsubscribe", args=[player.token]): player.token,
        held_mail.path(row, "x@y.z"): held_mail.path(row, "x@y.z").split("/")[-2],
        f"/u/{player.token[:20]}": player.token[:20],
        f"/nowhere/{invitation.token}/": invitation.token,
        "/accounts/confirm-email/MQ:1abcde:k3y0fc0nf1rm/": "k3y0fc0nf1rm",
        "/accounts/password/reset/key/1a-r3s3tk3y/": "r3s3tk3y",
    }
    for path in secrets:
        Client().get(path)
        Client().post(path + "?next=/")
    assert len([line for line in log.lines if "status" in line]) >= 2 * len(secrets)
    for path, secret in secrets.items():
        assert secret not in log.text, path


def test_an_error_is_logged_with_its_trace_and_without_its_address(
    log: Log, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("broken inside")

    row = ingest(b"From: x@y.z\r\n\r\nhello\r\n", "x@y.z", "play@gem.localhost", "smtp", {})
    monkeypatch.setattr("gemserver.inbox.held_mail.find", fail)
    response = Client(raise_request_exception=False).get(held_mail.path(row, "x@y.z"))
    assert response.status_code == 500
    [line] = [line for line in log.lines if line["logger"] == "django.request"]
    assert "broken inside" in line["exception"]
    assert line["request_id"] == response["X-Request-ID"]
    assert held_mail.path(row, "x@y.z").split("/")[-2] not in log.text


def test_what_happens_to_a_mail_is_logged_with_its_id(log: Log, match: Match) -> None:
    seat = match.seats.select_related("user").get(is_waiting=True)
    row = ingest(letter(seat, "nonsense"), seat.user.email, seat.reply_address, "smtp", {})
    processing.process_stored()
    delivery.send_queued()
    [read] = [line for line in log.lines if line.get("inbound") == row.pk]
    assert read["message"] == "read: refused"
    sent = [line for line in log.lines if line["logger"] == delivery.__name__]
    assert {line["message"] for line in sent} >= {"started: sent", "turn: sent", "receipt: sent"}
    assert all(line["outbox"] and line["message_id"].startswith("<") for line in sent)


def test_what_a_task_logs_has_its_id(log: Log) -> None:
    @app.task(bind=True)
    def speak(self: Task) -> None:
        logging.getLogger("somewhere").info("within")

    speak.apply(task_id="task-17")
    [line] = [line for line in log.lines if line["message"] == "within"]
    assert line["task_id"] == "task-17"
    assert line["task"].endswith("speak")


def test_what_is_done_is_named_only_while_it_is_done() -> None:
    with logs.about(inbound=1):
        with logs.about(outbox=2):
            assert logs.subject() == {"inbound": 1, "outbox": 2}
        assert logs.subject() == {"inbound": 1}
    assert logs.subject() == {}


@pytest.mark.slow
def test_a_match_played_by_web_and_mail_leaves_no_secret_in_the_log(log: Log, match: Match) -> None:
    """Everything at level DEBUG, except Django's queries."""
    clients = {seat.index: signed_in(seat.user) for seat in match.seats.select_related("user")}
    for number in range(8):
        delivery.send_queued()
        match = Match.objects.get(pk=match.pk)
        seat = match.seats.select_related("user").filter(is_waiting=True).first()
        assert seat is not None
        state = replay.position(match)
        text = match.rules.write(next(iter(match.rules.legal_moves(state, seat.index))))
        clients[seat.index].get(match.get_absolute_url())
        mail = letter(seat, text, Message_ID=f"<{number}@client.example.org>")
        ingest(mail, seat.user.email, seat.reply_address, "smtp", {})
        processing.process_stored()
    assert Match.objects.get(pk=match.pk).ply >= 8
    assert len(log.lines) > 20
    secrets = {match.server_part, replay.seed(match), match.position}
    secrets |= {seat.token for seat in match.seats.all()} | {seat.user.token for seat in match.seats.all()}
    secrets |= {client.session.session_key for client in clients.values()}
    for secret in secrets:
        assert secret not in log.text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "options"),
    first(1, [("gem", {"pace": "sealed"}), ("gemessengers", {}), ("jewellers", {"pace": "sealed"})]),
)
def test_what_lies_face_down_is_not_in_the_log(log: Log, game: str, options: dict[str, str]) -> None:
    """Neither a sealed order or pick, nor the mail it came in, nor a hand: people who read logs may play too."""
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    match = make_match(game, players=players[: 2 if game == "gemessengers" else 3], options=options)
    for number in range(10):
        match = Match.objects.get(pk=match.pk)
        seat = match.seats.select_related("user").filter(is_waiting=True).first()
        assert seat is not None
        position = prompts.position_to_answer(match, replay.position(match), seat.index)
        text = match.rules.write(list(match.rules.legal_moves(position, seat.index))[-1])
        client = signed_in(seat.user)
        client.get(match.get_absolute_url())
        mail = letter(seat, text, Message_ID=f"<{number}@client.example.org>")
        ingest(mail, seat.user.email, seat.reply_address, "smtp", {})
        processing.process_stored()
        delivery.send_queued()
    match = Match.objects.get(pk=match.pk)
    texts = {move.text for move in match.moves.all()} | {order.text for order in match.sealed_orders.all()}
    texts = {text for text in texts if len(text) > 2}  # a mere number stands in any line
    assert len(texts) > 1
    assert len(log.lines) > 20
    lines = [line["message"] for line in log.lines]
    for text in texts:
        assert not [line for line in lines if text in line], text
    assert match.position not in log.text
    assert replay.seed(match) not in log.text
