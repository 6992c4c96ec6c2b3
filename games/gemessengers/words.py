"""Gemessengers in plain text: the log, the prompt and the board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from games.contract import Asked, Event, Seat, Translator, seat_letter
from games.gemessengers.components import HAND_SIZE, ROUNDS, ROW_NAMES, SUIT_NAMES, Row
from games.gemessengers.log_words import describe_event, describe_picks
from games.gemessengers.naming import (
    name_guild_row,
    name_hand,
    name_pick,
    name_piece,
    name_row,
    name_spot,
    name_suit,
)
from games.gemessengers.notation import write
from games.gemessengers.picking import list_open_rows
from games.gemessengers.scoring import rank_scores, total_scores
from games.gemessengers.state import (
    ROW_SPOTS,
    Move,
    Play,
    Proclaim,
    Spot,
    View,
    is_finished,
    is_over,
    piece_of,
)
from games.gemessengers.workshop import count_gems, find_rows, list_possible_rows, list_spots
from games.prose import explain_moves, head, list_line, list_moves, name_winners, person, say_asked, wrap

INDENT = "   "


def describe(event: Event, tr: Translator, names: Sequence[str], you: Seat | None = None) -> str:
    """One sentence for one event."""
    return describe_event(event, tr, names, you)


def describe_alike(
    events: Sequence[Event], tr: Translator, names: Sequence[str], you: Seat | None = None
) -> str | None:
    """Describe in one sentence that several seats have picked."""
    return describe_picks(events, tr, names, you) if events[0].kind == "picked" else None


def first_turn(tr: Translator) -> str:
    """Introduce the game to somebody who plays for the first time."""
    return tr.gettext(
        "Everybody picks one card at once, and then the hands go on: what you leave, your neighbour gets. A "
        "gem is worth 4 when its proclamation lies alone in the same row of the guild, less when there are "
        "more of them, otherwise 1. Your rows may slide up and down until they can lie in one way only, so "
        "begin where most is left open."
    )


def name_verb(verb: str, tr: Translator) -> str:
    """Name what a move does that begins with this word of the notation; see `contract.Words`."""
    return {
        "play": tr.gettext("play a gem"),
        "proclaim": tr.gettext("proclaim"),
    }[verb]


def prompt(view: View, tr: Translator, names: Sequence[str]) -> str:
    """Ask the reader for a move, with what to write, or say who is waited for; at most 72 columns."""
    if is_over(view):
        return wrap(_name_winners(view, tr, names))
    waiting = [person(names, seat) for seat in _list_waiting(view)]
    if view.reader is None or not _picks(view, view.reader):
        sentence = tr.gettext("Waiting for a pick of: {names}.").format(names=", ".join(waiting))
        if view.reader is not None and is_finished(view.workshops[view.reader]):
            finished = tr.gettext(
                "Your {piece} is finished: you pass your hand and take a token in every turn, without a move."
            ).format(piece=name_piece(piece_of(view).name, tr))
            sentence = f"{finished} {sentence}"
        return wrap(sentence)
    if view.pick is not None:
        sentence = tr.gettext(
            "Your pick lies sealed: {pick}. You may change it until everybody has picked: write another move. "
            "Waiting for: {names}."
        ).format(pick=name_pick(view.pick, tr), names=", ".join(waiting))
        return "\n".join([wrap(sentence), _list_hand(view, tr)])
    return _ask_for_pick(view, view.reader, tr)


def _ask_for_pick(view: View, reader: Seat, tr: Translator) -> str:
    spots = list_spots(count_gems(view.workshops[reader]), piece_of(view).capacities)
    pick = (
        tr.gettext("Pick a card. Your first gem needs no place.")
        if Spot.FIRST in spots
        else tr.gettext("Pick a card and say where it goes.")
    )
    sealed = tr.gettext("All picks stay sealed until everybody has picked.")
    lines = [wrap(f"{pick} {sealed}"), _list_hand(view, tr)]
    if Spot.FIRST not in spots:
        named = [_name_spot(view, reader, spot, tr) for spot in spots]
        lines.append(list_line(tr.gettext("A gem can go:"), named, end="."))
    opened = list_open_rows(view.guild)
    if any(len(card) > 1 for card in view.hand):
        lines.append(
            list_line(
                tr.gettext("A proclamation can go to (name several in order of preference):"),
                [name_row(row, tr) for row in opened],
                end=".",
            )
        )
    examples = list(_list_examples(view, reader))
    lines += list_moves(tr, map(write, examples))
    lines += explain_moves(tr, _name_words(examples, tr), _explain_rows(view, reader, tr))
    return "\n".join(lines)


def _explain_rows(view: View, reader: Seat, tr: Translator) -> str:
    """Say how the rows of the reader's piece are named in moves; nothing before the first gem."""
    workshop = view.workshops[reader]
    if not workshop:
        return ""
    if find_rows(workshop, piece_of(view)):
        return tr.gettext("Row 1 is your top row; a row's name (headstone, decoration, base) is read too.")
    return tr.gettext(
        "Row 1 is your top row; “above” makes a new row 1. Names of rows (headstone, decoration, base) are read "
        "once yours are settled."
    )


