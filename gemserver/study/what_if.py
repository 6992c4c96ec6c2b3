"""What-ifs: other moves tried from a position of a finished match, kept as a tree that its address shows to others.

Whoever asks is judged anew each time: the match must be one that they may study (`studied`). Only who has begun a
what-if adds to it. Nothing but the rules and quick bots is asked, so an answer comes at once.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from secrets import token_hex, token_urlsafe

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import QuerySet

from games import registry
from games.contract import GameError
from games.what_if import Branch, Chosen, Reached, Tried
from gemserver.accounts.models import User
from gemserver.lib.database.advisory_locks import count_alone
from gemserver.lib.text.plain import clean
from gemserver.matches import replay
from gemserver.matches.actions.play.preview import LONGEST_TEXT
from gemserver.matches.actions.talk.report_abuse import report_abuse
from gemserver.matches.models import Match, Report
from gemserver.matches.refusal import Refused
from gemserver.study.models import WhatIf
from gemserver.study.studied import require_looked_back, require_studied

MOST_KEPT = 50
"""What-ifs of one account."""
LONGEST_NAME = 60
KEPT = timedelta(days=365)
"""After the last change."""


def begin_what_if(
    match: Match, user: User, ply: int, seat: int | None, name: str, *, now: datetime
) -> WhatIf:
    """Begin with the position after `ply` moves; `seat` is played against bots, None: all are played by hand.

    Raises Refused like `require_studied`, and (no-such-ply, no-such-seat, too-long-name, too-many-what-ifs).
    """
    require_studied(match, user)
    if not 0 <= ply <= match.ply:
        raise Refused(
            "no-such-ply",
            "{code} has moves 1 to {last}; choose one of them, or 0 for the deal.",
            code=match.code,
            last=match.ply,
        )
    if seat is not None and not 0 <= seat < match.seat_count:
        raise Refused("no-such-seat", "{code} has no such seat; choose one of its players.", code=match.code)
    given = _read_name(name)
    with transaction.atomic():
        count_alone(f"what-ifs of {user.pk}")  # not by the account, which bots that think would hold
        if user.what_ifs.count() >= MOST_KEPT:
            raise Refused(
                "too-many-what-ifs",
                "You keep {most} what-ifs already; delete one that you need no more.",
                most=MOST_KEPT,
            )
        begun = WhatIf(
            match=match,
            user=user,
            key=token_urlsafe(9),
            name=given,
            ply=ply,
            seat=seat,
            seed=token_hex(32),
            begun_at=now,
            changed_at=now,
        )
        tree, _ = read_branch(begun).go_on(0)
        begun.moves = _write_moves(tree)
        begun.save()
    return begun


def list_own(match: Match, user: User) -> QuerySet[WhatIf]:
    """The user's what-ifs of this match, the latest first. Raises Refused like `require_studied`."""
    require_studied(match, user)
    return user.what_ifs.filter(match=match).select_related("match").order_by("-changed_at", "-pk")


def find_what_if(match: Match, key: str, reader: User | AnonymousUser) -> WhatIf:
    """The what-if of this match with this key, for anybody who was told it.

    Raises Refused(no-such-what-if), and like `require_looked_back`.
    """
    found = WhatIf.objects.select_related("user").filter(match=match, key=key).first()
    if found is None:
        raise _no_such_what_if()
    require_looked_back(match, reader)
    found.match = match
    return found


def read_branch(what_if: WhatIf) -> Branch:
    """The tree with the position of the match in which it begins. Raises Refused(rules-changed)."""
    match = what_if.match
    moves = (
        Tried(number, row["before"], row["seat"], row["text"], Chosen(row["chosen"]))
        for number, row in enumerate(what_if.moves, start=1)
    )
    try:
        state = replay.position_at(match, what_if.ply)
    except GameError as error:
        raise _rules_changed() from error
    return Branch(registry.game(match.game), state, what_if.ply, what_if.seed, what_if.seat, tuple(moves))


