"""Nim as hosts and bots see it; `pyproject.toml` names it."""

from games.contract import Game

from nim.rules import Nim
from nim.words import Words

# TODO: `evaluate` and `list_pieces`, if your game has something to judge by or to count.
GAME = Game(package="nim", rules=Nim(), words=Words())
