"""Redis by TLS: everything that speaks to it does so, and none of it believes a certificate that nobody vouches for."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.certificates import make_certificate
from tests.services.processes import Process, answers, free_port, wait_for
from tests.services.site import ROOT
from tests.test_checks import PRODUCTION_ENVIRONMENT, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("redis-server"), reason="needs Debian's redis-server"),
]

SPEAK = """
import asyncio, django
django.setup()
from gemserver.celery import app
from gemserver import nudge
from gemserver.waiting.news import News

async def hear():
    async with News(None, None)._redis() as redis:
        return await redis.ping()

def say(name, act):
    try:
        act()
        print(name, "heard")
    except Exception as error:
        print(name, "refused", type(error).__name__)

say("celery", lambda: app.send_task("nothing", retry=False))
say("tell", lambda: nudge._listeners().publish(nudge.CHANNEL, "1"))
say("hear", lambda: asyncio.run(hear()))
"""


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """The port of a Redis that speaks TLS alone, and its certificate, which it has signed itself."""
    port, certificate = free_port(), make_certificate(tmp_path, "localhost")
    command = ["redis-server", "--port", "0", "--tls-port", str(port), "--save", "", "--dir", str(tmp_path)]
    command += [
        "--tls-cert-file",
        str(certificate),
        "--tls-key-file",
        str(certificate),
        "--tls-auth-clients",
        "no",
    ]
    process = Process("redis-tls", [*command, "--tls-ca-cert-file", str(certificate)], tmp_path, cwd=ROOT)
    process.start()
    try:
        wait_for("Redis", lambda: answers(port), seconds=30, watched=[process])
        yield port, certificate
    finally:
        process.kill()


def speak(url: str) -> list[str]:
    given = {**PRODUCTION_ENVIRONMENT, "REDIS_URL": url, "DJANGO_SETTINGS_MODULE": "gemserver.settings"}
    said: str = run("-c", SPEAK, **given).stdout
    return said.split("\n")[:-1]


def test_everything_speaks_tls_to_redis(redis: tuple[int, Path]) -> None:
    port, certificate = redis
    said = speak(f"rediss://localhost:{port}/0?ssl_ca_certs={certificate}")
    assert said == ["celery heard", "tell heard", "hear heard"]


def test_nothing_believes_a_certificate_that_nobody_vouches_for(redis: tuple[int, Path]) -> None:
    port, _certificate = redis
    said = speak(f"rediss://localhost:{port}/0")
    assert [line.rpartition(" ")[0] for line in said] == ["celery refused", "tell refused", "hear refused"]