def reach(tree: Branch, number: int) -> Reached:
    """The position after the move with this number, 0 for the position of the match.

    Raises Refused(no-such-what-if, rules-changed).
    """
    try:
        return tree.reach(number)
    except KeyError as error:
        raise _no_such_what_if() from error
    except GameError as error:
        raise _rules_changed() from error


def try_move(what_if: WhatIf, user: User, number: int, text: str, *, now: datetime) -> int:
    """Try a move after the one with this number; with empty text, let the bots go on. Return the last number.

    A move that was tried there before is found again. Raises Refused like `require_studied`, what the game says, and
    (not-yours, too-long, no-such-what-if, rules-changed, what-if-full).
    """
    if len(text) > LONGEST_TEXT:
        raise Refused("too-long", "This is too long for a move. Write one move on one line.", kind="invalid")

    def play(tree: Branch) -> tuple[Branch, int]:
        if reach(tree, number).actor is None and not text.strip():
            return tree.go_on(number)
        return tree.try_move(number, text)

    with transaction.atomic():
        locked = _lock_own(what_if, user)
        try:
            tree, last = play(read_branch(locked))
        except GameError as error:
            raise Refused.by_game(error) from error
        if len(tree.moves) > len(locked.moves):
            locked.moves, locked.changed_at = _write_moves(tree), now
            locked.save(update_fields=["moves", "changed_at"])
    return last


def rename_what_if(what_if: WhatIf, user: User, name: str, *, now: datetime) -> None:
    """Give it another name. Raises Refused like `require_studied`, and (not-yours, too-long-name)."""
    with transaction.atomic():
        locked = _lock_own(what_if, user)
        locked.name, locked.changed_at = _read_name(name), now
        locked.save(update_fields=["name", "changed_at"])


def delete_what_if(match: Match, key: str, user: User) -> None:
    """Delete one's own what-if, also where nothing can be tried any more. Raises Refused(no-such-what-if)."""
    deleted, _ = user.what_ifs.filter(match=match, key=key).delete()
    if not deleted:
        raise _no_such_what_if()


def report_what_if(what_if: WhatIf, reader: User, text: str, *, now: datetime) -> Report:
    """Ask the moderators to look at the name of somebody's what-if. Raises Refused like `report_abuse`.

    The report has the address alone: a copy of the name would outlive the account.
    """
    about = f"{what_if.get_absolute_url()}\n{text}"
    return report_abuse(what_if.match_id, reader, about, reported=what_if.user, now=now)


def _lock_own(what_if: WhatIf, user: User) -> WhatIf:
    """Read the row afresh, so that moves that come at once follow on each other."""
    require_studied(what_if.match, user)
    locked = WhatIf.objects.select_for_update().filter(pk=what_if.pk).first()
    if locked is None:
        raise _no_such_what_if()
    if locked.user_id != user.pk:
        raise Refused("not-yours", "Only whoever began this what-if goes on with it; begin one of your own.")
    locked.match = what_if.match
    return locked


def _read_name(text: str) -> str:
    """The name on one line. Raises Refused(too-long-name)."""
    name = " ".join(clean(text[: 10 * LONGEST_NAME]).split())
    if len(name) > LONGEST_NAME or len(text) > 10 * LONGEST_NAME:
        raise Refused(
            "too-long-name", "A name can have {most} characters; choose a shorter one.", most=LONGEST_NAME
        )
    return name


def _write_moves(tree: Branch) -> list[dict[str, object]]:
    return [{name: value for name, value in asdict(move).items() if name != "number"} for move in tree.moves]


def _rules_changed() -> Refused:
    return Refused(
        "rules-changed",
        "The match or its rules have changed since these moves were tried; begin another what-if.",
    )


def _no_such_what_if() -> Refused:
    return Refused("no-such-what-if", "There is no such what-if; ask for its address again.")
