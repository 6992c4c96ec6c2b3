"""Quay in plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.contract import Asked, Event, Seat, Translator, seat_letter
from games.prose import ask, head, list_line, name_winners, note_asked, person, say_asked, wrap
from quay.state import FIELDS, ROUNDS, SIDE, WATER, View


class Words:
    """Sentences are literals handed to `tr.gettext`, so that they can be translated."""

    def describe(self, event: Event, tr: Translator, names: Sequence[str], you: Seat | None = None) -> str:
        data: dict[str, Any] = dict(event.data)
        if event.kind == "over":
            return name_winners(data["ranks"], data["scores"], tr, names)
        if event.kind == "round":
            data["goods"] = ", ".join(_name_good(good, tr) for good in data["goods"])
            return tr.gettext("Round {round}: {goods} on the market.").format(**data)
        if event.kind == "load":
            data["good"] = _name_good(data["good"], tr)
        addressed, told = {
            "laid": (tr.gettext("You have laid a card."), tr.gettext("{name} has laid a card.")),
            "pick": (tr.gettext("You lay {card} face down."), tr.gettext("{name} lays {card} face down.")),
            "shown": (tr.gettext("You show {card}."), tr.gettext("{name} shows {card}.")),
            "load": (
                tr.gettext("You put {good} on {field}: +{gain}."),
                tr.gettext("{name} puts {good} on {field}: +{gain}."),
            ),
        }[event.kind]
        assert event.seat is not None
        return (addressed if event.seat == you else told).format(name=names[event.seat], **data)

    def describe_alike(
        self, events: Sequence[Event], tr: Translator, names: Sequence[str], you: Seat | None = None
    ) -> str | None:
        return None

    def first_turn(self, tr: Translator) -> str:
        return tr.gettext(
            "In each round everybody lays a card face down, and the highest chooses first among the goods. "
            "A good on the quay brings one point, and one more for each neighbour of its kind."
        )

    def name_verb(self, verb: str, tr: Translator) -> str:
        return {"offer": tr.gettext("lay a card"), "load": tr.gettext("load a good")}[verb]

    def prompt(self, view: View, tr: Translator, names: Sequence[str]) -> str:
        if not view.waiting:
            return wrap(name_winners(view.ranks, view.points, tr, names))
        if view.reader in view.waiting:
            if view.order:
                free = next(name for name, lying in zip(FIELDS, view.quay, strict=True) if not lying)
                texts = [f"load {good} {free}" for good in dict.fromkeys(view.market)]
                return ask(tr.gettext("Take a good and put it on a free field of the quay."), tr, texts)
            return ask(tr.gettext("Lay a card face down."), tr, [f"offer {card}" for card in view.hand])
        waiting = tr.gettext("Waiting for {names}.").format(
            names=", ".join(person(names, seat) for seat in view.waiting)
        )
        if view.pick is None:
            return wrap(waiting)
        laid = tr.gettext("Your {card} lies face down; until all have laid a card you may write another.")
        return wrap(f"{laid.format(card=view.pick)} {waiting}")

    def draw(self, view: View, tr: Translator, names: Sequence[str], asked: Asked | None = None) -> str:
        now = asked or Asked(frozenset(view.waiting))
        where = (
            tr.gettext("Quay, round {round} of {rounds}.").format(round=view.round, rounds=ROUNDS)
            if view.waiting
            else tr.gettext("Quay, the match is over.")
        )
        market = [_name_good(good, tr) for good in view.market]
        lines = [where, *say_asked(asked, tr, names), list_line(tr.gettext("Market:"), market), ""]
        lines.append("    " + "  ".join("abcdef"))
        for row in range(SIDE):
            signs = [_SIGNS.get(lying, lying[:1]) for lying in view.quay[row * SIDE : (row + 1) * SIDE]]
            lines.append(f"{row + 1}   " + "  ".join(signs))
        lines += [wrap(tr.gettext("t tea, s silk, p pepper, S salt, ~ water")), ""]
        for seat, score in enumerate(view.points):
            notes = [tr.ngettext("{score} point", "{score} points", score).format(score=score)]
            if view.shown[seat] is not None:
                notes.append(tr.gettext("has shown {card}").format(card=view.shown[seat]))
            title = head(f"{seat_letter(seat)}  {names[seat]}", tr)
            lines.append(list_line(title, [*notes, *note_asked(now, seat, tr)]))
        if view.hand:
            lines.append(list_line(tr.gettext("Your hand:"), map(str, view.hand)))
        return "\n".join(lines)


_SIGNS = {"": ".", WATER: "~", "salt": "S"}


def _name_good(good: str, tr: Translator) -> str:
    return {
        "tea": tr.gettext("tea"),
        "silk": tr.gettext("silk"),
        "pepper": tr.gettext("pepper"),
        "salt": tr.gettext("salt"),
    }[good]
