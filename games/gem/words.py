"""GEM in plain text: the log, the prompt and the board."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from games.contract import Asked, Event, Json, Message, Seat, Translator, seat_letter
from games.gem.components import COST, DAYS, JEWELS, VALUE
from games.gem.notation import write
from games.gem.payment import cheapest_payment, jewel_cards, total_cost, worth
from games.gem.scoring import count_jewels, rank_active, score_active
from games.gem.state import Invest, Phase, Pieces, Take, View, ask_at_table, leading_bid
from games.prose import (
    ask,
    head,
    list_line,
    name_all,
    name_winners,
    note_asked,
    person,
    say_asked,
    tell_passing,
    wrap,
)
from games.telling import PASS, Told, tell, tell_end

MOST_EXAMPLES = 8
"""The most bids that a prompt lists; the question names the highest."""


_TOLD: Mapping[str, Told] = {
    "bid": (Message("You bid {amount}."), Message("{name} bids {amount}.")),
    "pass": PASS,
    "won": (Message("You win the auction at {bid}."), Message("{name} wins the auction at {bid}.")),
    "auction": (
        Message("Day {day}, auction {auction}: you are the Oya."),
        Message("Day {day}, auction {auction}: {name} is the Oya."),
    ),
    "investments": (
        Message("Day {day}, investments: you begin."),
        Message("Day {day}, investments: {name} begins."),
    ),
    "invest": (
        Message("You activate {cards} and pay {pay}."),
        Message("{name} activates {cards} and pays {pay}."),
    ),
    "keep": (Message("You activate nothing."), Message("{name} activates nothing.")),
    "day": (
        Message("Day {day} begins: all coins are active again, you are the Oya. Open: {cards}."),
        Message("Day {day} begins: all coins are active again, {name} is the Oya. Open: {cards}."),
    ),
}
"""By kind of event."""

_TAKE: Mapping[tuple[bool, bool], Told] = {
    (True, True): (
        Message("You take {card} ({jewels}) and pay {pay}; it is active."),
        Message("{name} takes {card} ({jewels}) and pays {pay}; it is active."),
    ),
    (True, False): (
        Message("You take {card} ({jewels}) and pay {pay}; it is inactive."),
        Message("{name} takes {card} ({jewels}) and pays {pay}; it is inactive."),
    ),
    (False, True): (
        Message("You take {card} ({jewels}) for nothing; it is active."),
        Message("{name} takes {card} ({jewels}) for nothing; it is active."),
    ),
    (False, False): (
        Message("You take {card} ({jewels}) for nothing; it is inactive."),
        Message("{name} takes {card} ({jewels}) for nothing; it is inactive."),
    ),
}
"""For `take`, by whether something was paid, and whether the card is active then."""


def describe(event: Event, tr: Translator, names: Sequence[str], you: Seat | None = None) -> str:
    """One sentence for one event."""
    if event.kind == "over":
        return tell_end(event, tr, names)
    words = {name: _codes(value) for name, value in event.data.items()}
    if event.kind == "take":
        words["jewels"] = name_jewels(words["card"], tr)
        told = _TAKE[bool(event.data["pay"]), bool(event.data["active"])]
    else:
        told = _TOLD[event.kind]
    return tell(told, event, tr, names, you, words)


def describe_alike(
    events: Sequence[Event], tr: Translator, names: Sequence[str], you: Seat | None = None
) -> str | None:
    """Describe in one sentence that several seats pass, or activate nothing."""
    seats = [event.seat for event in events if event.seat is not None]
    match events[0].kind:
        case "pass":
            return tell_passing(seats, tr, names, you)
        case "keep":
            sentence = (
                tr.gettext("{you_and_names} activate nothing.")
                if you in seats
                else tr.gettext("{names} activate nothing.")
            )
            return name_all(sentence, seats, tr, names, you)
        case _:
            return None


def first_turn(tr: Translator) -> str:
    """Introduce the game to somebody who plays for the first time."""
    return tr.gettext(
        "A bid is paid with what is active; coins come back every day, cards that pay stay inactive until "
        "you pay for them again. Only jewels on cards that are active after the sixth day count, so keep "
        "something for the investments. Which jewels the others collect is open to see: to have most of a "
        "kind is worth 3."
    )


def name_verb(verb: str, tr: Translator) -> str:
    """Name what a move does that begins with this word of the notation; see `contract.Words`."""
    return {
        "bid": tr.gettext("bid"),
        "pass": tr.gettext("pass"),
        "take": tr.gettext("take a card"),
        "invest": tr.gettext("invest"),
        "keep": tr.gettext("keep"),
    }[verb]


def prompt(view: View, tr: Translator, names: Sequence[str]) -> str:
    """Ask the reader for a move, with what to write, or say who is waited for; at most 72 columns."""
    if view.phase is Phase.OVER:
        return wrap(name_winners(rank_active(view.active), score_active(view.active), tr, names))
    if view.reader != view.turn:
        return wrap(_say_waiting(view, tr, person(names, view.turn)))
    purse = view.active[view.turn]
    lead = leading_bid(view.calls)
    match view.phase:
        case Phase.BID:
            return _ask_for_bid(view, tr, worth(purse), lead)
        case Phase.TAKE:
            question = tr.gettext(
                "You win the auction at {bid}: take one open card and pay with active coins or cards worth "
                "{bid} or more. No change is given, and no piece may be superfluous."
            ).format(bid=lead)
            pay = cheapest_payment(purse, lead)
            words = {"take": name_verb("take", tr), "pay": tr.gettext("pay with")}
            return ask(question, tr, [write(Take(card, pay)) for card in view.open], words)
        case _:
            return _ask_for_investment(view, tr, view.turn, purse)


def prompt_order(view: View, tr: Translator, names: Sequence[str]) -> str:
    """Ask the reader for an order for the present contest at sealed pace; at most 72 columns."""
    seat = view.reader
    assert seat is not None, "a spectator orders nothing"
    purse = view.active[seat]
    if view.phase is Phase.INVEST:
        everybody = tr.gettext("All invest at once, and nobody sees the others' orders before all are in.")
        return f"{wrap(everybody)}\n{_ask_for_investment(view, tr, seat, purse)}"
    if seat == view.oya:
        question = tr.gettext(
            "Sealed auction: all write their bid at once, and nobody sees the others' before all are in. You "
            "are the Oya and bid first; a pass counts as 0. Your pieces are worth {most}."
        ).format(most=worth(purse))
        return _ask_for_amount(question, tr, 0, worth(purse))
    question = tr.gettext(
        "Sealed auction: all write their bid at once, and nobody sees the others' before all are in. "
        "Clockwise from {oya}, who is the Oya, a bid that does not beat the highest one becomes a pass. Your "
        "pieces are worth {most}."
    ).format(oya=person(names, view.oya), most=worth(purse))
    return _ask_for_amount(question, tr, max(leading_bid(view.calls), 0) + 1, worth(purse), "pass")


def _ask_for_bid(view: View, tr: Translator, most: int, lead: int) -> str:
    if not view.calls:
        question = tr.gettext(
            "You are the Oya and open the auction. You cannot pass; your pieces are worth {most}."
        ).format(most=most)
        return _ask_for_amount(question, tr, 0, most)
    if most <= lead:
        question = tr.gettext(
            "The leading bid is {lead}; your pieces are worth {most}, so you must pass."
        ).format(lead=lead, most=most)
    else:
        question = tr.gettext(
            "The leading bid is {lead}. Bid more, once, or pass; your pieces are worth {most}."
        ).format(lead=lead, most=most)
    return _ask_for_amount(question, tr, lead + 1, most, "pass")


def _ask_for_amount(question: str, tr: Translator, least: int, most: int, *other: str) -> str:
    """Ask for a bid from the least to the most, or for another call."""
    bids = [f"bid {amount}" for amount in range(least, most + 1)][:MOST_EXAMPLES]
    verbs = [*other, "bid"] if bids else other
    return ask(question, tr, [*other, *bids], {verb: name_verb(verb, tr) for verb in verbs})


def _ask_for_investment(view: View, tr: Translator, seat: Seat, purse: Pieces) -> str:
    question = tr.gettext(
        "You may activate inactive cards now. Their costs are paid together, with active coins or cards, "
        "which become inactive; only active cards score."
    )
    affordable = [card for card in jewel_cards(view.inactive[seat]) if COST[card] <= worth(purse)]
    examples = [write(Invest((card,), cheapest_payment(purse, COST[card]))) for card in affordable]
    everything = jewel_cards(view.inactive[seat])
    if len(affordable) > 1 and total_cost(everything) <= worth(purse):
        examples.append(write(Invest(everything, cheapest_payment(purse, total_cost(everything)))))
    words = {"keep": tr.gettext("activate nothing")}
    if examples:
        words |= {"invest": tr.gettext("activate cards"), "pay": tr.gettext("pay with")}
    return ask(question, tr, ["keep", *examples], words)


def _say_waiting(view: View, tr: Translator, name: str) -> str:
    match view.phase:
        case Phase.BID:
            return tr.gettext("Waiting for {name} to bid.").format(name=name)
        case Phase.TAKE:
            return tr.gettext("Waiting for {name} to take a card and pay.").format(name=name)
        case _:
            return tr.gettext("Waiting for {name} to invest.").format(name=name)


def draw(view: View, tr: Translator, names: Sequence[str], asked: Asked | None = None) -> str:
    """Draw where the match stands, the open cards, the auction, every seat's pieces; at most 72 columns."""
    lines = [_headline(view, tr), *say_asked(asked, tr, names)]
    asked = asked or ask_at_table(view)
    if view.open:
        lines += [tr.gettext("Open cards:"), *(wrap(_show_card(card, tr), "      ") for card in view.open)]
    if view.pile_sizes:
        sizes = [
            tr.gettext("day {day}: {count}").format(day=view.day + 1 + place, count=count)
            for place, count in enumerate(view.pile_sizes)
        ]
        lines.append(list_line(tr.gettext("Cards still to come:"), sizes))
    goes_on = bool(asked.seats) and not asked.is_sealed
    if view.phase in (Phase.BID, Phase.TAKE) and (view.calls or goes_on):
        calls = _list_calls(view, tr, names, with_coming=goes_on)
        lines.append(list_line(tr.gettext("Auction:"), calls))
    scores = score_active(view.active)
    for seat in range(len(view.active)):
        lines += ["", *_draw_seat(view, seat, scores[seat], asked, tr, names)]
    return "\n".join(lines)


