"""Jewellers in plain text: the log, the prompt and the board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice

from games.contract import Asked, Event, Json, Message, Seat, Translator, seat_letter
from games.jewellers.bidding import beating_sets
from games.jewellers.components import (
    COLOURS,
    GEM_VALUE,
    GEMS,
    JUNCTIONS,
    SILVER_POINTS,
    SIZES,
    TOUCHED,
    VALUES,
)
from games.jewellers.names import name_colour, name_gem, name_silver, name_size
from games.jewellers.notation import write
from games.jewellers.scoring import Tally, rank_seats_now, score_seats_now, tally_seats
from games.jewellers.state import (
    Bid,
    Cards,
    Draw,
    Pass,
    Phase,
    Place,
    Stay,
    UpTo,
    View,
    ask_at_table,
    gem_number,
    highest_total,
    leading_total,
    must_open,
    takes_part,
)
from games.prose import ask, head, list_line, name_winners, note_asked, person, say_asked, tell_passing, wrap
from games.telling import PASS, Told, items, tell, tell_end

MOST_BIDS = 6
"""The most bids that a prompt lists; the question names the highest total."""


_TOLD: Mapping[str, Told] = {
    "draw": (
        Message("You draw gem {number}: {gem}, worth {value}."),
        Message("{name} draws gem {number}: {gem}, worth {value}."),
    ),
    "bid": (
        Message("You add {cards} and offer {total}."),
        Message("{name} adds {cards} and offers {total}."),
    ),
    "pass": PASS,
    "sold": (
        Message("You buy the gem ({gem}) and discard {cards}."),
        Message("{name} buys the gem ({gem}) and discards {cards}."),
    ),
    "tower": (
        Message("You put the silver on junction {junction} ({squares})."),
        Message("{name} puts the silver on junction {junction} ({squares})."),
    ),
    "stay": (
        Message("You leave the silver on junction {junction}."),
        Message("{name} leaves the silver on junction {junction}."),
    ),
    "silver": (
        Message("You get the {piece} with it, worth {points}."),
        Message("{name} gets the {piece} with it, worth {points}."),
    ),
}
"""By kind of event."""


def describe(event: Event, tr: Translator, names: Sequence[str], you: Seat | None = None) -> str:
    """One sentence for one event."""
    words = _name_things(event.data, tr)
    match event.kind:
        case "over":
            return tell_end(event, tr, names)
        case "unsold":
            return tr.gettext("Nobody bids: the gem ({gem}) leaves the game unsold.").format(**words)
        case _:
            return tell(_TOLD[event.kind], event, tr, names, you, words)


def _name_things(data: Mapping[str, Json], tr: Translator) -> dict[str, object]:
    """The data of an event, with the things in the reader's words and what they are worth."""
    words: dict[str, object] = dict(data)
    if "gem" in data:
        gem = str(data["gem"])
        words |= {"gem": name_gem(gem, tr), "value": GEM_VALUE[gem]}
    if "cards" in data:
        words["cards"] = " ".join([str(card) for card in items(data["cards"])])
    if "junction" in data:
        words["squares"] = _squares(str(data["junction"]), tr)
    if "piece" in data:
        piece = int(str(data["piece"]))
        words |= {"piece": name_silver(piece, tr), "points": SILVER_POINTS[piece]}
    return words


def describe_alike(
    events: Sequence[Event], tr: Translator, names: Sequence[str], you: Seat | None = None
) -> str | None:
    """Describe in one sentence that several seats pass."""
    seats = [event.seat for event in events if event.seat is not None]
    return tell_passing(seats, tr, names, you) if events[0].kind == "pass" else None


def first_turn(tr: Translator) -> str:
    """Introduce the game to somebody who plays for the first time."""
    return tr.gettext(
        "Cards with which you win a gem are gone for good, and every card left in your hand at the end is 1 "
        "point, whatever its number: one high card is cheaper than two low ones. Look at what the gems bring "
        "together before you bid on one alone. Your bid may name a limit: then the server adds as few cards "
        "as it takes, and no more than you said."
    )


