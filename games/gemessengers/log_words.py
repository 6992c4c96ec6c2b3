"""The log of Gemessengers, one sentence for each event."""

from __future__ import annotations

from collections.abc import Sequence

from games.contract import Event, Seat, Translator
from games.gemessengers.components import Row
from games.gemessengers.naming import name_pick, name_piece, name_row, name_spot, name_suit
from games.gemessengers.notation import read_written
from games.gemessengers.state import Spot
from games.prose import name_all


def describe_event(event: Event, tr: Translator, names: Sequence[str], you: Seat | None = None) -> str:
    """One sentence for one event."""
    name = "" if event.seat is None else names[event.seat]
    is_you = event.seat is not None and event.seat == you
    data = event.data
    match event.kind:
        case "picked":
            if is_you:
                return tr.gettext("You have picked.")
            return tr.gettext("{name} has picked.").format(name=name)
        case "pick":
            return _describe_pick(event, tr, name, is_you=is_you)
        case "gem":
            sentence = (
                tr.gettext("You place {gem} {spot}.") if is_you else tr.gettext("{name} places {gem} {spot}.")
            )
            return sentence.format(
                name=name, gem=name_suit(str(data["gem"]), tr), spot=name_spot(Spot(str(data["spot"])), tr)
            )
        case "fixed":
            rows = ", ".join([_name_row(row, tr) for row in _list(data["rows"])])
            sentence = (
                tr.gettext("Your rows are settled: {rows}.")
                if is_you
                else tr.gettext("{name}'s rows are settled: {rows}.")
            )
            return sentence.format(name=name, rows=rows)
        case "finished":
            sentence = (
                tr.gettext("You have finished the {piece}.")
                if is_you
                else tr.gettext("{name} has finished the {piece}.")
            )
            return sentence.format(name=name, piece=_name_piece(event, tr))
        case "proclamation":
            return _describe_proclamation(event, tr, name, is_you=is_you)
        case "token":
            sentence = (
                tr.gettext("You have finished, and take a token of the {row}.")
                if is_you
                else tr.gettext("{name}, who has finished, takes a token of the {row}.")
            )
            return sentence.format(name=name, row=_name_row(data["row"], tr))
        case "turn":
            return tr.gettext("Round {round}, turn {turn} begins.").format(
                round=data["round"], turn=data["turn"]
            )
        case "score":
            return _describe_score(event, tr, names)
        case "round":
            return tr.gettext("Round {round} begins: the {piece}.").format(
                round=data["round"], piece=_name_piece(event, tr)
            )
        case "over":
            return tr.gettext("The match is over: {scores}.").format(
                scores=", ".join(
                    f"{who} {score}" for who, score in zip(names, _list(data["scores"]), strict=True)
                )
            )
        case _:
            raise ValueError(f"Gemessengers has no event {event.kind!r}")


def _describe_pick(event: Event, tr: Translator, name: str, *, is_you: bool) -> str:
    if is_you:
        sentence = (
            tr.gettext("Your pick is now: {pick}.")
            if event.data["changed"]
            else tr.gettext("Your pick is: {pick}.")
        )
    else:
        sentence = (
            tr.gettext("{name}, your pick is now: {pick}.")
            if event.data["changed"]
            else tr.gettext("{name}, your pick is: {pick}.")
        )
    return sentence.format(name=name, pick=name_pick(read_written(str(event.data["text"])), tr))


def describe_picks(
    events: Sequence[Event], tr: Translator, names: Sequence[str], you: Seat | None = None
) -> str:
    """One sentence for several events of the kind `picked`."""
    seats = [event.seat for event in events if event.seat is not None]
    sentence = (
        tr.gettext("{you_and_names} have picked.") if you in seats else tr.gettext("{names} have picked.")
    )
    return name_all(sentence, seats, tr, names, you)


def _describe_proclamation(event: Event, tr: Translator, name: str, *, is_you: bool) -> str:
    data = event.data
    if is_you and data["named"]:
        sentence = (
            tr.gettext("You proclaim {suit} at the {row} and take a token.")
            if data["token"]
            else tr.gettext("You proclaim {suit} at the {row}; no token is left there.")
        )
    elif is_you:
        sentence = (
            tr.gettext("You proclaim {suit}; the rows named are full, so at the {row}, and take a token.")
            if data["token"]
            else tr.gettext(
                "You proclaim {suit}; the rows named are full, so at the {row}, where no token is left."
            )
        )
    elif data["named"]:
        sentence = (
            tr.gettext("{name} proclaims {suit} at the {row} and takes a token.")
            if data["token"]
            else tr.gettext("{name} proclaims {suit} at the {row}; no token is left there.")
        )
    else:
        sentence = (
            tr.gettext(
                "{name} proclaims {suit}; the rows named are full, so at the {row}, and takes a token."
            )
            if data["token"]
            else tr.gettext(
                "{name} proclaims {suit}; the rows named are full, so at the {row}, where no token is left."
            )
        )
    return sentence.format(name=name, suit=name_suit(str(data["suit"]), tr), row=_name_row(data["row"], tr))


def _describe_score(event: Event, tr: Translator, names: Sequence[str]) -> str:
    data = event.data
    counts = zip(names, _list(data["points"]), _list(data["gems"]), _list(data["tokens"]), strict=True)
    shares = [
        tr.gettext("{name} {points} (gems {gems}, tokens {tokens})").format(
            name=name, points=points, gems=gems, tokens=tokens
        )
        for name, points, gems, tokens in counts
    ]
    return tr.gettext("Round {round}, {piece}, is counted: {shares}.").format(
        round=data["round"], piece=_name_piece(event, tr), shares=", ".join(shares)
    )


def _name_piece(event: Event, tr: Translator) -> str:
    return name_piece(str(event.data["piece"]), tr)


def _name_row(row: object, tr: Translator) -> str:
    return name_row(Row(int(str(row))), tr)


def _list(numbers: object) -> Sequence[object]:
    return numbers if isinstance(numbers, Sequence) else ()
