"""Reads a move as a person says it: `Hi Ben, I bid three. Good luck!` is `bid 3`.

The notation stays the only language of records and programs; what is found here is written in it. A text is read
only if every word of it is known: a word of the notation, one that the game's phrases translate into it, or one that
says nothing of a move. So a sentence with anything else in it (a condition, a question, a past) is no move. Only what
stands beside a move that was said in whole may say more (`beside`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property, partial
from typing import Any

from games.contract import Game, Seat
from games.phrases.asking import asks, without_astonishment, without_outcry, without_small_talk
from games.phrases.beside import MovesBeside
from games.phrases.correcting import CLAUSE, around_correction, corrected, with_ends_replaced, without_hedge
from games.phrases.cutting import (
    behind_holding,
    behind_talk,
    shorter_ways,
    without_price,
    without_rival,
    without_winner,
)
from games.phrases.elsewhere import speaks_for_somebody
from games.phrases.heard import list_heard
from games.phrases.lines import DOUBTS, LONGEST, Core, denies, find_core, is_correction
from games.phrases.moves import PlayableMoves
from games.phrases.naming import NamedParts
from games.phrases.not_meant import (
    denies_place,
    may_resign,
    sets_condition,
    tells_behind_colon,
    tells_of_opening,
    tells_past_or_supposes,
    tells_what_lies,
    tells_what_pays,
    tells_what_stays,
)
from games.phrases.offering import OfferedMoves
from games.phrases.phrasebook import fold_word, fold_words, plain_word
from games.phrases.raising import with_raise_counted
from games.phrases.rewording import as_said_by_one
from games.phrases.sentences import ways_to_part
from games.phrases.slips import is_known, mend_slip
from games.phrases.targets import without_target
from games.phrases.tidying import ended_at_smileys
from games.phrases.verbless import may_be_name
from games.phrases.wording import WordedMoves
from games.reading import lower

MOST_SUGGESTED = 3
_LONGEST_CORRECTED = 80
"""Characters of a move and its correction that are put together."""
_DECLINING = frozenset(("pass", "keep", "decline", "discard"))
"""Moves that keep something."""
_NEITHER = re.compile(
    r"(?:neither|not|weder|nicht|ni|pas) (\w+)(?:,? (?:nor|not|noch|nicht|ni|pas)) (\w+)[.!]?", re.IGNORECASE
)
_NO = re.compile(
    r"^(?:no|nope|nah|nein|nee|nö|non|nan)(?:,? (?:thanks|thank you|danke|merci))?[,.!]+ +(?=\w)",
    re.IGNORECASE,
)
"""Matches a no in front of why somebody passes: *no, too expensive*."""
_CHOICES = 3
"""Moves of which two can be denied."""
_LONGEST_SLIP = 6
"""Words of a line with a slip that is looked for among the legal moves."""


@dataclass
class PhraseReader:
    """Reads what the player of a seat writes in one position; `is_sealed`: it is an order for the open contest."""

    game: Game
    state: Any
    seat: Seat
    is_sealed: bool = False

    @cached_property
    def moves(self) -> PlayableMoves:
        return PlayableMoves(self.game, self.state, self.seat, self.is_sealed)

    @cached_property
    def _worded(self) -> WordedMoves:
        return WordedMoves(self.moves)

    @cached_property
    def _beside(self) -> MovesBeside:
        return MovesBeside(self.moves, self._worded, self._named)

    @cached_property
    def _named(self) -> NamedParts:
        return NamedParts(self.moves)

    def find(self, text: str, names: Iterable[str] = (), *, is_alone: bool = True) -> str | None:
        """Return, in notation, the one move that the text can mean; None if there is none, or more than one.

        `names`: those of the players, who may be addressed. `is_alone`: the text is all that its writer wrote; only
        then a number alone is a move. A move that is not legal is found only if no legal one can be meant.

        >>> from games.match import Match
        >>> match = Match.new("gem", seats=3, seed="example")
        >>> reader = PhraseReader(match.game, match.state, match.state.turn)
        >>> reader.find("Hi Ben, I bid three. Good luck!", names=["Ben"])
        'bid 3'
        >>> reader.find("Should I bid 3?")
        """
        text = self._without_outcry(without_small_talk(text, self._is_said_of_moves))
        if (behind := without_astonishment(text)) and self.moves.are_described:
            declined = self.find(behind, names, is_alone=is_alone)
            return declined if declined in self.moves.described.declining else None
        if asks(text) or self._tells_of_others(text):
            return None
        for said in self._list_ways(text, names):
            if found := self._find_all(said, names, is_alone=is_alone):
                return found[0] if len(found) == 1 else None
        return self._find_pass(text, names, is_alone=is_alone) or (
            self._find_corrected(text, names) or self._find_remaining(text) if is_alone else None
        )

    def _without_outcry(self, text: str) -> str:
        leading = self.moves.described.leading if "?" in text and self.moves.are_described else None
        return text if leading is None else without_outcry(text, leading)

    def _find_corrected(self, text: str, names: Iterable[str]) -> str | None:
        """The one legal move that a text puts in the place of another, or of a part of it: *R5... no, rather E4*.

        What is taken back must be a move too, or name nothing but parts of one.
        """
        before, behind = corrected(text) if self.moves.are_described and "?" not in text else ("", "")
        is_doubtful = not DOUBTS.isdisjoint(fold_words(behind).split())
        if not behind or is_doubtful or len(before) + len(behind) > _LONGEST_CORRECTED:
            return None
        taken_back = self._find_all(before, names, is_alone=True)
        if not taken_back and not self._named.says_only_parts(before):
            return None
        # What keeps all of the move and adds to it is no correction: *trade BYBY, no, RBRB* trades one of them.
        kept = [{*move.split()} for move in taken_back]
        alone = {*self._find_all(behind, names, is_alone=True)}
        ways = dict.fromkeys(with_ends_replaced(before, behind))
        replaced = {move for way in ways for move in self._find_all(way, names, is_alone=True)}
        # A mere place, which many pieces fit, says where the piece before it goes: *rbgb to c5, no, to e5*.
        read = alone & replaced if len(alone) > 1 and alone & replaced else alone | replaced
        legal = filter(self.moves.can_be_made, read)
        found = [move for move in legal if not any(words <= {*move.split()} for words in kept)]
        return found[0] if len(found) == 1 else None

    def _find_remaining(self, text: str) -> str | None:
        """The one of three moves that is left where a text denies both others: *weder groß noch klein*."""
        denied = _NEITHER.fullmatch(text.strip())
        if denied is None or len(self.moves.listed) != _CHOICES or len(self.moves.verbs) > 1:
            return None
        cores = [find_core(part) for part in denied.groups()]
        said = {move for core in cores if core for move in self._worded.read(core, is_alone=True)}
        left = {*self.moves.listed} - said
        return left.pop() if len(said) == _CHOICES - 1 and len(left) == 1 else None

    def _tells_of_others(self, text: str) -> bool:
        """True where the text may be a condition, or tell of the first bid of the auction, of what pays or stays."""
        has_opened = "pass" in self.moves.verbs and not self.is_sealed
        return (
            tells_behind_colon(text)
            or (self.moves.can_be_made("pass") and may_resign(text))
            or sets_condition(text)
            or tells_past_or_supposes(text)
            or (has_opened and tells_of_opening(text))
            or (self.moves.is_paid and tells_what_pays(text, self._named.says_a_piece))
            or (self.moves.has_steps and tells_what_lies(text))
            or (_DECLINING.isdisjoint(self.moves.verbs) and tells_what_stays(text))
            or ("discard" in self.moves.verbs and denies_place(text))
        )

    def _is_said_of_moves(self, word: str) -> bool:
        return self.moves.are_described and (
            self._named.says_a_part(word)
            or word in self.moves.described.words
            or word in self.moves.words | self.moves.gem_words
        )

    def _find_pass(self, text: str, names: Iterable[str], *, is_alone: bool) -> str | None:
        """The pass beside which a text says who gets the thing instead, or what is too much.

        *I pass, Eve gets it for 5*; *15 is crazy, I pass*.
        """
        if not self.moves.are_described or len(text) > LONGEST:
            return None
        for said in {without_winner(text, names), without_price(text, self.moves.numbers), _NO.sub("", text)}:
            found = self._find_all(said, names, is_alone=is_alone) if said not in ("", text) else ()
            if len(found) == 1 and found[0] in self.moves.described.declining:
                return found[0]
        return None

    def _list_ways(self, text: str, names: Iterable[str]) -> Iterator[str]:
        """The text in every way in which it may be read, and then as one says it who plays alone."""
        yield from self._list_ways_of(text, names)
        if (
            self.moves.have_numbers
            and len(text) <= LONGEST
            and (topped := without_rival(text, names)) != text
        ):
            yield from self._list_ways_of(topped, names)
        for cut in (behind_talk, partial(behind_holding, names=names)) if len(text) <= LONGEST else ():
            if (said := cut(text)) != text:
                yield from self._list_ways_of(said, names)
        if (counted := self._with_raise_counted(text, names)) != text:
            yield from self._list_ways_of(counted, names)
        if (
            len(text) <= LONGEST
            and not self._is_undone(text, names)
            and (by_one := as_said_by_one(text)) != text
        ):
            yield from self._list_ways_of(by_one, names)

    def _is_undone(self, text: str, names: Iterable[str]) -> bool:
        """True for a clause that takes back or speaks for somebody; *we need to talk*, said by one, is a remark."""
        known = {*map(fold_word, names)}
        behind = CLAUSE.split(text)[1:]
        return any(is_correction(clause) or speaks_for_somebody(clause, known) for clause in behind)

    def _with_raise_counted(self, text: str, names: Iterable[str]) -> str:
        leading = self.moves.described.leading if self.moves.are_described and not self.is_sealed else None
        if leading is None:
            return text
        cards = self.moves.numbers if self.moves.by_total else None
        return with_raise_counted(text, names, leading, cards, self.moves.described.laid)

    def _list_ways_of(self, text: str, names: Iterable[str]) -> Iterator[str]:
        """The text as it stands; parted at smileys and from a wish; without what is up; without what is not chosen."""
        yield text
        if len(text) <= LONGEST:
            ended = without_hedge(ended_at_smileys(text))
            parted = ways_to_part(ended, names, self._named.says_a_verb)
            yield from (way for way in (ended, *parted) if way != text)
        if self.moves.are_described and len(text) <= LONGEST:
            yield from without_target(text, self.game.package, self.moves.described.targets)
            yield from shorter_ways(text, self._named.says_a_piece, self._named.says_a_verb)

    def _find_all(self, text: str, names: Iterable[str], *, is_alone: bool) -> Sequence[str]:
        """The moves that the text can mean."""
        core = find_core(text, names)
        found: Sequence[str] = ()
        if core is not None and not core.is_question and not _is_signed(text, core):
            found = self._worded.read(core, is_alone=is_alone) or self._worded.read_mended(
                core, is_alone=is_alone
            )
        if is_alone:
            told = self._beside.read_told(text, names, is_certain=True)
            if told and not any(map(self.moves.can_be_made, found)):
                return told
            if len(found) == 1 and told and found[0] not in told:
                return ()
            found = told if not found or (len(told) == 1 and told[0] in found) else found
        return (
            found
            or self._beside.read_beside_talk(text, names)
            or self._beside.read_beside_remarks(text, names, is_alone=is_alone)
            or (self._beside.read_said_twice(text, names) if is_alone else ())
        )

    def find_listed(
        self,
        text: str,
        names: Iterable[str],
        lists: Callable[[], Sequence[Sequence[str]]],
        *,
        is_certain: bool = True,
    ) -> Sequence[str]:
        """The moves, in notation, that a text names by their place in a list; at most one for each list.

        `lists` returns those that its writer may have seen. `is_certain`: one move, or none if any doubt is left of it.

        >>> from games.match import Match
        >>> match = Match.new("gem", seats=3, seed="example")
        >>> reader = PhraseReader(match.game, match.state, match.state.turn)
        >>> reader.find_listed("The last one on your list, please", (), lambda: [["bid 0", "bid 1"]])
        ['bid 1']
        """
        if is_certain and asks(text):
            return ()
        found = self._beside.read_listed(text, names, lists, is_certain=is_certain)
        return found[:MOST_SUGGESTED]

    def complete(self, text: str) -> str | None:
        """Return the one legal move that a text in notation can mean which leaves a part out, as `take SR` may."""
        longer = self.list_longer(text)
        return longer[0] if len(longer) == 1 else None

    def list_longer(self, text: str) -> Sequence[str]:
        """Return the legal moves of which a text in notation, that is none, leaves a part out."""
        canonical = None if self.is_sealed else self.moves.parse(text)
        return () if canonical is None or self.moves.is_legal(canonical) else self.moves.longer(canonical)

    def suggest(self, text: str, names: Iterable[str] = ()) -> Sequence[str]:
        """Return up to three moves, in notation, that the writer of an unreadable text may have meant.

        Where the text corrects itself, those of what stands behind that.
        """
        before, behind = around_correction(text)
        found = self._suggest_corrected(before, behind, names) if behind else ()
        return found or self._suggest(text, names) or self._suggest_raised(text, names)

    def _suggest_raised(self, text: str, names: Iterable[str]) -> Sequence[str]:
        """The ways to bid so many more than somebody, where there are several."""
        counted = self._with_raise_counted(text, names)
        found = self._find_all(counted, names, is_alone=True) if counted != text else ()
        return [move for move in found if self.moves.can_be_made(move)][:MOST_SUGGESTED]

    def _suggest_corrected(self, before: str, behind: str, names: Iterable[str]) -> Sequence[str]:
        """The moves that what stands behind a correction means, alone or in place of the last words before it."""
        if found := self._suggest(behind, names) or self.suggest_from_parts(behind, names):
            return found
        if len(before) + len(behind) > _LONGEST_CORRECTED:
            return ()
        for way in with_ends_replaced(before, behind):
            read = self._find_all(way, names, is_alone=True)
            if found := [move for each in read for move in self._list_legal(each)]:
                return found[:MOST_SUGGESTED]
        return ()

    def _list_legal(self, move: str) -> Sequence[str]:
        """The move if it is legal, else the legal ones that only add a part to it."""
        return [move] if self.moves.can_be_made(move) else self.moves.longer(move)

    def _suggest(self, text: str, names: Iterable[str]) -> Sequence[str]:
        if told := self._beside.read_told(text, names, is_certain=False):
            return told[:MOST_SUGGESTED]
        core = find_core(text, names)
        if core is None or len(core.words) > _LONGEST_SLIP:
            return ()
        if read := self._worded.read(core, is_alone=True, as_counted=True):
            return read[:MOST_SUGGESTED]
        is_name = len(core.words) == 1 and core.words[0].istitle()
        meant = self.moves.words if is_name else self.moves.words | self.moves.numbers
        for words in mend_slip(self.game, core.words, meant):
            if read := self._worded.read(replace(core, words=words), is_alone=True):
                return read[:MOST_SUGGESTED]
        written = lower(" ".join(core.words))
        if longer := [move for move in self.moves.listed if lower(move).startswith(f"{written} ")]:
            return longer[:MOST_SUGGESTED]
        # Another move is no slip for a word that is spelt right: `top` is no `below`.
        right = {word for word in map(plain_word, core.words) if is_known(self.game, word)}
        close = get_close_matches(written, self.moves.listed, MOST_SUGGESTED, 0.75)
        return [move for move in close if right <= {*lower(move).split()}]

    def suggest_from_parts(self, text: str, names: Iterable[str] = ()) -> Sequence[str]:
        """Return up to three moves, in notation, that parts of an unreadable text may mean, whatever it says beside.

        >>> from games.match import Match
        >>> match = Match.new("gem", seats=3, seed="example")
        >>> reader = PhraseReader(match.game, match.state, match.state.turn)
        >>> reader.suggest_from_parts("Three it is, one for each amethyst.")
        ['bid 3']
        """
        offered = OfferedMoves(self.moves, self._worded)
        found = (offered.find(way, names)[:MOST_SUGGESTED] for way in self._list_ways(text, names))
        declined = ["pass"] if "pass" in self.moves.listed and denies(text) else []
        return next(filter(None, found), ()) or declined or self._suggest_heard(text, names)

    def offer(self, text: str, names: Iterable[str] = ()) -> Sequence[str]:
        """Return up to three moves, in notation, that an unreadable text nearly says, else that parts of it may mean.

        Their order comes from the words and the rules, never from how good the moves are.
        """
        return self.suggest(text, names) or self.suggest_from_parts(text, names)

    def _suggest_heard(self, text: str, names: Iterable[str]) -> Sequence[str]:
        """The moves that a text may have been meant as that a phone wrote down."""
        core = find_core(text, names)
        if core is None or not self.moves.are_described:
            return ()
        for words in list_heard(core.words):
            read = self._worded.read(replace(core, words=words), is_alone=True)
            found = [move for each in read for move in self._list_legal(each)]
            if found or (found := [*self.moves.described.find(words, is_certain=False)]):
                return found[:MOST_SUGGESTED]
        return ()


def _is_signed(text: str, core: Core) -> bool:
    """True where all that is left of a text may be somebody's name: *Thanks, Ruby*."""
    return len(core.words) == 1 < len(text.split()) and may_be_name(core.words[0])
