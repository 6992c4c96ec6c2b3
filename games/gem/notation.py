"""GEM's move texts, written canonically and read leniently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from games.contract import AmbiguousMove, InvalidMove, Seat
from games.gem.components import CARD_CODES, COINS, JEWELS, KIND_NAMES
from games.gem.payment import jewel_cards, sort_pieces
from games.gem.state import Bid, Invest, Keep, Move, Pass, Phase, Pieces, State, Take
from games.reading import echo, read_number, read_word, refuse_rest, split_line, upper

WORDS: dict[Phase, tuple[str, ...]] = {
    Phase.BID: ("bid", "pass"),
    Phase.TAKE: ("take",),
    Phase.INVEST: ("invest", "keep"),
    Phase.OVER: (),
}
ALL_WORDS = tuple(word for words in WORDS.values() for word in words)

_CODES = {code: code for code in CARD_CODES} | {code[::-1]: code for code in CARD_CODES if code.isalpha()}


def write(move: Move) -> str:
    """Write the move in canonical notation."""
    match move:
        case Bid(amount):
            return f"bid {amount}"
        case Pass():
            return "pass"
        case Take(card, pay):
            return " ".join(["take", card, *_write_payment(pay)])
        case Invest(cards, pay):
            return " ".join(["invest", *cards, *_write_payment(pay)])
        case Keep():
            return "keep"
        case _:
            assert_never(move)


def _write_payment(pay: Pieces) -> Sequence[str]:
    return ("pay", *pay) if pay else ()


def parse(state: State, seat: Seat, text: str) -> Move:
    """Read the move that is meant; `apply` checks whether it is legal. Raises InvalidMove or AmbiguousMove."""
    head, *rest = split_line(text)
    is_opening = state.phase is Phase.BID and seat == state.oya and not state.calls  # it cannot pass
    offered = ("bid",) if is_opening else ()
    match read_word(head, WORDS[state.phase], known=ALL_WORDS, offered=offered):
        case "bid":
            return Bid(_read_amount(rest))
        case "pass":
            refuse_rest(rest)
            return Pass()
        case "take":
            return _read_take(state, seat, rest)
        case "invest":
            return _read_invest(state, seat, rest)
        case _:
            refuse_rest(rest)
            return Keep()


def _read_amount(rest: list[str]) -> int:
    if not rest:
        raise InvalidMove("no-number", "How much do you bid? Write for example: bid 3")
    refuse_rest(rest[1:])
    return read_number(rest[0])


def _read_take(state: State, seat: Seat, rest: list[str]) -> Take:
    named, paid = _split_payment(rest)
    cards = read_cards(named, state.open)
    if len(cards) != 1:
        raise InvalidMove("one-card", "Name one card to take, for example: take SR pay 1 2")
    return Take(cards[0], read_pieces(paid, state.active[seat]))


def _read_invest(state: State, seat: Seat, rest: list[str]) -> Invest:
    named, paid = _split_payment(rest)
    cards = read_cards(named, jewel_cards(state.inactive[seat]))
    if not cards:
        raise InvalidMove("no-card", "Name the cards to activate, for example: invest SR ET pay 3")
    return Invest(sort_pieces(cards), read_pieces(paid, state.active[seat]))


def _split_payment(rest: list[str]) -> tuple[list[str], list[str]]:
    for place, word in enumerate(rest):
        if "pay".startswith(word):
            paid = rest[place + 1 :]
            if not paid:
                raise InvalidMove("no-payment", "After “pay” name coins or cards, for example: pay 1 2")
            return rest[:place], paid
    return rest, []


def read_cards(words: Sequence[str], among: Pieces) -> list[str]:
    """Read cards named by code (`SR`, `D2`) or by jewels (`sapphire ruby`, `sapphire-ruby`, `diamond 2`).

    Jewel names may be shortened and may stand alone when only one card of `among` shows that jewel.
    Raises InvalidMove (`unknown-card`) or AmbiguousMove (`ambiguous-card`).
    """
    return _read_each(words, among, _read_card)


def read_pieces(words: Sequence[str], among: Pieces) -> Pieces:
    """Read the coins and cards of a payment, in canonical order; see `read_cards`."""
    return sort_pieces(_read_each(words, among, _read_coin_or_card))


def _read_each(words: Sequence[str], among: Pieces, read: Callable[[str, Pieces], str]) -> list[str]:
    """Read words from left to right: two that name one card of `among`, the 2 of `diamond 2` too, or one by `read`."""
    pieces = []
    place = 0
    while place < len(words):
        pair = _read_pair("-".join(words[place : place + 2]))
        if place + 1 < len(words) and upper(words[place]) not in _CODES and pair in among:
            pieces.append(pair)
            place += 2
        else:
            pieces.append(read(words[place], among))
            place += 1
    return pieces


def _read_coin_or_card(word: str, among: Pieces) -> str:
    coin = word.lstrip("0")
    return coin if coin in COINS else _read_card(word, among)


def _read_card(word: str, among: Pieces) -> str:
    if upper(word) in _CODES:
        return _CODES[upper(word)]
    if named := _read_pair(word):
        return named
    kind = _read_kind(word)
    shown = [piece for piece in among if kind and kind in JEWELS.get(piece, "")]
    if len(shown) == 1:
        return shown[0]
    if shown:
        raise AmbiguousMove(
            "ambiguous-card",
            "“{word}” could be {cards}. Write the card's code.",
            word=echo(word),
            cards=", ".join(shown),
        )
    raise InvalidMove(
        "unknown-card",
        "“{word}” is no card or coin that can be meant here. Write a code, for example SR or D2.",
        word=echo(word),
    )


def _read_pair(word: str) -> str:
    """The code of a card spelled as `sapphire-ruby` or `diamond-2`; empty when it is none."""
    first, _, second = word.partition("-")
    return _CODES.get(_read_kind(first) + (second if second in COINS else _read_kind(second)), "")


def _read_kind(word: str) -> str:
    """The letter of a jewel from its name or the beginning of it; empty when it is none."""
    meant = [letter for letter, name in KIND_NAMES.items() if word and name.startswith(word)]
    return meant[0] if len(meant) == 1 else ""
