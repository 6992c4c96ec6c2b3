"""Gembatan in plain text: the log, the prompt and the board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from games.contract import Asked, Event, Json, Message, Seat, Translator, seat_letter
from games.gembatan.components import CODE_OF_PAIR, FLAT, SIDES, TILE_CODES
from games.gembatan.drawing import draw_maps
from games.gembatan.grid import NO_TILE, Grid, build_grid, name_point
from games.gembatan.notation import write, write_cell
from games.gembatan.scoring import count_points, rank_points
from games.gembatan.state import GemStep, Pass, Play, Point, TileStep, Trade, View, ask_at_table
from games.gembatan.turn import begin_turn, rank_steps
from games.listing import pick_examples
from games.prose import (
    ask,
    head,
    join_clauses,
    list_line,
    name_side,
    name_sides,
    name_winners,
    note_asked,
    person,
    say_asked,
    tell_passing,
    wrap,
    write_score,
)
from games.telling import PASS, Told, is_own, items, list_scores, name_player, tell

MOST_EXAMPLES = 6
"""The most steps that a prompt lists: those worth most, with different tiles and gems."""

_KINDS = {code: kind for (kind, _), code in TILE_CODES.items()}


_DRAW: Told = (Message("You draw {pieces}."), Message("{name} draws {pieces}."))
_TRADE: Told = (Message("You trade {pieces}."), Message("{name} trades {pieces}."))


def describe(event: Event, tr: Translator, names: Sequence[str], you: Seat | None = None) -> str:
    """Describe one event in one line."""
    match event.kind:
        case "play":
            return _describe_play(event.data, tr, name_player(event, names), is_you=is_own(event, you))
        case "draw" | "trade":
            told = _DRAW if event.kind == "draw" else _TRADE
            return tell(told, event, tr, names, you, {"pieces": _list_pieces(event.data, tr)})
        case "pass":
            return tell(PASS, event, tr, names, you)
        case "over":
            ending = _describe_ending(str(event.data["reason"]), tr)
            return ending.format(scores=list_scores(event, names))
        case _:
            raise ValueError(f"Gembatan has no event {event.kind!r}")


def _describe_ending(reason: str, tr: Translator) -> str:
    match reason:
        case "gems":
            return tr.gettext(
                "The gem tray is empty and somebody has no gem left. The match is over: {scores}."
            )
        case "round":
            return tr.gettext(
                "The gem tray is empty and nobody has played for a whole round. The match is over: {scores}."
            )
        case _:
            return tr.gettext("Nobody has played for three whole rounds. The match is over: {scores}.")


def _describe_play(data: Mapping[str, Json], tr: Translator, name: str, *, is_you: bool) -> str:
    points = data["points"]
    assert isinstance(points, int)
    steps = join_clauses([_describe_step(step, tr) for step in _list_mappings(data["steps"])], tr)
    sentences = [
        tr.ngettext("You score {points} point: {steps}.", "You score {points} points: {steps}.", points)
        if is_you
        else tr.ngettext(
            "{name} scores {points} point: {steps}.", "{name} scores {points} points: {steps}.", points
        )
    ]
    for line in _list_mappings(data["lines"]):
        sentence = tr.gettext("A line of {length} in {colour}.")
        sentences.append(sentence.format(colour=name_colour(str(line["colour"]), tr), length=line["length"]))
    if data["bonus"]:
        sentences.append(tr.gettext("Gembatan: {bonus} more.").format(bonus=data["bonus"]))
    sentences[0] = sentences[0].format(name=name, points=points, steps=steps)
    return " ".join(sentences)


def _describe_step(step: Mapping[str, Json], tr: Translator) -> str:
    gem = name_gem(str(step["gem"]), tr)
    side = name_side(str(step["side"]), tr)
    if "tile" in step:
        return tr.gettext("tile {tile} at {cell} facing {facing}, gem {gem} on its {side} side").format(
            tile=step["tile"],
            cell=step["cell"],
            facing=name_side(str(step["facing"]), tr),
            gem=gem,
            side=side,
        )
    return tr.gettext("gem {gem} on the {side} side of {cell}").format(gem=gem, side=side, cell=step["cell"])


def _list_pieces(data: Mapping[str, Json], tr: Translator) -> str:
    gems = [tr.gettext("gem {gem}").format(gem=gem) for gem in items(data["gems"])]
    tiles = [tr.gettext("tile {tile}").format(tile=tile) for tile in items(data["tiles"])]
    return ", ".join(gems + tiles)


def _list_mappings(value: Json) -> Sequence[Mapping[str, Json]]:
    return [item for item in items(value) if isinstance(item, Mapping)]


def describe_alike(
    events: Sequence[Event], tr: Translator, names: Sequence[str], you: Seat | None = None
) -> str | None:
    """Describe in one sentence that several seats pass."""
    seats = [event.seat for event in events if event.seat is not None]
    return tell_passing(seats, tr, names, you) if events[0].kind == "pass" else None


def first_turn(tr: Translator) -> str:
    """Introduce the game to somebody who plays for the first time."""
    return tr.gettext(
        "A turn may have several steps, and it is scored once, at its end: diagonal lines of three or more "
        "gems that share a colour count in full, whoever has laid them. Four gems in one turn bring 4 "
        "points more. Sockets that you leave empty are open to everybody after you."
    )


def name_verb(verb: str, tr: Translator) -> str:
    """Name what a move does that begins with this word of the notation; see `contract.Words`."""
    return {
        "play": tr.gettext("play"),
        "gem": tr.gettext("play"),
        "trade": tr.gettext("trade"),
        "pass": tr.gettext("pass"),
    }[verb]


def prompt(view: View, tr: Translator, names: Sequence[str]) -> str:
    """Ask the reader for a move, with what to write, or say who is waited for; at most 72 columns."""
    if view.is_over:
        return wrap(_name_winners(view, tr, names))
    if view.reader != view.turn:
        waiting = tr.gettext("Waiting for {name} to play or trade.")
        return wrap(waiting.format(name=person(names, view.turn)))
    steps = rank_steps(begin_turn(view, view.turn))
    shown = pick_examples(steps, MOST_EXAMPLES, _list_laid)
    texts = [write(Play((step,))) for step in shown]
    words, note = {}, ""
    trade = _give_example_of_trade(view)
    if steps:
        question = tr.gettext(
            "It is your turn. Lay a tile with a gem, put a gem into an empty socket, or join up to four such "
            "steps with +; every further tile must touch one that you lay in this turn."
        )
        if trade is not None:
            question += " " + tr.gettext("Or trade gems and tiles instead.")
        words = {"play": tr.gettext("play a tile"), "gem": tr.gettext("gem"), **name_sides(tr)}
        note = tr.gettext(
            "After a tile's cell comes the side that its first letter faces; the last letter of a step is "
            "the gem's side."
        )
    elif trade is not None:
        question = tr.gettext("It is your turn, but you cannot play. Trade gems or tiles.")
    else:
        question = tr.gettext("It is your turn, but you can neither play nor trade: pass.")
        texts = [write(Pass())]
    if trade is not None:
        texts.append(write(trade))
        words |= {"trade": name_verb("trade", tr), "gems": tr.gettext("gems"), "tiles": tr.gettext("tiles")}
    return ask(question, tr, texts, words, note)


def _list_laid(step: TileStep | GemStep) -> tuple[str, ...]:
    """Name the pieces that the step lays: a tile and a gem, or a gem in a socket."""
    return (step.tile, step.gem) if isinstance(step, TileStep) else ("", step.gem)


def _give_example_of_trade(view: View) -> Trade | None:
    gems = view.gem_hands[view.turn][:1] if view.gems_left else ()
    tiles = view.tile_hands[view.turn][:1] if view.tiles_left else ()
    return Trade(gems, tiles) if gems or tiles else None


def _name_winners(view: View, tr: Translator, names: Sequence[str]) -> str:
    scores = count_points(view)
    return name_winners(rank_points(scores), scores, tr, names)


def draw(view: View, tr: Translator, names: Sequence[str], asked: Asked | None = None) -> str:
    """Draw where the match stands, a map, the same in words, every seat's pieces; at most 72 columns."""
    grid = build_grid(view.tiles, view.gems)
    said = say_asked(asked, tr, names)
    asked = asked or ask_at_table(view)
    lines = [
        _headline(view, asked, tr, names),
        *said,
        wrap(
            tr.gettext(
                "Letters: R red, B blue, G green, Y yellow, P purple, O orange. A tile's letters are its sides "
                "clockwise, - is a flat one."
            )
        ),
        wrap(_explain_map(grid, tr)),
        "",
        *draw_maps(grid),
        "",
        *_list_items(tr.gettext("Gems lying:"), _list_laid_gems(grid, tr)),
        *_list_items(tr.gettext("Empty sockets:"), _list_empty_sockets(grid, tr)),
        *_list_items(tr.gettext("Cells for a tile, and what borders them:"), _list_open_cells(grid, tr)),
    ]
    scores = count_points(view)
    for seat in range(len(scores)):
        lines += ["", *_draw_seat(view, seat, scores[seat], asked, tr, names)]
    return "\n".join(lines)


