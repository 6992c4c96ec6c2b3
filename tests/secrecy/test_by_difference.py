"""A seat's secret changes no byte of anything that anybody else is sent, until it is shown.

Plays whole random matches of all games. Every few plies it tries two futures that differ only in a secret (an order, a
pick, a plan, a note, hidden cards, the seed) and compares everything that others get, signed in or not, as player,
sitter, guest, moderator or administrator: pages, feeds, exports, mails, answers to theirs, the moderators' site, log.
Hashes and ids are masked, because they are new each time.
"""

from __future__ import annotations

import pytest

from tests.quick import size, some
from tests.secrecy.secrets import KINDS, compare
from tests.secrecy.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.pictures, pytest.mark.slow]

PERIOD = size(13, 7)
"""Futures are compared at one in so many answers."""
SHARE = size(48, 16)
"""One in so many pages is compared each time, always others."""

CASES = [
    ("gem", 3, {"pace": "sealed"}),
    ("gem", 2, {}),
    ("jewellers", 3, {"pace": "sealed"}),
    ("jewellers", 3, {}),
    ("gemessengers", 3, {}),
    ("florentine", 2, {}),
    ("gembatan", 2, {}),
]


@pytest.mark.parametrize(("slug", "seats", "options"), some(CASES, 2), ids=str)
def test_a_secret_changes_no_byte_for_anybody_else(slug: str, seats: int, options: dict[str, str]) -> None:
    world = World(slug, seats, options)
    lies_face_down = options.get("pace") == "sealed" or slug == "gemessengers"
    kinds = ["answers" if lies_face_down else "plans", "notes", "cards", "seeds"]
    kinds += ["taken back"] if lies_face_down else []
    compared = dict.fromkeys(kinds, 0)
    step, due = 0, 1  # one extra comparison, so that a short match has one of each kind
    while asked := world.asked():
        due += step % PERIOD == 0
        kind = min(compared, key=compared.__getitem__)
        if due and (secret := KINDS[kind](world, compared[kind])):
            found = compare(world, secret, share=SHARE, turn=sum(compared.values()))
            assert found == {}, f"{kind} at step {step}: {found}"
            compared[kind] += 1
            due -= 1
        step += 1
        world.send(asked[0], world.random_text(asked[0]))
    assert all(compared.values()), compared
