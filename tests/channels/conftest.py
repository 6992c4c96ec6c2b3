"""Receivers of hooks on this machine, and a clock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from tests.channels.receivers import Receiver, receiver
from tests.channels.telling import Clock
from tests.services.certificates import make_certificate


@pytest.fixture
def there(settings: Settings) -> Iterator[Receiver]:
    with receiver() as found:
        settings.HOOK_HOSTS = [found.place]
        yield found


@pytest.fixture
def secure(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A receiver with TLS, whose certificate this machine trusts."""
    certificate = make_certificate(tmp_path, "127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with receiver(certificate=certificate) as found:
        settings.HOOK_HOSTS = [found.place]
        yield found


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)