def _explain_map(grid: Grid, tr: Translator) -> str:
    sentences = [
        tr.gettext(
            "Map: [] a tile, RB a gem, rb an empty socket for it, r. a red side next to an empty cell."
        )
    ]
    if any(borders[0] == borders[1] for borders in grid.empty_sockets.values()):
        sentences.append(tr.gettext("A letter twice, rr, is a socket that no gem fits."))
    sentences.append(tr.gettext("A cell is x,y; x grows east, y grows north."))
    return " ".join(sentences)


def _headline(view: View, asked: Asked, tr: Translator, names: Sequence[str]) -> str:
    counts = tr.gettext("Left in the trays: gems {gems}, tiles {tiles}.").format(
        gems=view.gems_left, tiles=view.tiles_left
    )
    if asked.is_over:
        return wrap(tr.gettext("Gembatan, the match is over.") + " " + counts)
    stand = tr.gettext("Gembatan, {name} to play.").format(name=person(names, view.turn))
    return wrap(stand + " " + counts)


def _list_items(title: str, items: Iterable[str]) -> Iterator[str]:
    """The title and a line for every item; nothing when there is none."""
    for place, item in enumerate(items):
        if place == 0:
            yield title
        yield wrap(f"   {item}", indent="      ")


def _list_laid_gems(grid: Grid, tr: Translator) -> Iterator[str]:
    places: dict[str, list[str]] = {}
    for point, gem in sorted(grid.gems.items()):
        places.setdefault(gem, []).append(write_point(point))
    for gem in sorted(places):
        yield tr.gettext("{gem}: {places}").format(
            gem=name_gem(gem, tr), places=join_clauses(places[gem], tr)
        )


