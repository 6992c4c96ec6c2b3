"""Wishes to the server as people write them, and what the mail gate makes of them.

`python -m tests.mailgate.wish_sets` counts; with `--show` it prints each wish that is not met. Every second line is
held out: in the first and the last set its failures led to no phrase, though sets and phrases have the same writer.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from gemserver.inbox.models import InboundEmail
    from gemserver.matches.models import Seat

FOLDER = Path(__file__).parent / "wishes"
LANGUAGES = ("en", "fr", "de")
SETS = ("first", "second", "blind")
"""The first was written before all phrases, the last after those that it was first tried with."""
Kind = Literal["met", "offered", "generic", "wrong"]
KINDS: tuple[Kind, ...] = ("met", "offered", "generic", "wrong")

FITTING: dict[str, str] = {
    "board": "board status",
    "time": "status",
    "turn": "status",
    "matches": "games",
    "log": "log",
    "undo": "undo",
    "more": "holiday",
    "away": "vacation",
    "holiday": "holiday",
    "snooze": "snooze",
    "quiet": "quiet",
    "nomail": "mail",
    "digest": "mail",
    "language": "language",
    "rename": "rename",
    "address": "addresses",
    "resign": "resign",
    "end": "resign",
    "who": "status player",
    "scoring": "rules",
    "options": "help status",
    "lost": "status board",
    "rematch": "rematch new",
    "invite": "new invite",
    "find": "games join",
    "leave": "leave",
    "hint": "hint",
    "review": "review",
    "puzzle": "puzzle",
    "league": "events enter withdraw",
    "standings": "events standings",
    "clubs": "clubs",
    "tell": "say",
    "report": "report",
    "erase": "erase",
    "rating": "ratings",
    "return": "return",
    "sitter": "sitter",
    "learn": "tutorial rules",
    "practice": "new",
    "block": "block",
    "start": "start status",
}
"""By the name of a wish, the commands that meet it; `language` and `addresses` are pages."""
CARRIED_OUT = {"nomail": {"mail"}, "rating": {"ratings"}}
"""Wishes that are carried out, with the command."""
REFUSED = {
    "nothing-to-undo": "undo",
    "no-hints-here": "hint",
    "still-running": "review",
    "puzzle-elsewhere": "puzzle",
}
"""Answers to what was asked for and cannot be had here."""


@dataclass(frozen=True, slots=True)
class Said:
    """One line of a set; `wish` is empty for what asks for nothing. It may be a mail of several lines."""

    language: str
    wish: str
    text: str
    is_held_out: bool
    written: str
    """The set that it is of."""


def read_wishes(language: str) -> list[Said]:
    """Read the wishes of a language, those that were written after the phrases last."""
    found: list[Said] = []
    wish = ""
    for written in SETS:
        for line in _lines(language, written):
            if line.startswith("["):
                wish = line.strip("[]")
            elif line:
                found.append(Said(language, wish, _as_mail(line), bool(len(found) % 2), written))
    return found


def read_none(language: str) -> list[Said]:
    """Read the sentences that ask for nothing."""
    found: list[Said] = []
    for written in SETS:
        for line in _lines(f"none.{language}", written):
            found.append(Said(language, "", _as_mail(line), bool(len(found) % 2), written))
    return found


def _lines(name: str, written: str) -> list[str]:
    path = FOLDER / f"{name}.{written}.txt"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def _as_mail(line: str) -> str:
    return line.replace(" / ", "\n")


def judge(wish: str, row: InboundEmail) -> Kind:
    """Tell how a mail was answered."""
    fitting = FITTING.get(wish, "").split()
    results = row.results
    done = [result["code"] for result in results if result["outcome"] == "done"]
    if any(code not in CARRIED_OUT.get(wish, set()) for code in done):
        return "wrong"
    shown = [result["code"] for result in results if result["outcome"] in {"done", "shown"}]
    named = [REFUSED.get(result["code"], "") for result in results if result["outcome"] == "refused"]
    if {*shown, *named} & {*fitting}:
        return "met"
    if shown:
        return "wrong"
    return "offered" if set(_offered(results)) & {*fitting} else "generic"


def _offered(results: Sequence[dict[str, object]]) -> Iterator[str]:
    """The first words of lines that an answer offers or names."""
    for result in results:
        candidates = result["candidates"]
        assert isinstance(candidates, list)
        for line in candidates:
            yield line.split()[0].rstrip(":")
        message = result["message"]
        if result["code"] == "usage" and isinstance(message, list):
            yield str(message[1]["word"])
        if result["code"] == "wish" and isinstance(message, list):
            usage = str(message[1].get("page") or message[1]["usage"])
            yield from (each.split()[0] for each in usage.split(" · "))


def ask(seat: Seat, said: Said) -> InboundEmail:
    """Send one of them as a reply to the seat's address; all of it is taken back."""
    from django.db import transaction

    from tests.mailgate.letters import letter, receive

    with transaction.atomic():
        row = receive(seat, letter(seat, said.text))
        transaction.set_rollback(True)
    return row


def set_scene() -> Seat:
    """Return Ana's seat, who has the turn against Ben; Cy has an account too."""
    from gemserver.lib import clock
    from tests.builders import make_match, make_user

    players = [make_user("ana"), make_user("ben")]
    make_user("cy")
    match = make_match("florentine", players=players, server_part="22" * 32, now=clock.now())
    return match.seats.select_related("user", "match").get(is_waiting=True)


def _count(*, show: bool) -> None:
    from django.db import transaction

    counted: Counter[tuple[bool, str, bool, Kind]] = Counter()
    with transaction.atomic():
        seat = set_scene()
        for language in LANGUAGES:
            for said in (*read_wishes(language), *read_none(language)):
                row = ask(seat, said)
                kind = judge(said.wish, row)
                counted[bool(said.wish), said.written, said.is_held_out, kind] += 1
                if show and kind not in (("met", "offered") if said.wish else ("generic",)):
                    found = [(each["line"], each["code"], each["candidates"]) for each in row.results]
                    print(f"{kind} [{said.wish}] {said.text!r}: {found}")
        transaction.set_rollback(True)
    for is_wish, written, is_held_out in product((True, False), SETS, (False, True)):
        kinds = {kind: counted[is_wish, written, is_held_out, kind] for kind in KINDS}
        name = "wishes" if is_wish else "others"
        print(name, written, "held out" if is_held_out else "learnt", kinds)


def main() -> int:
    from tests.mailgate.phrasing_scores import set_up

    with tempfile.TemporaryDirectory(prefix="gem-wishes-") as folder:
        set_up(Path(folder))
        _count(show="--show" in sys.argv)
    return 0


if __name__ == "__main__":
    sys.exit(main())