def name_verb(verb: str, tr: Translator) -> str:
    """Name what a move does that begins with this word of the notation; see `contract.Words`."""
    return {
        "draw": tr.gettext("draw a gem"),
        "bid": tr.gettext("bid"),
        "up": tr.gettext("bid"),
        "pass": tr.gettext("pass"),
        "silver": tr.gettext("place the silver"),
    }[verb]


def prompt(view: View, tr: Translator, names: Sequence[str]) -> str:
    """Ask the reader for a move, with what to write, or say who is waited for; at most 72 columns."""
    if view.phase is Phase.OVER:
        return wrap(name_winners(rank_seats_now(view), score_seats_now(view), tr, names))
    if view.reader != view.turn:
        return wrap(_say_waiting(view, tr, person(names, view.turn)))
    match view.phase:
        case Phase.DRAW:
            return _ask_for_size(view, tr)
        case Phase.BID:
            return _ask_for_bid(view, tr)
        case _:
            return _ask_for_junction(view, tr)


def _ask_for_size(view: View, tr: Translator) -> str:
    question = tr.gettext(
        "You start this round: choose the size of the next gem. Its colour is left to chance; the board "
        "lists what is still in the bag."
    )
    sizes = [size for size, left in zip(SIZES, view.bag, strict=True) if left]
    words = {"draw": name_verb("draw", tr), **{size: name_size(size, tr) for size in sizes}}
    return ask(question, tr, [write(Draw(size)) for size in sizes], words)


def _ask_for_bid(view: View, tr: Translator) -> str:
    seat, lead = view.turn, leading_total(view)
    down, most = sum(view.table[seat]), sum(view.table[seat]) + sum(view.hands[seat])
    texts = [write(Bid(cards)) for cards in islice(_list_cheapest(view, seat), MOST_BIDS)]
    if must_open(view, seat):
        question = tr.gettext(
            "You start this round and have to bid: put down one card or more. All your cards make {most}."
        ).format(most=most)
    elif view.leader is None:
        question = tr.gettext(
            "Nobody has bid yet. Put down one card or more, or pass. All your cards make {most}."
        ).format(most=most)
    elif not texts:
        question = tr.gettext(
            "The leading total is {lead}. All your cards make {most}, so you must pass."
        ).format(lead=lead, most=most)
    else:
        question = tr.gettext(
            "The leading total is {lead}. You have {down} on the table: add cards to beat it, or pass. All "
            "your cards make {most}."
        ).format(lead=lead, down=down, most=most)
    note, words = "", {}
    if texts:
        note = tr.gettext(
            "After “bid” come the cards that you add. After “up to” comes the highest total that you go to, "
            "with the cards on the table; no more is added than is needed."
        )
        words["bid"] = name_verb("bid", tr)
        texts.append(write(UpTo(min(lead + max(view.hands[seat]), most))))
    if not must_open(view, seat):
        texts.insert(0, write(Pass()))
        words["pass"] = name_verb("pass", tr)
    return ask(question, tr, texts, words, note)


