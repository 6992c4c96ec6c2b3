"""Carries out a turn once all have picked; paragraph numbers refer to RULES.md."""

from __future__ import annotations

from games.contract import Event, Json, Seat, Step
from games.fields import replace
from games.gemessengers.components import (
    HAND_SIZE,
    NUMBER,
    PIECES,
    PROCLAMATION,
    PROCLAMATIONS_PER_ROW,
    ROUNDS,
    ROWS,
    TOKENS_PER_ROW,
)
from games.gemessengers.knowledge import (
    know_nothing,
    note_passed,
    note_played,
    pass_on,
    remove_card,
    sort_cards,
)
from games.gemessengers.scoring import rank_scores, total_results, total_scores, value_workshop
from games.gemessengers.state import (
    Cards,
    Play,
    Proclaim,
    State,
    can_pick,
    is_finished,
    is_over,
    no_picks,
    piece_of,
)
from games.gemessengers.workshop import find_rows, put_gem


def begin_round(
    number: int, seats: int, decks: tuple[Cards, ...], results: tuple[tuple[int, ...], ...]
) -> State:
    """The first position of a round, dealt from the first of the decks (paragraphs 6 and 7)."""
    deck, *later = decks
    starts = range(0, HAND_SIZE * seats, HAND_SIZE)
    return State(
        round=number,
        turn=1,
        hands=tuple(sort_cards(deck[start : start + HAND_SIZE]) for start in starts),
        sealed=no_picks(seats),
        revealed=no_picks(seats),
        known=know_nothing(seats),
        pile=deck[HAND_SIZE * seats :],
        workshops=((),) * seats,
        guild=((),) * len(ROWS),
        tokens=(TOKENS_PER_ROW,) * len(ROWS),
        taken=(0,) * seats,
        decks=tuple(later),
        results=results,
    )


def list_unfinished(state: State) -> list[Seat]:
    """The seats that still craft, in seat order; none once the match is over."""
    return [seat for seat, workshop in enumerate(state.workshops) if not is_finished(workshop)]


def reveal_picks(state: State) -> Step[State]:
    """Carry out this turn, and after it every turn in which nobody has a card to pick (paragraph 11)."""
    events: list[Event] = []
    state = _carry_out(state, events)
    while not is_over(state) and not any(can_pick(state, seat) for seat in range(len(state.hands))):
        state = _carry_out(state, events)
    return Step(state, tuple(events))


def _carry_out(state: State, events: list[Event]) -> State:
    resting = [seat for seat, workshop in enumerate(state.workshops) if is_finished(workshop)]
    state = _place_gems(_turn_over(state), events)
    state = _place_proclamations(state, events)
    if resting:
        state = _take_tokens(state, resting, events)
    if all(map(is_finished, state.workshops)):
        return _end_round(state, events)
    state = _pass_and_draw(state)
    events.append(Event("turn", None, {"round": state.round, "turn": state.turn}))
    return state


def _turn_over(state: State) -> State:
    """Reveal every picked card, and take it out of its hand."""
    played = tuple([_name_card(state.sealed.of(seat)) for seat in range(len(state.hands))])
    return replace(
        state,
        hands=tuple(map(remove_card, state.hands, played)),
        known=note_played(state.known, played),
        sealed=no_picks(len(state.hands)),
        revealed=state.sealed,
    )


def _name_card(pick: Play | Proclaim | None) -> str:
    if pick is None:
        return ""
    return pick.gem if isinstance(pick, Play) else PROCLAMATION[pick.suit]