def _headline(view: View, tr: Translator) -> str:
    match view.phase:
        case Phase.BID | Phase.TAKE:
            return tr.gettext("GEM, day {day} of {days}, auction {auction}.").format(
                day=view.day, days=DAYS, auction=view.auction
            )
        case Phase.INVEST:
            return tr.gettext("GEM, day {day} of {days}, investments.").format(day=view.day, days=DAYS)
        case _:
            return tr.gettext("GEM, the match is over.")


def _list_calls(view: View, tr: Translator, names: Sequence[str], *, with_coming: bool) -> Iterable[str]:
    """List the calls, the Oya first; `with_coming` adds the seats that are still to call."""
    for place in range(len(view.active)):
        name = person(names, (view.oya + place) % len(view.active))
        if place >= len(view.calls):
            if with_coming:
                yield tr.gettext("{name} is still to call").format(name=name)
        elif (amount := view.calls[place]) is None:
            yield tr.gettext("{name} has passed").format(name=name)
        else:
            yield tr.gettext("{name} offers {amount}").format(name=name, amount=amount)


def _draw_seat(
    view: View, seat: Seat, score: int, asked: Asked, tr: Translator, names: Sequence[str]
) -> Iterable[str]:
    notes = []
    if seat == view.reader:
        notes.append(tr.gettext("you"))
    if seat == view.oya and view.phase in (Phase.BID, Phase.TAKE):
        notes.append(tr.gettext("Oya"))
    notes += note_asked(asked, seat, tr)
    notes.append(tr.ngettext("{score} point", "{score} points", score).format(score=score))
    yield list_line(head(f"{seat_letter(seat)}  {names[seat]}", tr), notes)
    active, inactive = view.active[seat], view.inactive[seat]
    title = tr.gettext("active (worth {worth}):").format(worth=worth(active))
    yield list_line(title, [_show_active(piece, tr) for piece in active], indent="   ")
    if inactive:
        spent = [_show_inactive(piece, tr) for piece in inactive]
        is_own = seat == view.reader
        title = tr.gettext("inactive (pay and score nothing):") if is_own else tr.gettext("inactive:")
        yield list_line(title, spent, indent="   ")
    jewels = [f"{name_kind(kind, tr)} {count}" for kind, count in count_jewels(active).items() if count]
    if jewels:
        yield list_line(tr.gettext("active jewels:"), jewels, indent="   ")


