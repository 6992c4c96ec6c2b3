"""Names moves as players do in the auctions of several games: by whom they leave it to, by the ranks of their cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from games.phrases.described import NEVER, TARGET, Described, Step

_WHAT = ("it", TARGET)
"""Words for what is up for auction."""
_PASS = frozenset(["pass"])


def name_leaving() -> Iterator[str]:
    """Name a pass by what is left to somebody, in any order: *let somebody have it*, *I leave it to somebody*."""
    for what in _WHAT:
        for words in _list_ways(what):
            yield from map(" ".join, permutations(words))
    for may in (("may", "somebody", "have"), *(("may", "somebody", what, "have") for what in _WHAT)):
        # *may Ben have it* asks
        yield from (" ".join(order) for order in permutations(may) if order[0] != "may")
    yield from map(" ".join, permutations(("let", "somebody", "have")))
    yield "refuse may somebody have"  # *nee, kann der Ben haben*
    for what in _WHAT:
        yield from (f"refuse somebody get {what}", f"refuse may {what} somebody have")


def _list_ways(what: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of each way to leave it, which stand in any order."""
    yield from (("let", "somebody", what), ("let", "somebody", what, "have"))
    yield from (("renounce", what), ("yours", what), ("yours", what, "somebody"))


def name_dislike() -> Iterator[str]:
    """Name what a pass is for, beside the word for it: *the pearl is too dear for me, I pass*."""
    for what in _WHAT:
        yield from (f"dislike {what}", f"{what} dislike")


def describe_dislike(passing: str) -> Described:
    """Describe a pass, in notation, by what its writer does not want, which is offered: *the pearl is too dear*."""
    return Described(passing, [Step(dict.fromkeys(name_dislike(), _PASS), _PASS)], with_verb=NEVER)


def name_ranks(some: Sequence[int], among: Sequence[int]) -> Iterator[str]:
    """Name some numbers by their rank among all: *lowest card*, *2 highest cards*, *all cards except 8*."""
    count = len(some)
    for rank, ranked in (("lowest", among[:count]), ("highest", among[len(among) - count :])):
        if [*some] == [*ranked] and count < len(among):
            names = [f"{rank} card", f"card {rank}", rank] if count == 1 else []
            if count == 1 and len(among) == 2:  # *the smaller of my two*
                compared = "lower" if rank == "lowest" else "higher"
                names += [f"{compared} card", f"card {compared}", compared]
                names += [f"{word} of-two" for word in (rank, f"{rank} card", compared, f"{compared} card")]
            names += [f"{count} {rank}", *([f"both {rank}"] if count == 2 else [])] if count > 1 else []
            yield from names
            if count > 1 and count < len(among) - count + 1:  # *both big ones*
                word = "high" if rank == "highest" else "low"
                yield from (f"{count} {word}", *([f"both {word}"] if count == 2 else []))
    if count == 1 and len(among) % 2 and [*some] == [among[len(among) // 2]] and len(among) > 1:
        yield from ("middle card", "card middle", "middle")
    if 0 < count == len(among) - 1:
        (left,) = {*among} - {*some}
        for rest in (str(left), f"card {left}", f"{left} card"):
            yield from (f"{every} except {rest}" for every in ("all", "whole"))
