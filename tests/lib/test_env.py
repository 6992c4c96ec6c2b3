"""Settings from the environment, and the errors for wrong values."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from gemserver.lib.process import env
from gemserver.lib.process.log_setup import LEVELS


def test_a_database_is_one_address() -> None:
    found = env.database("postgres://gem:p%40ss@db.example.org:5433/club")
    assert [found[name] for name in ("USER", "PASSWORD", "HOST", "PORT", "NAME")] == [
        *("gem", "p@ss", "db.example.org", "5433", "club")
    ]


def test_its_options_reach_the_server() -> None:
    found = env.database("postgres://gem@db/club?sslmode=verify-full&connect_timeout=5")
    assert found["OPTIONS"]["sslmode"] == "verify-full"
    assert found["OPTIONS"]["connect_timeout"] == "5"


def test_statements_are_kept_unless_a_pooler_forbids_it() -> None:
    assert env.database("postgres://gem@db/club")["OPTIONS"]["prepare_threshold"] == 5
    behind_a_pooler = env.database("postgres://gem@db/club?prepare_threshold=none&sslmode=require")
    assert behind_a_pooler["OPTIONS"]["prepare_threshold"] is None
    assert behind_a_pooler["OPTIONS"]["sslmode"] == "require"


def test_a_pooler_can_do_without_cursors_on_the_server() -> None:
    assert env.database("postgres://gem@db/club")["DISABLE_SERVER_SIDE_CURSORS"] is False
    found = env.database("postgres://gem@db/club?server_side_cursors=no&sslmode=require")
    assert found["DISABLE_SERVER_SIDE_CURSORS"] is True
    assert "server_side_cursors" not in found["OPTIONS"]


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("mysql://gem@db/club", "postgres://"),
        ("postgres://gem@db/club?prepare_threshold=9", "none"),
        ("postgres://gem@db/club?server_side_cursors=0", "yes or no"),
        ("postgres://gem:pa/ss@db/club", "%2F for /"),
        ("postgres://gem:pa#ss@db/club", "%23 for #"),
        ("postgres://gem:p@ss/word@db/club", "%2F for /"),
        ("postgres://gem@db/club?sslmod=require", 'option "sslmod"'),
        ("postgres://[gem/club", "no address"),
    ],
)
def test_a_wrong_address_says_what_to_write(url: str, word: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=word):
        env.database(url)


def test_a_level_of_the_log_is_one_of_five(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOG_LEVEL", "debug")
    assert env.choice("LOG_LEVEL", "INFO", LEVELS) == "DEBUG"
    monkeypatch.setenv("LOG_LEVEL", "chatty")
    with pytest.raises(ImproperlyConfigured, match="LOG_LEVEL='CHATTY': write one of DEBUG, INFO"):
        env.choice("LOG_LEVEL", "INFO", LEVELS)
