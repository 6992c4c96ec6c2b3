"""Finds the base fixtures in `gemserver/events/arithmetic/designs.py`: `python -m tests.events.find_designs`.

A schedule is made by adding every element of a group to each base fixture: everybody then has every place equally
often, whatever the base fixtures are, and a pair meets as often as its difference occurs in them. So only the
differences are searched. All sets of base fixtures of a group are tried, in a fixed order, and the first of the best
is kept; it takes half a minute.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product
from math import prod

MOST_FIXTURES = 9
"""Fixtures that one player plays at once, except in divisions as small as their tables."""
FEWEST_FIXTURES = 4

Group = tuple[int, ...]
"""The orders of the cyclic groups whose product it is: `(7,)`, `(2, 2, 2, 2)`."""
Block = tuple[int, ...]

OTHER_GROUPS: dict[int, tuple[Group, ...]] = {
    8: ((4, 2), (2, 2, 2)),
    9: ((3, 3),),
    12: ((6, 2),),
    16: ((4, 4), (8, 2), (4, 2, 2), (2, 2, 2, 2)),
    18: ((6, 3),),
    20: ((10, 2),),
}
"""Groups that are not cyclic; they are tried where a schedule may be exact and no cyclic one is."""


def find(players: int, seats: int) -> tuple[Group, tuple[Block, ...]]:
    """The group and base fixtures of the best schedule: least spread of pairs, then fewest fixtures."""
    best: tuple[int, int, Group, tuple[Block, ...]] | None = None
    for count in range(-(-FEWEST_FIXTURES // seats), max(1, MOST_FIXTURES // seats) + 1):
        exact = count * seats * (seats - 1) % (players - 1) == 0
        groups = ((players,), *(OTHER_GROUPS.get(players, ()) if exact else ()))
        for group in groups:
            spread, blocks = _best_blocks(group, seats, count)
            if best is None or spread < best[0]:
                best = (spread, count, group, blocks)
            if spread == 0:
                break
        if best is not None and best[0] == 0:
            break
    assert best is not None
    _, _, group, blocks = best
    # The same base fixture twice would seat the same players together twice: its mirror image has its differences too.
    minus = _differences(group)
    mirrored = (
        tuple(minus[0][one] for one in block) if blocks[:number].count(block) % 2 else block
        for number, block in enumerate(blocks)
    )
    return group, tuple(_in_turn_order(group, block) for block in mirrored)


def _best_blocks(group: Group, seats: int, count: int) -> tuple[int, tuple[Block, ...]]:
    size = prod(group)
    minus = _differences(group)
    by_counts: dict[tuple[int, ...], Block] = {}
    for rest in combinations(range(1, size), seats - 1):
        block = (0, *rest)
        counts = [0] * size
        for one, other in permutations(block, 2):
            counts[minus[one][other]] += 1
        by_counts.setdefault(tuple(counts[1:]), block)
    target = count * seats * (seats - 1) / (size - 1)
    rows = sorted(by_counts, key=lambda row: (max(row) - min(row), by_counts[row]))
    best_spread, best = 10**6, tuple[Block, ...]()
    for chosen in _choices(rows, count, target):
        total = [sum(column) for column in zip(*chosen, strict=True)]
        spread = max(total) - min(total)
        if spread < best_spread:
            best_spread, best = spread, tuple(by_counts[row] for row in chosen)
        if spread == 0 or (spread == 1 and target % 1):
            break
    return best_spread, best


def _choices(
    rows: Sequence[tuple[int, ...]], count: int, target: float
) -> Iterator[tuple[tuple[int, ...], ...]]:
    """All multisets of `count` rows, without those that alone pass what the most frequent pair may have."""
    if count == 1:
        yield from ((row,) for row in rows)
        return
    limit = -(-target // 1) + 1
    for first, row in enumerate(rows):
        for others in _choices(rows[first:], count - 1, target):
            if all(sum(column) <= limit for column in zip(row, *others, strict=True)):
                yield (row, *others)


def _differences(group: Group) -> list[list[int]]:
    elements = list(product(*(range(order) for order in group)))
    number = {element: index for index, element in enumerate(elements)}
    return [
        [
            number[tuple((a - b) % order for a, b, order in zip(one, other, group, strict=True))]
            for other in elements
        ]
        for one in elements
    ]


def _in_turn_order(group: Group, block: Block) -> Block:
    """The block in the order in which the fewest pairs play right after one another again and again."""
    minus = _differences(group)

    def repeats(order: Block) -> int:
        steps = [minus[after][before] for before, after in zip(order, (*order[1:], order[0]), strict=True)]
        return len(steps) - len(set(steps))

    return min(((block[0], *rest) for rest in permutations(block[1:])), key=repeats)


HEAD = '''"""Base fixtures of schedules, as `python -m tests.events.find_designs` found them; do not edit."""

from __future__ import annotations

DESIGNS: dict[tuple[int, int], tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]] = {'''


def main() -> None:
    print(HEAD)
    for seats in range(3, 9):
        for players in range(max(4, seats), 22):
            group, blocks = find(players, seats)
            print(f"    ({players}, {seats}): ({group}, {blocks}),", flush=True)
    print("}")
    print(
        '"""By players and seats: the group, as orders of cyclic groups, and the base fixtures in turn order."""'
    )


if __name__ == "__main__":
    main()
