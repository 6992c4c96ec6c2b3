"""Reads a move that is described: *the lapis card above the centre, red to the south*.

A game lists its legal moves with their *traits*: what may be said of each, in the words of a small vocabulary. A
sentence describes a move if each of its words is known (`described_words`), if it can be cut into traits of that move
alone, and if these name every part of the move that must be named. It is certain if it does so in more than one way:
with a strong verb and a piece, or a piece and a place, and with no loose word. What is less is offered, never played.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property, reduce
from itertools import islice
from operator import or_
from typing import TypeAlias, TypeVar

from games.phrases.described import NEVER, Described, Step
from games.phrases.described_words import Way, read_described, read_ways
from games.phrases.phrasebook import LANGUAGES, fold_word

NEXT_STEP = "+"
"""Stands in a description between two steps of a move."""
_LONGEST = 24
"""Words of a description; nobody says so much of a move."""
_LONGEST_TRAIT = 8
"""Words of the vocabulary."""
_NOT_CUT = 4
"""Words from which on a trait is not taken for several."""
_MOST_MOVES = 5000
"""Where more are legal, none is described."""
_ENOUGH = NEVER - 1
"""Traits; more are not counted."""
_VAGUE = frozenset(("no", "only"))
"""Begin traits that name nothing for certain: *no green*."""
_RELATIONS = frozenset(("above", "below", "left-of", "right-of", "next-to", "beyond"))
"""Say where something lies as seen from what is named behind them."""
_BESIDE = _RELATIONS | {"beside"}
_GOES = frozenset(
    (
        "go",
        "goes",
        "fit",
        "fits",
        "match",
        "geht",
        "gehen",
        "passt",
        "passen",
        "kommt",
        "kommen",
        "va",
        "vont",
    )
)
"""Stand in general truths too, without an article: *purple goes with red*."""
_CELL = re.compile(r"[a-g][1-9]|-?\d+,-?\d+")

Moves: TypeAlias = int
"""Moves of a position by the bits of a number, so that a single `&` looks at all of them."""
Key = TypeVar("Key")


class Descriptions:
    """The moves of a position, as they are described."""

    def __init__(self, package: str, moves: Iterable[Described]) -> None:
        listed = [*islice(moves, _MOST_MOVES + 1)]
        self.package, self.moves = package, listed if len(listed) <= _MOST_MOVES else []

    @cached_property
    def phrases(self) -> Set[str]:
        """The words, folded, each of which may alone say a trait that tells moves apart."""
        traits = {trait for steps in self._steps for trait in (*steps.traits, *steps.anywhere)}
        up_for_all = (
            frozenset[str]()
            .union(*(each.targets for each in self.moves[:1]))
            .intersection(*(each.targets for each in self.moves))
        )
        return self._list_words_for(traits - up_for_all)

    @cached_property
    def words(self) -> Set[str]:
        """The words, folded, each of which may say a trait or a part of one, such as a colour."""
        return self._list_words_for(self.known)

    def _list_words_for(self, meant: Set[str]) -> Set[str]:
        return {
            fold_word(phrase)
            for language in LANGUAGES
            for phrase, meanings in read_described(self.package, language).items()
            if " " not in phrase and not meant.isdisjoint(meanings)
        }

    @cached_property
    def targets(self) -> Set[str]:
        """The names of what is up for auction."""
        return frozenset[str]().union(*(each.targets for each in self.moves))

    @cached_property
    def laid(self) -> int:
        """The sum that lies there already, to which the numbers of a bid are added; 0 if none does."""
        return max((each.laid for each in self.moves), default=0)

    @cached_property
    def leading(self) -> int | None:
        """The bid, or the sum, that a bid must be higher than; None where nobody has bid."""
        return next((each.leading for each in self.moves if each.leading is not None), None)

    @cached_property
    def declining(self) -> Set[str]:
        """The moves beside which players say what they do not want."""
        return {each.move for each in self.moves if each.declines}

    def find(self, words: Sequence[str], *, is_certain: bool, is_whole: bool = True) -> Sequence[str]:
        """Return the moves that the words describe; `is_certain`: none unless no doubt is left of one of them.

        `is_whole`: nothing else is said beside them.
        """
        if len(words) > _LONGEST:
            return ()
        ways = [*read_ways(words, self.package, self.known)]
        told = {said: self._count_told(said) for said in {way.words for way in ways}}
        may_be_bare = is_whole and _GOES.isdisjoint(map(fold_word, words))
        certain = _join(self._find_certain(way, told[way.words], may_be_bare=may_be_bare) for way in ways)
        likely = _join(self._find_likely(way, told[way.words]) for way in ways)
        found = 0 if is_certain and not certain else certain | likely
        return [*dict.fromkeys(each.move for at, each in enumerate(self.moves) if found >> at & 1)]

    def fits(self, words: Sequence[str], moves: Iterable[str]) -> bool | None:
        """Return whether all that the words describe is true of the moves, in notation; None if they describe none."""
        if len(words) > _LONGEST:
            return None
        ways = {way.words for way in read_ways(words, self.package, self.known) if way.phrases > 1}
        fitting = _join(self._steps[0].list_fitting(said) for said in ways) if ways and self._steps else 0
        found = {each.move for at, each in enumerate(self.moves) if fitting >> at & 1}
        if not found:  # *beside the citrine* names a place, though there are two of them
            return False if any(said[0] in _BESIDE for said in ways) else None
        return found.issuperset(moves)

    def _find_certain(self, way: Way, told: Sequence[Moves], *, may_be_bare: bool) -> Moves:
        """The moves of which a way to read a sentence leaves no doubt; `told`: those told in so many traits."""
        many = told[_ENOUGH] & self._enough_alone[_ENOUGH]
        if not way.is_certain or (way.has_adverb and not way.is_strong):
            return many
        if way.is_strong:
            return many | _join(map(int.__and__, told, self._enough_with_verb))
        if way.is_coded:
            many |= _join(map(int.__and__, told, self._enough_with_code))
        enough = _join(map(int.__and__, told, self._enough_alone))
        bare = self._bare if may_be_bare else 0
        return many | (enough if way.is_piece else enough & (self._with_own_word(way) | bare))

    def _find_likely(self, way: Way, told: Sequence[Moves]) -> Moves:
        """The moves that may be meant: something must be done in the sentence, or a piece be named."""
        moves = _join(told[1:])
        is_number = all(map(str.isdecimal, way.words))
        if not way.is_act and (is_number or not (way.is_piece or way.phrases > 1)):
            moves &= self._with_own_word(way)
        return moves | (told[0] if way.is_bare else 0)

    def _with_own_word(self, way: Way) -> Moves:
        """The moves of which one of the words is said that stand anywhere, such as their verb."""
        return _join(steps.anywhere.get(word, 0) for steps in self._steps for word in way.words)

    def _count_told(self, words: Sequence[str]) -> Sequence[Moves]:
        """The moves of which words tell all that must be named, by the number of traits that they tell."""
        numbers = [*filter(str.isdecimal, words)]
        if len(numbers) != len({*numbers}):
            return [0] * (_ENOUGH + 1)
        parts: list[list[str]] = [[]]
        for word in words:
            if word == NEXT_STEP:
                parts.append([])
            else:
                parts[-1].append(word)
        told = [self._of_length.get(len(parts), 0), *[0] * _ENOUGH]
        for steps, said in zip(self._steps, parts, strict=False):
            told = _add_counts(told, steps.count_told(said)) if any(told) else told
        return told

    @cached_property
    def _steps(self) -> Sequence[_Steps]:
        """The first steps of all moves, the second ones, and so on."""
        most = max((len(each.steps) for each in self.moves), default=0)
        return [_Steps([each.steps[place : place + 1] for each in self.moves]) for place in range(most)]

    @cached_property
    def known(self) -> frozenset[str]:
        """Every word of their traits."""
        return frozenset([NEXT_STEP]).union(
            word
            for steps in self._steps
            for trait in (*steps.traits, *steps.anywhere)
            for word in trait.split()
        )

    @cached_property
    def _of_length(self) -> Mapping[int, Moves]:
        """The moves with so many steps."""
        return _sets((len(each.steps), 1 << at) for at, each in enumerate(self.moves))

    @cached_property
    def _enough_with_verb(self) -> Sequence[Moves]:
        return _by_least([each.with_verb for each in self.moves])

    @cached_property
    def _enough_with_code(self) -> Sequence[Moves]:
        return _by_least([each.with_code for each in self.moves])

    @cached_property
    def _bare(self) -> Moves:
        """The moves that may be told without an article."""
        return _join(1 << at for at, each in enumerate(self.moves) if each.needs_no_article)

    @cached_property
    def _enough_alone(self) -> Sequence[Moves]:
        return _by_least([each.alone for each in self.moves])


class _Steps:
    """The steps at one place of all moves, by what is said of them; moves without such a step are in no set."""

    def __init__(self, of_moves: Sequence[Sequence[Step]]) -> None:
        """`of_moves`: the step of each move, or nothing."""
        steps = {id(step): step for listed in of_moves for step in listed}
        moves = _sets((id(step), 1 << at) for at, listed in enumerate(of_moves) for step in listed)
        every = [(step, moves[key]) for key, step in steps.items()]
        self.traits: dict[str, dict[frozenset[str], Moves]] = defaultdict(lambda: defaultdict(int))
        for step, having in every:
            for trait, parts in step.traits.items():
                self.traits[trait][parts] |= having
        self.anywhere = _sets((word, having) for step, having in every for word in step.anywhere)
        self._needing = _sets((part, having) for step, having in every for part in step.needs)
        self._groups = _sets((frozenset(step.anywhere.items()), having) for step, having in every)

    def count_told(self, words: Sequence[str]) -> Sequence[Moves]:
        """The moves of whose step the words tell all that must be named, by the most traits that they tell."""
        found = [0] * (_ENOUGH + 1)
        for anywhere, moves in self._groups.items():
            named = dict(anywhere)
            begun = frozenset[str]().union(*(named[word] for word in words if word in named))
            told = self._cut([word for word in words if word not in named], begun, moves)
            for (parts, count), having in told.items():
                found[count] |= having & ~_join(
                    needing for part, needing in self._needing.items() if part not in parts
                )
        return [moves & ~_join(found[count + 1 :]) for count, moves in enumerate(found)]

    def list_fitting(self, words: Sequence[str]) -> Moves:
        """The moves of whose step all the words are true, whatever of it they leave out."""
        return _join(
            _join(self._cut([word for word in words if word not in anywhere], frozenset(), moves).values())
            for anywhere, moves in ((dict(group), having) for group, having in self._groups.items())
        )

    def _cut(
        self, words: Sequence[str], begun: frozenset[str], moves: Moves
    ) -> Mapping[tuple[frozenset[str], int], Moves]:
        """Cut the words into traits in every way: the parts that are named, with the number of traits → the moves.

        `begun`: the parts that are named already.
        """
        named: list[dict[tuple[frozenset[str], int], Moves]] = [{(begun, 0): moves}, *({} for _ in words)]
        for start, before in enumerate(named[:-1]):
            if start and words[start - 1] in _RELATIONS and _CELL.fullmatch(words[start]):
                continue  # what lies *above d5* is not *above*, on d5
            counts = words[start] not in _VAGUE
            for end in self._ends(words, start) if before else ():
                again = end == start + 1 and words.count(words[start]) > 1
                for parts, having in self.traits.get(" ".join(words[start:end]), {}).items():
                    if again and words[start].upper() in parts:
                        continue  # *RP RP* are two pieces
                    for (others, count), left in before.items():
                        both = parts | others, min(count + counts, _ENOUGH)
                        if having & left:
                            named[end][both] = named[end].get(both, 0) | having & left
        return named[-1]

    def _ends(self, words: Sequence[str], start: int) -> Sequence[int]:
        """Where a trait may end that begins here; a long one is not cut: *red green red green* is one card."""
        ends = range(start + 1, min(start + _LONGEST_TRAIT, len(words)) + 1)
        return [end for end in ends[_NOT_CUT - 1 :] if " ".join(words[start:end]) in self.traits][-1:] or ends


def _join(sets: Iterable[Moves]) -> Moves:
    """The moves in any of these sets."""
    return reduce(or_, sets, 0)


def _sets(members: Iterable[tuple[Key, Moves]]) -> Mapping[Key, Moves]:
    """Join the sets of each key."""
    found: dict[Key, Moves] = defaultdict(int)
    for key, moves in members:
        found[key] |= moves
    return found


def _by_least(enough: Sequence[int]) -> Sequence[Moves]:
    """For each number of traits the moves for which they are enough."""
    return [
        _join(1 << at for at, least in enumerate(enough) if least <= count) for count in range(_ENOUGH + 1)
    ]


def _add_counts(told: Sequence[Moves], more: Sequence[Moves]) -> list[Moves]:
    """The moves by the sum of both numbers."""
    found = [0] * (_ENOUGH + 1)
    for count, moves in enumerate(told):
        for added, others in enumerate(more):
            found[min(count + added, _ENOUGH)] |= moves & others
    return found
