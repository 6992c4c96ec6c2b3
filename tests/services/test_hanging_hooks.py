"""Hooks that hang keep no mail and no clock waiting: real workers, real receivers that never answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.channels.receivers import hang, receiver
from tests.services.conftest import Services
from tests.services.processes import wait_for
from tests.services.sink import Sink
from tests.services.test_deaf_workers import words, worker

pytestmark = pytest.mark.slow

HOOKS = 20
"""More than what two workers get done meanwhile, as each takes eight seconds."""
SOON = 20
"""Seconds within which a mail and a look at the clocks have their turn."""


def test_mails_and_clocks_have_their_turn_while_hooks_hang(migrated: Services, tmp_path: Path) -> None:
    looks, sink = tmp_path / "looks", Sink()
    sink.start()
    try:
        with receiver() as there:
            there.behave = hang
            busy = replace(
                migrated,
                environment={
                    **migrated.environment,
                    "HOOK_HOSTS": there.place,
                    "EMAIL_HOST": "127.0.0.1",
                    "EMAIL_PORT": str(sink.port),
                    "WORKER_CONCURRENCY": "2",
                },
            )
            with worker(busy) as process:
                busy.run(f"""
from gemserver.accounts.models import User
from gemserver.celery import app
from gemserver.lib import clock
from gemserver.matches.actions.people.add_channel import add_hook
from gemserver.matches.actions.people.change_channel import try_channel
from gemserver.notify.models import Channel

for number in range({HOOKS}):
    user = User.objects.create_user(f"hooked{{number}}", f"hooked{{number}}@example.org")
    add_hook(user, Channel.Kind.WEBHOOK, "bot", url={there.url!r}, now=clock.now())
    try_channel(user, "bot", now=clock.now())
for _ in range({HOOKS}):
    app.send_task("gemserver.notify.tasks.send_to_channels")
""")
                wait_for("two that hang", lambda: len(there.got) >= 2, seconds=SOON, watched=[process])
                busy.run(f"""
from gemserver.celery import app
from gemserver.lib import clock
from gemserver.notify import account_mail

account_mail.queue("A code", "Your code.", "", to="ana@example.org", now=clock.now())
app.send_task("gemserver.notify.tasks.send_mail")
app.send_task("tests.services.naps.nap", [0, {str(looks)!r}], queue="deadlines")
""")
                wait_for(
                    "a look at the clocks", lambda: "ended" in words(looks), seconds=SOON, watched=[process]
                )
                wait_for(
                    "the mail",
                    lambda: bool(sink.letters_to("ana@example.org")),
                    seconds=SOON,
                    watched=[process],
                )
                assert len(there.got) < HOOKS, "they were busy all the time"
    finally:
        sink.stop()
