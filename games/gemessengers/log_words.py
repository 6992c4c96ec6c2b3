"""The log of Gemessengers, one sentence for each event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.contract import Event, Json, Message, Seat, Translator
from games.gemessengers.components import Row
from games.gemessengers.naming import name_pick, name_piece, name_row, name_spot, name_suit
from games.gemessengers.notation import read_written
from games.gemessengers.state import Spot
from games.prose import name_all
from games.telling import Told, items, tell, tell_end

_TOLD: Mapping[str, Told] = {
    "picked": (Message("You have picked."), Message("{name} has picked.")),
    "gem": (Message("You place {gem} {spot}."), Message("{name} places {gem} {spot}.")),
    "fixed": (Message("Your rows are settled: {rows}."), Message("{name}'s rows are settled: {rows}.")),
    "finished": (Message("You have finished the {piece}."), Message("{name} has finished the {piece}.")),
    "token": (
        Message("You have finished, and take a token of the {row}."),
        Message("{name}, who has finished, takes a token of the {row}."),
    ),
}
"""By kind of event."""

_PICK: Mapping[bool, Told] = {
    False: (Message("Your pick is: {pick}."), Message("{name}, your pick is: {pick}.")),
    True: (Message("Your pick is now: {pick}."), Message("{name}, your pick is now: {pick}.")),
}
"""For `pick`, by whether it replaces another."""

_PROCLAMATION: Mapping[tuple[bool, bool], Told] = {
    (True, True): (
        Message("You proclaim {suit} at the {row} and take a token."),
        Message("{name} proclaims {suit} at the {row} and takes a token."),
    ),
    (True, False): (
        Message("You proclaim {suit} at the {row}; no token is left there."),
        Message("{name} proclaims {suit} at the {row}; no token is left there."),
    ),
    (False, True): (
        Message("You proclaim {suit}; the rows named are full, so at the {row}, and take a token."),
        Message("{name} proclaims {suit}; the rows named are full, so at the {row}, and takes a token."),
    ),
    (False, False): (
        Message("You proclaim {suit}; the rows named are full, so at the {row}, where no token is left."),
        Message("{name} proclaims {suit}; the rows named are full, so at the {row}, where no token is left."),
    ),
}
"""For `proclamation`, by whether its row was named, and whether it brings a token."""


def describe_event(event: Event, tr: Translator, names: Sequence[str], you: Seat | None) -> str:
    """One sentence for one event."""
    data = event.data
    words = {name: _name_thing(name, value, tr) for name, value in data.items()}
    match event.kind:
        case "turn":
            return tr.gettext("Round {round}, turn {turn} begins.").format(**words)
        case "round":
            return tr.gettext("Round {round} begins: the {piece}.").format(**words)
        case "score":
            return _describe_score(event, tr, names)
        case "over":
            return tell_end(event, tr, names)
        case "pick":
            told = _PICK[bool(data["changed"])]
            words["pick"] = name_pick(read_written(str(data["text"])), tr)
        case "proclamation":
            told = _PROCLAMATION[bool(data["named"]), bool(data["token"])]
        case _:
            told = _TOLD[event.kind]
    return tell(told, event, tr, names, you, words)


def _name_thing(name: str, value: Json, tr: Translator) -> object:
    """One of the data of an event, in words if it is a thing."""
    match name:
        case "gem" | "suit":
            return name_suit(str(value), tr)
        case "spot":
            return name_spot(Spot(str(value)), tr)
        case "piece":
            return name_piece(str(value), tr)
        case "row":
            return _name_row(value, tr)
        case "rows":
            return ", ".join([_name_row(row, tr) for row in items(value)])
        case _:
            return value


def describe_picks(events: Sequence[Event], tr: Translator, names: Sequence[str], you: Seat | None) -> str:
    """One sentence for several events of the kind `picked`."""
    seats = [event.seat for event in events if event.seat is not None]
    sentence = (
        tr.gettext("{you_and_names} have picked.") if you in seats else tr.gettext("{names} have picked.")
    )
    return name_all(sentence, seats, tr, names, you)


def _describe_score(event: Event, tr: Translator, names: Sequence[str]) -> str:
    data = event.data
    counts = zip(names, items(data["points"]), items(data["gems"]), items(data["tokens"]), strict=True)
    shares = [
        tr.gettext("{name} {points} (gems {gems}, tokens {tokens})").format(
            name=name, points=points, gems=gems, tokens=tokens
        )
        for name, points, gems, tokens in counts
    ]
    return tr.gettext("Round {round}, {piece}, is counted: {shares}.").format(
        round=data["round"], piece=name_piece(str(data["piece"]), tr), shares=", ".join(shares)
    )


def _name_row(row: Json, tr: Translator) -> str:
    return name_row(Row(int(str(row))), tr)
