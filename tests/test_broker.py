"""The Redis transport without Redis: a worker takes no more than it can work on, even after a lost connection."""

from __future__ import annotations

import pytest

from gemserver.lib.process.broker import WAITING, Channel, QoS, Transport
from tests.own_process import PRODUCTION, TEST, print_of


class LostChannel:
    """A channel that has lost its connection, or whose Redis does not answer: any use of it fails."""

    def __getattr__(self, name: str) -> object:
        raise AttributeError(f"'NoneType' object has no attribute {name!r}")


def test_what_was_delivered_takes_no_place_whatever_becomes_of_the_connection() -> None:
    qos = QoS(LostChannel(), prefetch_count=1)
    for end in (qos.ack, qos.reject):
        qos.append(object(), "tag")
        end("tag")
        assert qos.can_consume()
    assert qos.restore_unacked_once() is None


def test_a_channel_of_redis_has_it() -> None:
    assert Channel.QoS is QoS
    assert Transport.Channel is Channel


@pytest.mark.slow
def test_production_uses_it() -> None:
    code = "from gemserver.celery import app; print(app.connection_for_read().get_transport_cls())"
    assert "gemserver.lib.process.broker.Transport" in print_of(code, PRODUCTION)


@pytest.mark.slow
def test_redis_is_spoken_to_by_tls_if_its_address_says_so() -> None:
    code = """
from gemserver.celery import app
connection = app.connection_for_read()
print(connection.get_transport_cls().__module__, connection.ssl)
"""
    secured = {**PRODUCTION, "REDIS_URL": "rediss://127.0.0.1:1/0"}
    assert print_of(code, secured).split()[0] == "gemserver.lib.process.broker"
    assert "CERT_REQUIRED" in print_of(code, secured)
    assert "CERT_REQUIRED" not in print_of(code, PRODUCTION)


@pytest.mark.slow
def test_nudges_that_nobody_takes_do_not_pile_up() -> None:
    code = f"""
from gemserver.celery import app
for _ in range({WAITING + 50}):
    app.send_task("gemserver.notify.tasks.send_mail")
with app.connection_for_read() as connection, connection.channel() as channel:
    print(channel._size("send"))
"""
    assert int(print_of(code, TEST)) == WAITING


@pytest.mark.slow
def test_a_pile_of_mails_keeps_no_worker_from_the_clocks() -> None:
    code = """
from gemserver.celery import app
tasks = ["notify.tasks.send_mail"] * 20 + ["matches.tasks.act_on_deadlines", "mailgate.tasks.read_mail"]
for task in tasks:
    app.send_task(f"gemserver.{task}")
taken = []
def take(body, message):
    taken.append(message.headers["task"].rpartition(".")[2])
    message.ack()
with app.connection_for_read() as connection, connection.channel() as channel:
    channel.basic_qos(0, 1, False)
    with app.amqp.TaskConsumer(channel, callbacks=[take], accept=["json"]):
        while len(taken) < 6:
            connection.drain_events(timeout=5)
print(*taken)
"""
    assert {"act_on_deadlines", "read_mail", "send_mail"} == set(print_of(code, TEST).split())
