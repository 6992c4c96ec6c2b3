"""Gunicorn with the site's own configuration, on the site and on the bare project."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

from django.conf import settings

from tests.services.processes import Process, free_port, wait_for

ROOT = Path(__file__).resolve().parent.parent.parent
HOST = "play.gem.test"
PATIENCE = 60

SITE = ("gemserver.wsgi", "gemserver.settings")
STACKED = ("tests.load.bare.wsgi", "tests.load.bare.stacked")
BARE = ("tests.load.bare.wsgi", "tests.load.bare.settings")


def environment(database_url: str, redis_url: str, **more: str) -> Mapping[str, str]:
    """The environment of a production server with the keys of this process, so that it accepts sessions made here."""
    return {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": os.environ.get("HOME", "/"),
        "GEMSERVER_MODE": "production",
        "GEMSERVER_VAR": str(settings.VAR_DIR),
        "SECRET_KEY": settings.SECRET_KEY,
        "MAIL_KEY": settings.MAIL_KEY,
        "ALLOWED_HOSTS": HOST,
        "SITE_URL": f"https://{HOST}",
        "MAIL_DOMAIN": "gem.test",
        "DATABASE_URL": database_url,
        "REDIS_URL": redis_url,
        "STATIC_ROOT": str(settings.VAR_DIR / "static"),
        "LOG_LEVEL": "WARNING",
        **more,
    }


@contextmanager
def serving(name: str, what: tuple[str, str], given: Mapping[str, str], folder: Path) -> Iterator[int]:
    """The port on which it answers."""
    application, module = what
    if what == SITE:
        collect_files(given)
    port = free_port()
    process = Process(
        name,
        [sys.executable, "-m", "gunicorn", application, "--config", "python:gemserver.gunicorn"],
        folder,
        environment={**given, "DJANGO_SETTINGS_MODULE": module, "PORT": str(port)},
        cwd=ROOT,
    )
    process.start()
    try:
        wait_for(name, lambda: responds(port), seconds=PATIENCE, watched=[process])
        yield port
    except BaseException:
        print(f"{name} wrote:\n{process.tail()}", file=sys.stderr)
        raise
    finally:
        process.stop()


def collect_files(given: Mapping[str, str]) -> None:
    """Collect the files of the site's pages, without which it does not start."""
    command = [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"]
    subprocess.run(command, env=given, cwd=ROOT, check=True)


def responds(port: int) -> bool:
    """True once a worker answers requests, with any status."""
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/healthz", headers={"Host": HOST})
        connection.getresponse().read()
    except OSError:
        return False
    finally:
        connection.close()
    return True