def _name_words(examples: Sequence[Move], tr: Translator) -> dict[str, str]:
    """Name the words of the notation that stand in these moves, by the word."""
    words: dict[str, str] = {}
    for move in examples:
        match move:
            case Play(gem, spot):
                words["play"] = name_verb("play", tr)
                words[SUIT_NAMES[gem]] = name_suit(gem, tr)
                if spot in ROW_SPOTS:
                    words["row"] = tr.gettext("row")
                elif spot is not Spot.FIRST:
                    words[spot.value] = name_spot(spot, tr)
            case Proclaim(suit, rows):
                words["proclaim"] = name_verb("proclaim", tr)
                words[SUIT_NAMES[suit]] = name_suit(suit, tr)
                words |= {ROW_NAMES[row]: name_row(row, tr) for row in rows}
    return words


def _list_examples(view: View, reader: Seat) -> Iterator[Move]:
    """List every spot with the first gem, one spot with every other gem, every proclamation to one row or two."""
    spots = list_spots(count_gems(view.workshops[reader]), piece_of(view).capacities)
    cards = list(dict.fromkeys(view.hand))
    gems = [card for card in cards if len(card) == 1]
    for gem in gems:
        for spot in spots if gem == gems[0] else spots[:1]:
            yield Play(gem, spot)
    opened = list_open_rows(view.guild)
    for card in cards[len(gems) :]:
        yield Proclaim(card[1], opened[:1])
        if len(opened) > 1:
            yield Proclaim(card[1], opened[::-1][:2])


def _name_spot(view: View, reader: Seat, spot: Spot, tr: Translator) -> str:
    if spot is Spot.ABOVE:
        return tr.gettext("above the top row")
    if spot is Spot.BELOW:
        return tr.gettext("below the bottom row")
    place = ROW_SPOTS.index(spot)
    gems = ", ".join([name_suit(gem, tr) for gem in view.workshops[reader][place]])
    return tr.gettext("row {row} (beside {gems})").format(row=place + 1, gems=gems)


def _list_hand(view: View, tr: Translator) -> str:
    return list_line(tr.gettext("Your hand:"), name_hand(view.hand, tr), end=".")


def _picks(view: View, seat: Seat) -> bool:
    """Return whether the seat takes part in this turn."""
    return view.hand_sizes[seat] > 0 and not is_finished(view.workshops[seat])


def _list_waiting(view: View) -> list[Seat]:
    return [seat for seat in range(len(view.workshops)) if _picks(view, seat) and not view.has_picked[seat]]


def _name_winners(view: View, tr: Translator, names: Sequence[str]) -> str:
    scores = total_scores(view)
    return name_winners(rank_scores(scores), scores, tr, names)


def draw(view: View, tr: Translator, names: Sequence[str], asked: Asked | None = None) -> str:
    """Draw where the match stands, the guild, the last turn, every seat's workshop; at most 72 columns."""
    lines = [wrap(_headline(view, tr)), *say_asked(asked, tr, names), *_draw_table(view, tr, names)]
    was_ended = asked is not None and asked.is_over
    revealed = [
        tr.gettext("{name}: {pick}").format(name=person(names, seat), pick=name_pick(pick, tr))
        for seat in range(len(names))
        if (pick := view.revealed.of(seat))
    ]
    if revealed:
        lines.append(tr.gettext("Revealed last:"))
        lines += [wrap(INDENT + line, indent=INDENT * 2) for line in revealed]
    scores = total_scores(view)
    for seat in range(len(view.workshops)):
        lines += ["", *_draw_seat(view, seat, scores[seat], tr, names, was_ended=was_ended)]
    return "\n".join(lines)


