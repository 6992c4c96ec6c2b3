"""Florentine Domino in plain text: the log, the prompt and the square."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from games.contract import Asked, Event, Json, Message, Seat, Translator, seat_letter
from games.florentine.components import GEM
from games.florentine.drawing import draw_square, list_cards
from games.florentine.names import name_colour, name_gem
from games.florentine.notation import write
from games.florentine.scoring import (
    count_gems,
    list_closed_rooms,
    list_walls,
    rank_seats_by_gems,
    score_seats,
)
from games.florentine.square import (
    CELLS,
    CENTRE,
    SIDES,
    list_black_edges,
    list_placements,
    open_cells,
)
from games.florentine.state import Decline, Discard, Phase, Place, View, ask_at_table
from games.listing import pick_examples
from games.prose import (
    ask,
    head,
    join_names,
    list_line,
    name_all,
    name_side,
    name_sides,
    note_asked,
    person,
    say_asked,
    wrap,
)
from games.telling import Told, is_own, items, name_player, tell, tell_end

MOST_EXAMPLES = 12
"""The most placements that a prompt lists."""


_TOLD: Mapping[str, Told] = {
    "place": (
        Message("You put {card} on {cell}, first letter facing {side}."),
        Message("{name} puts {card} on {cell}, first letter facing {side}."),
    ),
    "discard": (
        Message("You lay {card} face up in the pool."),
        Message("{name} lays {card} face up in the pool."),
    ),
    "draw": (Message("You draw {card}."), Message("{name} draws {card}.")),
    "blacks": (
        Message("No more cards fit. You begin with the black cards."),
        Message("No more cards fit. {name} begins with the black cards."),
    ),
    "black": (
        Message("You put the black card at {cell}, edge {edge}."),
        Message("{name} puts the black card at {cell}, edge {edge}."),
    ),
    "decline": (Message("You keep the black card."), Message("{name} keeps the black card.")),
}
"""By kind of event."""


def describe(event: Event, tr: Translator, names: Sequence[str], you: Seat | None = None) -> str:
    """One sentence for one event."""
    data = event.data
    match event.kind:
        case "open":
            return tr.gettext("The last card is drawn, and all hands go into the pool: {cards}.").format(
                cards=" ".join([str(card) for card in items(data["cards"])])
            )
        case "closed":
            return _describe_closed(data, tr, name_player(event, names), is_you=is_own(event, you))
        case "over":
            return tell_end(event, tr, names)
        case "place":
            words = {**data, "side": name_side(str(data["facing"]), tr)}
        case "black":
            words = {**data, "edge": name_side(str(data["edge"]), tr)}
        case _:
            words = {**data}
    return tell(_TOLD[event.kind], event, tr, names, you, words)


def _describe_closed(data: Mapping[str, Json], tr: Translator, name: str, *, is_you: bool) -> str:
    gems = data["gems"] if isinstance(data["gems"], int) else 0
    sentence = (
        tr.ngettext(
            "A {colour} room is closed: {gems} gem for you.",
            "A {colour} room is closed: {gems} gems for you.",
            gems,
        )
        if is_you
        else tr.ngettext(
            "A {colour} room is closed: {gems} gem for {name}.",
            "A {colour} room is closed: {gems} gems for {name}.",
            gems,
        )
    )
    return sentence.format(colour=name_colour(str(data["colour"]), tr), gems=gems, name=name)


def describe_alike(
    events: Sequence[Event], tr: Translator, names: Sequence[str], you: Seat | None = None
) -> str | None:
    """Describe in one sentence that several seats keep their black cards."""
    if events[0].kind != "decline":
        return None
    seats = [event.seat for event in events if event.seat is not None]
    sentence = (
        tr.gettext("{you_and_names} keep the black cards.")
        if you in seats
        else tr.gettext("{names} keep the black cards.")
    )
    return name_all(sentence, seats, tr, names, you)


def first_turn(tr: Translator) -> str:
    """Introduce the game to somebody who plays for the first time."""
    return tr.gettext(
        "Your gems count only in closed rooms of your colour: no triangle of the room may face an empty "
        "cell, or the outside of the square unless your black card shuts it. At first only the four arms of "
        "the cross grow from the centre, then the corners between them. A card that does not help you may "
        "go to the pool; once the pile is used up, everybody plays from there."
    )


def name_verb(verb: str, tr: Translator) -> str:
    """Name what a move does that begins with this word of the notation; see `contract.Words`."""
    return {
        "place": tr.gettext("place a card"),
        "discard": tr.gettext("discard"),
        "black": tr.gettext("place the black card"),
        "decline": tr.gettext("decline"),
    }[verb]


def prompt(view: View, tr: Translator, names: Sequence[str]) -> str:
    """Ask the reader for a move, with what to write, or say who is waited for; at most 72 columns."""
    if view.phase is Phase.OVER:
        return wrap(_name_winners(view, tr, names))
    if view.reader != view.turn:
        return wrap(_say_waiting(view, tr, person(names, view.turn)))
    match view.phase:
        case Phase.HANDS:
            return _ask_for_hand_card(view, tr)
        case Phase.POOL:
            question = tr.gettext("You must put a card of the pool on the square.")
            return _ask_for_placement(question, list_placements(view.square, view.pool), [], tr)
        case _:
            return _ask_for_black(view, tr)


def _ask_for_hand_card(view: View, tr: Translator) -> str:
    placements = list(list_placements(view.square, view.hand))
    if not view.square[CENTRE]:
        question = tr.gettext("You begin: put one of your cards on d4, turned as you like.")
        return _ask_for_placement(question, placements, [], tr)
    discards = [write(Discard(card)) for card in view.hand]
    if not placements:
        question = tr.gettext("None of your cards fits: lay one face up in the pool. Then you draw.")
        return ask(question, tr, discards, {"discard": name_verb("discard", tr)})
    question = tr.gettext("Put a card on the square or lay one face up in the pool. Then you draw.")
    return _ask_for_placement(question, placements, discards, tr)


def _ask_for_placement(
    question: str, placements: Iterable[Place], discards: Sequence[str], tr: Translator
) -> str:
    """Ask with placements that show different cards and cells, where there are too many."""
    shown = pick_examples([*placements], MOST_EXAMPLES, lambda move: (move.card, move.cell))
    verbs = ("place", "discard") if discards else ("place",)
    words = {verb: name_verb(verb, tr) for verb in verbs} | name_sides(tr)
    note = tr.gettext("After the cell comes the side that the card's first letter faces.")
    return ask(question, tr, [*map(write, shown), *discards], words, note)


def _ask_for_black(view: View, tr: Translator) -> str:
    colour = view.colours[view.turn]
    texts = [write(black) for black in list_black_edges(view.square, colour)]
    words = {"decline": tr.gettext("keep the black card")}
    if texts:
        words = {"black": name_verb("black", tr), **words, **name_sides(tr)}
        question = tr.gettext(
            "You may put your black card at an outer edge that is {colour}, to close a room there; or keep it."
        )
    else:
        question = tr.gettext("No outer edge is {colour}: you can only keep your black card.")
    return ask(question.format(colour=name_colour(colour, tr)), tr, [*texts, write(Decline())], words)


def _say_waiting(view: View, tr: Translator, name: str) -> str:
    match view.phase:
        case Phase.HANDS:
            return tr.gettext("Waiting for {name} to place or discard a card.").format(name=name)
        case Phase.POOL:
            return tr.gettext("Waiting for {name} to place a card of the pool.").format(name=name)
        case _:
            return tr.gettext("Waiting for {name} to lay or keep the black card.").format(name=name)


def _name_winners(view: View, tr: Translator, names: Sequence[str]) -> str:
    scores = score_seats(view.colours, view.square, view.blacks)
    winners = [names[seat] for seat, rank in enumerate(rank_seats_by_gems(scores)) if rank == 1]
    if len(winners) == 1:
        return tr.ngettext(
            "The match is over. {name} wins with {score} gem.",
            "The match is over. {name} wins with {score} gems.",
            max(scores),
        ).format(name=winners[0], score=max(scores))
    return tr.ngettext(
        "The match is over. {names} share the victory with {score} gem.",
        "The match is over. {names} share the victory with {score} gems.",
        max(scores),
    ).format(names=join_names(winners, tr), score=max(scores))


def draw(view: View, tr: Translator, names: Sequence[str], asked: Asked | None = None) -> str:
    """Draw where the match stands, the seats, the cards, the square as a picture and in words; 72 columns."""
    lines = [wrap(_headline(view, tr)), *say_asked(asked, tr, names)]
    asked = asked or ask_at_table(view)
    scores = score_seats(view.colours, view.square, view.blacks)
    lines += [_draw_seat(view, seat, scores[seat], asked, tr, names) for seat in range(len(scores))]
    if view.hand:
        lines.append(list_line(tr.gettext("Your hand:"), [_show_card(card, tr) for card in view.hand]))
    if view.pool:
        lines.append(list_line(tr.gettext("Pool:"), [_show_card(card, tr) for card in view.pool]))
    if any(view.square):
        placing = view.phase in (Phase.HANDS, Phase.POOL)
        lines += ["", *draw_square(view.square, view.blacks, show_open=placing), ""]
    lines.append(wrap(_explain_picture(view, tr)))
    if view.phase in (Phase.HANDS, Phase.POOL):
        lines.append(list_line(tr.gettext("Free cells:"), _list_free_cells(view, tr)))
    if rooms := list(_list_rooms(view, tr, names)):
        lines += ["", tr.gettext("Closed rooms with gems:"), *rooms]
    if any(view.square):
        lines += ["", tr.gettext("Cards on the square:"), *list_cards(view.square, tr)]
    return "\n".join(lines)


def _headline(view: View, tr: Translator) -> str:
    laid = sum([1 for look in view.square if look])
    match view.phase:
        case Phase.HANDS:
            return tr.gettext("Florentine Domino. Cards on the square: {laid}, in the pile: {pile}.").format(
                laid=laid, pile=view.pile_size
            )
        case Phase.POOL:
            return tr.gettext("Florentine Domino, all cards lie open. Cards on the square: {laid}.").format(
                laid=laid
            )
        case Phase.BLACK:
            return tr.gettext("Florentine Domino, the black cards. Cards on the square: {laid}.").format(
                laid=laid
            )
        case _:
            return tr.gettext("Florentine Domino, the match is over. Cards on the square: {laid}.").format(
                laid=laid
            )


def _draw_seat(view: View, seat: Seat, score: int, asked: Asked, tr: Translator, names: Sequence[str]) -> str:
    colour = view.colours[seat]
    notes = [
        tr.gettext("{colour} (gem: {gem})").format(colour=name_colour(colour, tr), gem=name_gem(colour, tr))
    ]
    if seat == view.reader:
        notes.append(tr.gettext("you"))
    notes += note_asked(asked, seat, tr)
    notes.append(tr.ngettext("{score} gem closed", "{score} gems closed", score).format(score=score))
    if size := view.hand_sizes[seat]:
        notes.append(tr.ngettext("{count} card in hand", "{count} cards in hand", size).format(count=size))
    if black := view.blacks[seat]:
        edge = name_side(black.edge, tr)
        notes.append(tr.gettext("black card at {cell} {edge}").format(cell=black.cell, edge=edge))
    return list_line(head(f"{seat_letter(seat)}  {names[seat]}", tr), notes)


def _show_card(card: str, tr: Translator) -> str:
    """A card that is not laid, and its gem behind the two letters where it lies: `rgoo (oo: lapis lazuli)`."""
    gem = GEM[card]
    return f"{card} ({head(2 * gem, tr)} {name_gem(gem, tr)})" if gem else card


def _explain_picture(view: View, tr: Translator) -> str:
    sentences = [tr.gettext("Letters: r red, b blue, g green, o ochre, clockwise on each card; north is up.")]
    if any(GEM[card] for card in (*view.hand, *view.pool)):
        sentences.append(tr.gettext("In brackets: a card's gem, and the letters between which it lies."))
    if any(view.square):
        sentences.append(
            tr.gettext(
                "Capital letters belong to closed rooms. A * in the middle is a gem, of the colour that stands at "
                "two neighbouring edges."
            )
        )
        if view.phase in (Phase.HANDS, Phase.POOL):
            sentences.append(tr.gettext("Names of cells stand where a card may go."))
    if any(view.blacks):
        sentences.append(tr.gettext("A # is a black card."))
    return " ".join(sentences)


def _list_free_cells(view: View, tr: Translator) -> Iterator[str]:
    """List the open cells and the colours that they ask for, in words."""
    for cell, need in open_cells(view.square).items():
        wanted = [
            f"{name_side(side, tr)} {name_colour(colour, tr)}"
            for side, colour in zip(SIDES, need, strict=True)
            if colour != "."
        ]
        yield f"{CELLS[cell]} ({' '.join(wanted)})" if wanted else CELLS[cell]


def _list_rooms(view: View, tr: Translator, names: Sequence[str]) -> Iterator[str]:
    for colour, room in list_closed_rooms(view.square, list_walls(view.blacks), view.colours):
        gems = count_gems(view.square, room)
        cells = sorted({triangle // 4 for triangle in room})
        title = tr.ngettext(
            "{colour}, {gems} gem for {name}:", "{colour}, {gems} gems for {name}:", gems
        ).format(colour=name_colour(colour, tr), gems=gems, name=person(names, view.colours.index(colour)))
        yield list_line(title, [CELLS[cell] for cell in cells], indent="   ")
