"""Bounds of a division's standings: the best and the worst place in which each player can finish.

A bound is never wrong: no results of the open fixtures bring a player above their best place or below their worst.
It is tight, some results do, where `is_exact` says so; that is proved by finding such results, or by trying all.

Only what adds up over fixtures is counted: points, and after them first places. Players who end equal in both may stand
either way round, because later tie-breaks decide between them. Open fixtures may end with shared ranks.

>>> bounds = find_bounds({"ana": Fraction(16), "ben": Fraction(9), "cid": Fraction(7)}, [("ben", "cid")])
>>> {player: (bound.best, bound.worst) for player, bound in bounds.items()}
{'ana': (1, 1), 'ben': (2, 2), 'cid': (3, 3)}
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations
from typing import Any, TypeAlias

from gemserver.events.arithmetic.points import COMMON_MULTIPLE, POINTS

Player: TypeAlias = Any
"""Anything that can be a key of a dict."""

FIRST_PLACES = COMMON_MULTIPLE * 32
"""First places that are worth a point: so many that the least difference in points outweighs those of all fixtures."""
ENOUGH_STEPS = 2_000
"""Outcomes of fixtures that are tried for one bound; what is not settled then is answered by the wider bound."""


@dataclass(frozen=True, slots=True)
class Bound:
    """The places that a player can still finish in; `is_exact`: both are reached by some results."""

    best: int
    worst: int
    is_exact: bool


@dataclass(frozen=True, slots=True)
class _Contest:
    """An open fixture among those who need points of it, and what its best places are worth, the best first."""

    seats: tuple[Player, ...]
    payoffs: tuple[int, ...]


class _Exhausted(Exception):
    """So many outcomes have been tried that the answer must do without more."""


def find_bounds(
    points: Mapping[Player, Fraction],
    open_fixtures: Sequence[Sequence[Player]],
    *,
    firsts: Mapping[Player, Fraction] | None = None,
    listed_last: Collection[Player] = (),
    steps: int = ENOUGH_STEPS,
) -> dict[Player, Bound]:
    """The bounds of each player who is not `listed_last`, such as those who withdrew: these stand below all others.

    `points`, `firsts`: what everybody has of the fixtures that are decided (`firsts` None: first places do not
    count); `open_fixtures`: the players of each other fixture, in any order.
    """
    values = {
        player: _value(points[player], Fraction(0) if firsts is None else firsts[player]) for player in points
    }
    contests = [_Contest(tuple(seats), _payoffs(len(seats), firsts is not None)) for seats in open_fixtures]
    ranked = [player for player in points if player not in listed_last]
    found = {}
    for player in ranked:
        others = [other for other in ranked if other != player]
        above, above_exact = _most_above(player, others, values, contests, steps)
        below, below_exact = _most_below(player, others, values, contests, steps)
        found[player] = Bound(1 + len(others) - below, 1 + above, above_exact and below_exact)
    return found


def _value(points: Fraction, firsts: Fraction) -> int:
    return int(COMMON_MULTIPLE * (points * FIRST_PLACES + firsts))


def _payoffs(seats: int, with_firsts: bool) -> tuple[int, ...]:
    return tuple(
        _value(Fraction(points), Fraction(int(with_firsts and place == 0)))
        for place, points in enumerate(POINTS[seats])
    )


def _most_above(
    player: Player,
    others: Sequence[Player],
    values: Mapping[Player, int],
    contests: Sequence[_Contest],
    steps: int,
) -> tuple[int, bool]:
    """The number of others who can end with as much as this player or more, and whether that many really can.

    It is most when the player is last, alone, in all of their open fixtures: whatever else happened in one, putting
    them last takes nothing from anybody else.
    """
    own = values[player]
    rest = []
    for contest in contests:
        if player in contest.seats:
            own += contest.payoffs[-1]
            rest.append(
                _Contest(tuple(seat for seat in contest.seats if seat != player), contest.payoffs[:-1])
            )
        else:
            rest.append(contest)
    return _most_reaching({other: own - values[other] for other in others}, rest, steps)


def _most_below(
    player: Player,
    others: Sequence[Player],
    values: Mapping[Player, int],
    contests: Sequence[_Contest],
    steps: int,
) -> tuple[int, bool]:
    """The number of others who can end with as much as this player or less: the same question, upside down.

    The player is first, alone, in all of their open fixtures; of the others, a point not had counts as a point.
    """
    own = values[player]
    rest = []
    for contest in contests:
        if player in contest.seats:
            own += contest.payoffs[0]
            seats, payoffs = (
                tuple(seat for seat in contest.seats if seat != player),
                contest.payoffs[1:],
            )
        else:
            seats, payoffs = contest.seats, contest.payoffs
        rest.append(_Contest(seats, tuple(-payoff for payoff in reversed(payoffs))))
    return _most_reaching({other: values[other] - own for other in others}, rest, steps)


def _most_reaching(needs: Mapping[Player, int], contests: Sequence[_Contest], steps: int) -> tuple[int, bool]:
    """The number of these players who can gain at least what each needs, all in the same results."""
    # Everybody has at least the last place of their fixtures; only what is above it is asked for.
    lasts = dict.fromkeys(needs, 0)
    above_last = []
    for contest in contests:
        last = contest.payoffs[-1]
        for seat in contest.seats:
            if seat in lasts:
                lasts[seat] += last
        above_last.append(_Contest(contest.seats, tuple(payoff - last for payoff in contest.payoffs)))
    contests = above_last
    surely, contested = 0, {}
    for player, need in needs.items():
        if need <= lasts[player]:
            surely += 1
        elif need - lasts[player] <= sum(one.payoffs[0] for one in contests if player in one.seats):
            contested[player] = need - lasts[player]
    # Whoever reaches it in any case, or in none, gives way to those for whom it is open.
    count, exact = surely, True
    for group in _connected(contested, contests):
        search = _Search({player: contested[player] for player in group}, contests, steps)
        most, is_exact = search.run()
        count += most
        exact = exact and is_exact
    return count, exact


def _connected(players: Collection[Player], contests: Sequence[_Contest]) -> list[list[Player]]:
    """The players in groups that share no fixture."""
    groups: list[list[Player]] = []
    left = list(players)
    while left:
        group = [left.pop(0)]
        for one in group:
            near = [
                other
                for other in left
                if any(one in contest.seats and other in contest.seats for contest in contests)
            ]
            group += near
            left = [other for other in left if other not in near]
        groups.append(group)
    return groups


class _Search:
    """The largest set of players, connected by fixtures, who can all reach what they need."""

    def __init__(self, needs: Mapping[Player, int], contests: Sequence[_Contest], steps: int) -> None:
        self.needs = needs
        self.contests = [contest for contest in contests if any(seat in needs for seat in contest.seats)]
        self.steps = steps

    def run(self) -> tuple[int, bool]:
        """The size, and whether it is reached; if not, no set is larger."""
        order = sorted(self.needs, key=lambda player: self._shortfall(player))
        least = 0
        most = self._most_by_sums(order)
        try:
            least = self._grow_greedily(order, most)
            for size in range(most, least, -1):
                if any(self._all_reach(chosen) for chosen in self._sets(order, size)):
                    return size, True
                most = size - 1
        except _Exhausted:
            return most, most == least
        return least, True

    def _shortfall(self, player: Player) -> int:
        """The points needed beyond the middle of their open fixtures: who needs little comes first."""
        theirs = [contest.payoffs for contest in self.contests if player in contest.seats]
        return self.needs[player] - sum(sum(payoffs) // len(payoffs) for payoffs in theirs)

    def _sets(self, order: Sequence[Player], size: int) -> Iterator[tuple[Player, ...]]:
        for chosen in combinations(order, size):
            self._step()
            yield chosen

    def _step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise _Exhausted

    def _grow_greedily(self, order: Sequence[Player], most: int) -> int:
        chosen: tuple[Player, ...] = ()
        for player in order:
            if len(chosen) == most:
                break
            limit, self.steps = self.steps, min(self.steps, 200)
            spent = self.steps
            try:
                if self._all_reach((*chosen, player)):
                    chosen = (*chosen, player)
            except _Exhausted:
                self.steps = 0
            self.steps = limit - (spent - self.steps)
        return len(chosen)

    def _most_by_sums(self, order: Sequence[Player]) -> int:
        """No more than this many: the least needs together are no more than the best places to be had are worth."""
        needs = list(accumulate(sorted(self.needs.values())))
        played = [sum(player in contest.seats for contest in self.contests) for player in order]
        seats = list(accumulate(sorted(played, reverse=True)))
        gains = sorted((payoff for contest in self.contests for payoff in contest.payoffs), reverse=True)
        return max(
            size
            for size in range(len(order) + 1)
            if size == 0 or needs[size - 1] <= sum(gains[: seats[size - 1]])
        )

    def _all_reach(self, chosen: Sequence[Player]) -> bool:
        """True if some results of the fixtures give each of these players what they need."""
        members = frozenset(chosen)
        played = []
        for contest in self.contests:
            seats = tuple(seat for seat in contest.seats if seat in members)
            if seats:
                played.append(_Contest(seats, contest.payoffs[: len(seats)]))
        needs = {player: self.needs[player] for player in chosen}
        # A fixture of one is theirs to win.
        for contest in played:
            if len(contest.seats) == 1:
                needs[contest.seats[0]] -= contest.payoffs[0]
        shared = [contest for contest in played if len(contest.seats) > 1]
        if not _sums_allow(needs, shared):
            return False
        return self._play(shared, needs, set())

    def _play(
        self,
        contests: Sequence[_Contest],
        needs: Mapping[Player, int],
        failed: set[tuple[int, tuple[int, ...]]],
    ) -> bool:
        if not contests:
            return all(need <= 0 for need in needs.values())
        if not _sums_allow(needs, contests):
            return False
        key = len(contests), tuple(needs.values())
        if key in failed:
            return False
        contest, rest = contests[0], contests[1:]
        for gains in _outcomes(contest, needs):
            self._step()
            after = {player: need - gains.get(player, 0) for player, need in needs.items()}
            if self._play(rest, after, failed):
                return True
        failed.add(key)
        return False


def _sums_allow(needs: Mapping[Player, int], contests: Sequence[_Contest]) -> bool:
    """False only if some of the players together need more than the fixtures hold for them.

    Tried for each player, for all, and for those who need most.
    """
    ceiling = dict.fromkeys(needs, 0)
    for contest in contests:
        for seat in contest.seats:
            ceiling[seat] += contest.payoffs[0]
    if any(need > ceiling[player] for player, need in needs.items()):
        return False
    order = sorted(needs, key=lambda player: ceiling[player] - needs[player])
    group: set[Player] = set()
    for player in order:
        group.add(player)
        held = sum(
            sum(contest.payoffs[: sum(seat in group for seat in contest.seats)]) for contest in contests
        )
        if sum(needs[one] for one in group) > held:
            return False
    return True


def _outcomes(contest: _Contest, needs: Mapping[Player, int]) -> Iterator[dict[Player, int]]:
    """All outcomes of a fixture, shared ranks included: those first in which who needs most is first."""
    seats = sorted(contest.seats, key=lambda seat: -needs[seat])
    yield from _ranked(tuple(seats), contest.payoffs)


def _ranked(seats: tuple[Player, ...], payoffs: tuple[int, ...]) -> Iterator[dict[Player, int]]:
    if not seats:
        yield {}
        return
    for count in range(1, len(seats) + 1):
        share = Fraction(sum(payoffs[:count]), count)
        assert share.denominator == 1
        for first in combinations(seats, count):
            others = tuple(seat for seat in seats if seat not in first)
            for rest in _ranked(others, payoffs[count:]):
                yield {**dict.fromkeys(first, int(share)), **rest}
