"""Works out placements and rooms once more, slowly and by compass and coordinates alone.

Shares no table with the rules: cards are read from a picture of strings, rooms are merged until nothing changes.
"""

from __future__ import annotations

from games.florentine.state import Black, Square

COLUMNS = "abcdefg"
STEPS = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}
OPPOSITE = {"N": "S", "S": "N", "E": "W", "W": "E"}
BESIDE = {"N": "EW", "S": "EW", "E": "NS", "W": "NS"}
CROSS = {f"d{row}" for row in range(1, 8)} | {f"{column}4" for column in COLUMNS}

Edges = dict[str, str]


def read_square(square: Square) -> dict[str, Edges]:
    """The edges of every card on the square, by cell; the looks stand column by column."""
    names = [f"{column}{row}" for column in COLUMNS for row in range(1, 8)]
    return {
        name: dict(zip("NESW", look, strict=True)) for name, look in zip(names, square, strict=True) if look
    }


def turn(card: str, facing: str) -> Edges:
    """The edges of a card whose first letter faces that way."""
    clockwise = "NESW" * 2
    start = clockwise.index(facing)
    return {clockwise[start + place]: colour for place, colour in enumerate(card)}


def step(cell: str, side: str) -> str:
    """The name of the cell beyond that side; beyond the rim a name that no cell has."""
    right, up = STEPS[side]
    return f"{chr(ord(cell[0]) + right)}{int(cell[1]) + up}"


def may_place(cards: dict[str, Edges], edges: Edges, cell: str) -> bool:
    """Return whether a card with these edges may be put there, wherever it comes from."""
    if cell in cards:
        return False
    if not cards:
        return cell == "d4"
    for side, colour in edges.items():
        beyond = cards.get(step(cell, side))
        if beyond and beyond[OPPOSITE[side]] != colour:
            return False
    if not set(cards) >= CROSS:
        return cell in CROSS and any(step(cell, side) in cards for side in STEPS)
    across = sum(step(cell, side) in cards for side in "EW")
    upright = sum(step(cell, side) in cards for side in "NS")
    return across == 1 and upright == 1


def count_closed_gems(
    square: Square, blacks: tuple[Black | None, ...], gems: dict[str, str]
) -> dict[str, int]:
    """Count the gems in closed rooms by colour; `gems` has the colour of the gem of every card with one.

    Rooms begin as single triangles and are merged as long as two of them touch.
    """
    cards = read_square(square)
    triangles = [(cell, side) for cell in cards for side in "NESW"]
    room = {triangle: number for number, triangle in enumerate(triangles)}
    touching = [
        (one, other)
        for one in triangles
        for other in [(one[0], side) for side in BESIDE[one[1]]] + [(step(*one), OPPOSITE[one[1]])]
        if other in room and cards[one[0]][one[1]] == cards[other[0]][other[1]]
    ]
    changed = True
    while changed:
        changed = False
        for one, other in touching:
            low = min(room[one], room[other])
            if room[one] != low or room[other] != low:
                room[one] = room[other] = low
                changed = True
    shut = {(black.cell, black.edge) for black in blacks if black}
    leaking = {room[one] for one in triangles if step(*one) not in cards and one not in shut}
    counts = dict.fromkeys("rbgo", 0)
    for cell, edges in cards.items():
        clockwise = "".join(edges.values())
        for start in range(4):
            card = clockwise[start:] + clockwise[:start]
            if card in gems:
                colour = gems[card]
                side = next(side for side in "NESW" if edges[side] == colour)
                counts[colour] += room[cell, side] not in leaking
    return counts