def prompt_order(view: View, tr: Translator, names: Sequence[str]) -> str:
    """Ask the reader for an order for the present auction at sealed pace; at most 72 columns."""
    seat = view.reader
    assert seat is not None, "a spectator orders nothing"
    hand, most = view.hands[seat], highest_total(view, seat)
    question = tr.gettext(
        "Sealed auction: all write orders for it at once, and nobody sees the others' before all are in; "
        "then the auction is held. “up to” bids for you, as little as possible and within your limit. A bid "
        "with cards is made once: when somebody goes higher, you pass. All your cards make {most}."
    ).format(most=most)
    if must_open(view, seat):
        question += " " + tr.gettext("You start this round and cannot pass at first.")
    else:
        question += " " + tr.gettext("{name} bids first.").format(name=person(names, view.turn))
    limits = dict.fromkeys([hand[0], max(hand), (hand[0] + most) // 2, most])
    texts = [f"{write(UpTo(limit))} else {write(Pass())}" for limit in sorted(limits)]
    words = {"else": tr.gettext("else"), "pass": name_verb("pass", tr)}
    return ask(question, tr, texts if must_open(view, seat) else [*texts, write(Pass())], words)


def _list_cheapest(view: View, seat: Seat) -> Iterator[Cards]:
    """Yield the preferred cards for every total that the seat can reach now."""
    for _, sets in groupby(beating_sets(view, seat), key=sum):
        yield next(sets)


def _ask_for_junction(view: View, tr: Translator) -> str:
    examples = [write(Place(junction)) for junction in JUNCTIONS[::5]]
    how = tr.gettext(
        "A junction has the letter of the column on its left ({columns}) and the lower value of its rows "
        "({rows})."
    ).format(columns=", ".join(COLOURS[:-1]), rows=", ".join(str(value) for value in VALUES[:-1]))
    words = {"silver": name_verb("silver", tr)}
    if view.phase is Phase.PLACE:
        question = tr.gettext(
            "Before the first gem is drawn, put the silver tower on a junction of four squares."
        )
        return ask(f"{question} {how}", tr, examples, words)
    question = tr.gettext(
        "You got the top of the silver tower. Move the rest to any junction, or leave it on {junction}."
    ).format(junction=view.tower)
    words["stay"] = tr.gettext("stay")
    return ask(f"{question} {how}", tr, [write(Stay()), *examples], words)


def _say_waiting(view: View, tr: Translator, name: str) -> str:
    match view.phase:
        case Phase.DRAW:
            return tr.gettext("Waiting for {name} to draw a gem.").format(name=name)
        case Phase.BID:
            return tr.gettext("Waiting for {name} to bid.").format(name=name)
        case _:
            return tr.gettext("Waiting for {name} to place the silver.").format(name=name)


def draw(view: View, tr: Translator, names: Sequence[str], asked: Asked | None = None) -> str:
    """Draw where the match stands, the auction, the bag, the silver, every seat's things; at most 72 columns."""
    lines = [wrap(_headline(view, tr), "   "), *say_asked(asked, tr, names)]
    asked = asked or ask_at_table(view)
    if view.phase is Phase.BID and (view.leader is not None or not asked.is_sealed):
        lines.append(list_line(tr.gettext("Auction:"), _list_calls(view, tr, names)))
    if any(view.bag):
        lines.append(tr.gettext("Still in the bag:"))
        lines += [
            list_line(head(name_size(size, tr), tr), _show_colours(size, colours, tr), indent="   ")
            for size, colours in zip(SIZES, view.bag, strict=True)
        ]
    if view.tower is not None:
        lines.append(wrap(_show_tower(view, tr), "   "))
    unsold = [name_gem(sale.gem, tr) for sale in view.sales if sale.buyer is None]
    if unsold:
        lines.append(list_line(tr.gettext("Unsold:"), unsold))
    for seat, tally in enumerate(tally_seats(view)):
        lines += ["", *_draw_seat(view, seat, tally, asked, tr, names)]
    return "\n".join(lines)


def _headline(view: View, tr: Translator) -> str:
    match view.phase:
        case Phase.OVER:
            return tr.gettext("Jewellers, the match is over.")
        case Phase.BID if view.gem is not None:
            headline = (
                tr.gettext("Jewellers, gem {number} of {total}: {gem}, worth {value}, with a silver piece.")
                if view.tower is not None and view.gem in TOUCHED[view.tower]
                else tr.gettext("Jewellers, gem {number} of {total}: {gem}, worth {value}.")
            )
            return headline.format(
                number=gem_number(view),
                total=len(GEMS),
                gem=name_gem(view.gem, tr),
                value=GEM_VALUE[view.gem],
            )
        case Phase.DRAW:
            return tr.gettext("Jewellers, gem {number} of {total} is drawn next.").format(
                number=gem_number(view), total=len(GEMS)
            )
        case _:
            return tr.gettext("Jewellers, before gem {number} of {total} the silver is placed.").format(
                number=gem_number(view), total=len(GEMS)
            )


def _list_calls(view: View, tr: Translator, names: Sequence[str]) -> Iterator[str]:
    """The seats of the auction in bidding order, the starter first."""
    seats = len(view.hands)
    for place in range(seats):
        seat = (view.starter + place) % seats
        name, total = person(names, seat), sum(view.table[seat])
        if not takes_part(view, seat):
            yield tr.gettext("{name} has no cards").format(name=name)
        elif seat in view.passed:
            yield tr.gettext("{name} has passed").format(name=name)
        elif seat == view.leader:
            yield tr.gettext("{name} leads with {total}").format(name=name, total=total)
        elif total:
            yield tr.gettext("{name} offers {total}").format(name=name, total=total)
        else:
            yield tr.gettext("{name} has not bid").format(name=name)


def _show_colours(size: str, colours: Sequence[str], tr: Translator) -> Iterable[str]:
    return [f"{name_colour(colour, tr)} {GEM_VALUE[colour + size[0]]}" for colour in colours]


def _show_tower(view: View, tr: Translator) -> str:
    """Describe the silver tower: its place, its pieces from the top, and the undrawn gems that bring the top one."""
    junction = str(view.tower)
    pieces = [name_silver(piece, tr) for piece in range(len(view.silver), len(SILVER_POINTS))]
    drawn = {sale.gem for sale in view.sales}
    waiting = [name_gem(gem, tr) for gem in GEMS if gem in TOUCHED[junction] and gem not in drawn]
    sentence = (
        tr.gettext(
            "Silver on junction {junction} ({squares}): {pieces}. The next buyer of one of these gets the "
            "first: {gems}."
        )
        if waiting
        else tr.gettext("Silver on junction {junction} ({squares}): {pieces}. No gem can bring it any more.")
    )
    return sentence.format(
        junction=junction,
        squares=_squares(junction, tr),
        pieces=", ".join(pieces),
        gems=", ".join(waiting),
    )


def _squares(junction: str, tr: Translator) -> str:
    """The four squares around a junction: `ruby and emerald, 3 and 4`."""
    column, row = COLOURS.index(junction[0]), VALUES.index(int(junction[1:]))
    return tr.gettext("{left} and {right}, {low} and {high}").format(
        left=name_colour(COLOURS[column], tr),
        right=name_colour(COLOURS[column + 1], tr),
        low=VALUES[row],
        high=VALUES[row + 1],
    )


def _draw_seat(
    view: View, seat: Seat, tally: Tally, asked: Asked, tr: Translator, names: Sequence[str]
) -> Iterator[str]:
    notes = []
    if seat == view.reader:
        notes.append(tr.gettext("you"))
    if seat == view.starter and view.phase in (Phase.DRAW, Phase.BID):
        notes.append(tr.gettext("starts this round"))
    notes += note_asked(asked, seat, tr)
    score = tally.score()
    notes.append(tr.ngettext("{score} point", "{score} points", score).format(score=score))
    yield list_line(head(f"{seat_letter(seat)}  {names[seat]}", tr), notes)
    yield _show_cards(tr.gettext("in hand:"), view.hands[seat], tr)
    if view.table[seat]:
        yield _show_cards(tr.gettext("on the table:"), view.table[seat], tr)
    if tally.gems:
        gems = [f"{name_gem(gem, tr)} {GEM_VALUE[gem]}" for gem in tally.gems]
        yield list_line(tr.gettext("gems:"), gems, indent="   ")
    bonuses = list(_list_bonuses(tally, tr))
    if bonuses:
        yield list_line(tr.gettext("bonus:"), bonuses, indent="   ")


def _show_cards(title: str, cards: Cards, tr: Translator) -> str:
    if not cards:
        return f"   {title} -"
    total = tr.gettext("total {total}").format(total=sum(cards))
    return wrap(f"   {title} {' '.join([str(card) for card in cards])} ({total})")


def _list_bonuses(tally: Tally, tr: Translator) -> Iterator[str]:
    for gems, points in tally.combinations():
        yield f"{head(' + '.join([name_gem(gem, tr) for gem in gems]), tr)} {points}"
    for piece in tally.silver:
        yield f"{head(name_silver(piece, tr), tr)} {SILVER_POINTS[piece]}"
    extra = tally.silver_points() - sum([SILVER_POINTS[piece] for piece in tally.silver])
    if extra:
        yield tr.gettext("all the silver: {points}").format(points=extra)