def _list_empty_sockets(grid: Grid, tr: Translator) -> Iterator[str]:
    for point, borders in sorted(grid.empty_sockets.items()):
        if borders[0] == borders[1]:
            colour = name_colour(borders[0], tr)
            yield tr.gettext("{place}: {colour} twice, no gem fits").format(
                place=write_point(point), colour=colour
            )
        else:
            yield f"{head(write_point(point), tr)} {name_gem(CODE_OF_PAIR[borders], tr)}"


def _list_open_cells(grid: Grid, tr: Translator) -> Iterator[str]:
    for cell in sorted(grid.list_open_cells()):
        meets = [
            f"{name_side(side, tr)} {name_border(border, tr)}"
            for side, border in zip(SIDES, grid.borders[cell], strict=True)
            if border != NO_TILE
        ]
        yield f"{head(write_cell(cell), tr)} {', '.join(meets)}"


def _draw_seat(
    view: View, seat: Seat, score: int, asked: Asked, tr: Translator, names: Sequence[str]
) -> Iterator[str]:
    notes = []
    if seat == view.reader:
        notes.append(tr.gettext("you"))
    notes += note_asked(asked, seat, tr)
    if asked.is_over:
        notes.append(
            tr.ngettext("{points} point", "{points} points", score).format(points=write_score(score))
        )
    else:
        points = view.points[seat]
        notes.append(
            tr.ngettext("{points} point scored", "{points} points scored", points).format(points=points)
        )
        notes.append(
            tr.gettext("{score} if it ended now (each gem in hand costs 1)").format(score=write_score(score))
        )
    yield list_line(head(f"{seat_letter(seat)}  {names[seat]}", tr), notes)
    gems = [name_gem(gem, tr) for gem in view.gem_hands[seat]]
    yield list_line(tr.gettext("gems:"), gems, indent="   ")
    tiles = [f"{tile} {name_kind(_KINDS[tile], tr)}" for tile in view.tile_hands[seat]]
    yield list_line(tr.gettext("tiles:"), tiles, indent="   ")


def write_point(point: Point) -> str:
    """A socket as moves name it: `0,0 N`."""
    cell, side = name_point(point)
    return f"{write_cell(cell)} {side}"


def name_gem(gem: str, tr: Translator) -> str:
    """A gem with its colours in words: `RB red-blue`."""
    return f"{gem} {name_colour(gem[0], tr)}-{name_colour(gem[1], tr)}"


def name_border(border: str, tr: Translator) -> str:
    """A side of a tile in words: its colour, or flat."""
    return tr.gettext("flat") if border == FLAT else name_colour(border, tr)


def name_colour(letter: str, tr: Translator) -> str:
    """A colour in the reader's language."""
    return {
        "R": tr.gettext("red"),
        "B": tr.gettext("blue"),
        "G": tr.gettext("green"),
        "Y": tr.gettext("yellow"),
        "P": tr.gettext("purple"),
        "O": tr.gettext("orange"),
    }[letter]


def name_kind(kind: str, tr: Translator) -> str:
    """A kind of tile in the reader's language."""
    return {
        "corner": tr.gettext("corner"),
        "straight": tr.gettext("straight"),
        "tee": tr.gettext("tee"),
        "cross": tr.gettext("cross"),
    }[kind]