def _show_card(card: str, tr: Translator) -> str:
    text = tr.gettext("{card}  {jewels}, value {value}, cost {cost}")
    return "   " + text.format(card=card, jewels=name_jewels(card, tr), value=VALUE[card], cost=COST[card])


def _show_active(piece: str, tr: Translator) -> str:
    if piece not in JEWELS:
        return tr.gettext("coin {coin}").format(coin=piece)
    text = tr.gettext("{card} value {value}")
    return text.format(card=_name_card(piece, tr), value=VALUE[piece])


def _show_inactive(piece: str, tr: Translator) -> str:
    if piece not in JEWELS:
        return tr.gettext("coin {coin}").format(coin=piece)
    text = tr.gettext("{card} cost {cost}")
    return text.format(card=_name_card(piece, tr), cost=COST[piece])


def _name_card(card: str, tr: Translator) -> str:
    """The code of a card, with its jewels in words."""
    return f"{card} ({name_jewels(card, tr)})"


def name_jewels(card: str, tr: Translator) -> str:
    """The jewels on a card in words: `sapphire ruby`."""
    return " ".join([name_kind(kind, tr) for kind in JEWELS[card]])


def name_kind(kind: str, tr: Translator) -> str:
    """A kind of jewel in the reader's language."""
    return {
        "S": tr.gettext("sapphire"),
        "R": tr.gettext("ruby"),
        "E": tr.gettext("emerald"),
        "A": tr.gettext("amethyst"),
        "T": tr.gettext("topaz"),
        "D": tr.gettext("diamond"),
    }[kind]


def _codes(value: Json) -> str:
    """One code or number, or several with spaces between them."""
    return str(value) if isinstance(value, str | int | None) else " ".join([str(code) for code in value])