def _headline(view: View, tr: Translator) -> str:
    piece = piece_of(view)
    if is_over(view):
        return tr.gettext("Gemessengers, the match is over. The last round, {piece}:").format(
            piece=name_piece(piece.name, tr)
        )
    return tr.gettext("Gemessengers, round {round} of {rounds} ({piece}), turn {turn}.").format(
        round=view.round, rounds=ROUNDS, piece=name_piece(piece.name, tr), turn=view.turn
    )


def _draw_table(view: View, tr: Translator, names: Sequence[str]) -> Iterator[str]:
    """The pattern, the passing, the draw pile and the guild."""
    piece = piece_of(view)
    sizes = [
        tr.gettext("{row} {count}").format(row=name_row(row, tr), count=piece.capacities[row]) for row in Row
    ]
    yield list_line(tr.gettext("Gems in each row of the piece:"), sizes)
    if not is_over(view):
        passing = (
            tr.gettext("Hands go to the left, {first} to {second}.")
            if piece.passes > 0
            else tr.gettext("Hands go to the right, {first} to {second}.")
        )
        first = 0 if piece.passes > 0 else 1
        pile = tr.ngettext(
            "The draw pile has {count} card.", "The draw pile has {count} cards.", view.pile_size
        ).format(count=view.pile_size)
        said = passing.format(first=person(names, first), second=person(names, 1 - first))
        yield wrap(f"{said} {pile}")
    yield tr.gettext("Guild:")
    for row in Row:
        line = name_guild_row(row, view.guild[row], view.tokens[row], tr)
        yield wrap(INDENT + line, indent=INDENT * 2)


def _draw_seat(
    view: View, seat: Seat, score: int, tr: Translator, names: Sequence[str], *, was_ended: bool
) -> Iterator[str]:
    notes = _list_notes(view, seat, score, tr, was_ended=was_ended)
    yield list_line(head(f"{seat_letter(seat)}  {names[seat]}", tr), notes)
    workshop, piece = view.workshops[seat], piece_of(view)
    rows = find_rows(workshop, piece)
    for place, gems in enumerate(workshop):
        if rows:
            where = name_row(rows[place], tr)
        else:
            possible = [name_row(row, tr) for row in list_possible_rows(workshop, piece, place)]
            where = tr.gettext("{rows}, not settled").format(rows=tr.gettext(" or ").join(possible))
        title = tr.gettext("row {row} ({where}):").format(row=place + 1, where=where)
        yield list_line(title, [name_suit(gem, tr) for gem in gems], indent=INDENT)
    if not workshop:
        yield INDENT + tr.gettext("no gem yet")
    if is_over(view):
        return
    if seat == view.reader:
        yield list_line(tr.gettext("your hand:"), name_hand(view.hand, tr), indent=INDENT)
        return
    size = view.hand_sizes[seat]
    if view.known[seat]:
        title = tr.ngettext(
            "{count} card, of which you have passed on:", "{count} cards, of which you have passed on:", size
        ).format(count=size)
        yield list_line(title, name_hand(view.known[seat], tr), indent=INDENT)
    elif size != HAND_SIZE:
        yield INDENT + tr.ngettext("{count} card in hand", "{count} cards in hand", size).format(count=size)


def _list_notes(view: View, seat: Seat, score: int, tr: Translator, *, was_ended: bool) -> Iterator[str]:
    if seat == view.reader:
        yield tr.gettext("you")
    if not is_over(view) and not was_ended:
        if is_finished(view.workshops[seat]):
            yield tr.gettext("finished")
        elif view.has_picked[seat]:
            yield tr.gettext("has picked")
        elif _picks(view, seat):
            yield tr.gettext("still to pick")
        else:
            yield tr.gettext("no card to pick")
    taken = view.taken[seat]
    yield tr.ngettext("{count} token", "{count} tokens", taken).format(count=taken)
    if view.results:
        rounds = " + ".join([str(result[seat]) for result in view.results])
        yield tr.ngettext(
            "{score} point (rounds: {rounds})", "{score} points (rounds: {rounds})", score
        ).format(score=score, rounds=rounds)
    else:
        yield tr.ngettext("{score} point", "{score} points", score).format(score=score)
