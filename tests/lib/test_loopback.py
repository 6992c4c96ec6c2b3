"""Hosts that only the machine itself can reach."""

from __future__ import annotations

import pytest

from gemserver.lib.process.loopback import is_loopback


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        *(("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("::ffff:127.0.0.1", True)),
        ("localhost", True),
        *(
            ("192.0.2.7", False),
            ("::ffff:192.0.2.7", False),
            ("2001:db8::1", False),
            ("", False),
            ("x", False),
            ("localhost.example.org", False),
        ),
    ],
)
def test_loopback_addresses(address: str, expected: bool) -> None:
    assert is_loopback(address) is expected
