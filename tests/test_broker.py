"""The Redis transport without Redis: what must not happen to a channel that was closed under a running task."""

from __future__ import annotations

from gemserver.lib.broker import Channel, QoS, Transport
from tests.own_process import PRODUCTION, TEST, print_of


class ClosedChannel:
    """A channel whose connection is gone: any use of it fails."""

    closed = True

    def __getattr__(self, name: str) -> object:
        raise AttributeError(f"'NoneType' object has no attribute {name!r}")


def closed_channels_qos() -> QoS:
    qos = QoS.__new__(QoS)
    qos.channel = ClosedChannel()
    return qos


def test_a_message_of_a_closed_channel_is_not_acknowledged() -> None:
    closed_channels_qos().ack("tag")
    closed_channels_qos().reject("tag", requeue=True)


def test_messages_are_not_put_back_over_the_lost_connection() -> None:
    assert not QoS.restore_at_shutdown
    assert Channel.QoS is QoS
    assert Transport.Channel is Channel


def test_production_uses_it() -> None:
    code = "from gemserver.celery import app; print(app.connection_for_read().get_transport_cls())"
    assert "gemserver.lib.broker.Transport" in print_of(code, PRODUCTION)


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
