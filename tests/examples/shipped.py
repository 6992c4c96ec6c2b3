"""Loads `examples/bot.py`, which is no package, and bots to play with."""

from __future__ import annotations

from collections.abc import Collection
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.people.make_token import make_token
from gemserver.matches.actions.people.open_bot import open_bot

BOT = Path(__file__).parents[2] / "examples/bot.py"


def load() -> ModuleType:
    """A fresh copy of the example; `Bot` is its class."""
    spec = spec_from_file_location("bot", BOT)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_bot(owner: User, name: str, scopes: Collection[str] = ("read", "play")) -> tuple[User, str]:
    """A bot account with a token for the example."""
    bot = open_bot(owner, name, now=clock.now())
    _row, text = make_token(bot, "example", scopes, days=None, now=clock.now())
    return bot, text