def _place_gems(state: State, events: list[Event]) -> State:
    """Put all gems into their workshops (paragraphs 12 to 15)."""
    workshops = list(state.workshops)
    piece = piece_of(state)
    for seat, play in enumerate(state.revealed.plays):
        if play is None:
            continue
        workshops[seat] = put_gem(workshops[seat], play.gem, play.spot)
        events.append(Event("gem", seat, {"gem": play.gem, "spot": str(play.spot)}))
        if is_finished(workshops[seat]):
            events.append(Event("finished", seat, {"piece": piece.name}))
        elif (rows := find_rows(workshops[seat], piece)) and not find_rows(state.workshops[seat], piece):
            events.append(Event("fixed", seat, {"rows": [int(row) for row in rows]}))
    return replace(state, workshops=tuple(workshops))


def _place_proclamations(state: State, events: list[Event]) -> State:
    """Put proclamations into the guild in the order of their numbers (paragraphs 16 to 19)."""
    proclaims = [(seat, proclaim) for seat, proclaim in enumerate(state.revealed.proclaims) if proclaim]
    if not proclaims:
        return state
    guild, tokens, taken = list(state.guild), list(state.tokens), list(state.taken)
    for seat, proclaim in sorted(proclaims, key=lambda one: NUMBER[one[1].suit]):
        is_named = True
        row = next((row for row in proclaim.rows if _is_open(guild[row])), None)
        if row is None:
            is_named = False
            row = next(row for row in ROWS if _is_open(guild[row]))
        guild[row] = (*guild[row], proclaim.suit)
        gains = min(tokens[row], 1)
        tokens[row] -= gains
        taken[seat] += gains
        data: dict[str, Json] = {
            "suit": proclaim.suit,
            "row": int(row),
            "token": gains == 1,
            "named": is_named,
        }
        events.append(Event("proclamation", seat, data))
    return replace(state, guild=tuple(guild), tokens=tuple(tokens), taken=tuple(taken))


def _is_open(proclaimed: Cards) -> bool:
    return len(proclaimed) < PROCLAMATIONS_PER_ROW


def _take_tokens(state: State, resting: list[Seat], events: list[Event]) -> State:
    """Give a token to each seat that had finished before this turn (paragraphs 20 to 22)."""
    totals = total_results(state)
    tokens, taken = list(state.tokens), list(state.taken)
    for seat in sorted(resting, key=lambda one: (totals[one], one)):
        most = max(tokens)
        if most == 0:
            break
        row = tokens.index(most)
        tokens[row] -= 1
        taken[seat] += 1
        events.append(Event("token", seat, {"row": row}))
    return replace(state, tokens=tuple(tokens), taken=tuple(taken))


def _pass_and_draw(state: State) -> State:
    """Pass every hand to a neighbour; then, in seat order, all draw up to six (paragraph 10)."""
    passes = piece_of(state).passes
    pile = state.pile
    hands = []
    for received in pass_on(state.hands, passes):
        missing = HAND_SIZE - len(received)
        if missing and pile:
            received = sort_cards(received + pile[:missing])
            pile = pile[missing:]
        hands.append(received)
    return replace(
        state,
        turn=state.turn + 1,
        hands=tuple(hands),
        known=note_passed(state.known, state.hands, passes),
        pile=pile,
    )


def _end_round(state: State, events: list[Event]) -> State:
    """Count the round; then deal the next one, or end the match (paragraphs 23 to 28)."""
    piece = piece_of(state)
    gems = [value_workshop(workshop, state.guild, piece) for workshop in state.workshops]
    points = tuple([value + taken for value, taken in zip(gems, state.taken, strict=True)])
    counted: dict[str, Json] = {
        "round": state.round,
        "piece": piece.name,
        "gems": gems,
        "tokens": state.taken,
        "points": points,
    }
    events.append(Event("score", None, counted))
    results = (*state.results, points)
    if len(results) == ROUNDS:
        over = replace(state, results=results)
        scores = total_scores(over)
        events.append(Event("over", None, {"scores": scores, "ranks": rank_scores(scores)}))
        return over
    following = begin_round(state.round + 1, len(state.hands), state.decks, results)
    events.append(Event("round", None, {"round": following.round, "piece": PIECES[state.round].name}))
    return replace(following, revealed=state.revealed)
