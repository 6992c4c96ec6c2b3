"""Hands that make moves on the page of a match: a finger, which counts what they cost, a keyboard, and plain links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from games.contract import Choice
from games.picture import Box, Gesture
from gemserver.accounts.models import User
from gemserver.matches import prompts, replay
from gemserver.matches.actions.play.preview import find_path
from gemserver.matches.models import Match

MOST_TURNS = 8
MOST_KEYS = 200
PHONE = 600
"""A page that is narrower is touched by a finger, not by a mouse."""
LITTLE = 14
"""Pixels after which a finger carries what it touches."""
STEPS = 6

MEASURE = """async key => {
    const find = () => document.querySelector(`#board .on-board a[data-place="${key}"]`);
    const place = find();
    const box = place.querySelector("rect").getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const hit = document.elementFromPoint(x, y)?.closest("#board .on-board a");
    const part = place.closest("svg[data-zoom]");
    const whole = part && part.ownerSVGElement.getBoundingClientRect();
    const scale = part && whole.width / part.ownerSVGElement.viewBox.baseVal.width;
    const middle = (from, size) => (part[from].baseVal.value + part[size].baseVal.value / 2) * scale;
    return {
        x, y, size: Math.min(box.width, box.height), isFree: hit === place,
        over: document.elementFromPoint(x, y)?.outerHTML.slice(0, 90),
        floor: part && [whole.x + middle("x", "width"), whole.y + middle("y", "height")],
    };
}"""
"""Where a place is on the screen, in pixels, and whether a finger would reach it there."""

RESPOND = """key => {
    const from = performance.now();
    document.querySelector(`#board .on-board a[data-place="${key}"]`)
        .dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    document.body.getBoundingClientRect();
    return performance.now() - from;
}"""


COUNT_STOPS = """selector => {
    const stops = [...document.querySelectorAll("a, button, input, select, textarea, summary, [tabindex]")]
        .filter(stop => stop.tabIndex >= 0 && !stop.disabled && stop.checkVisibility({ visibilityProperty: true }));
    const active = document.activeElement;
    const ahead = stops.filter(stop => active.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING);
    return active.matches(selector) ? 0 : ahead.findIndex(stop => stop.matches(selector)) + 1;
}"""
"""About how often Tab is to be pressed from where the focus is; the page is asked only then whether it is there."""


def write_key(box: Box) -> str:
    """The name under which the page knows the place."""
    return " ".join([f"{number:.10g}" for number in (box.x, box.y, box.width, box.height)])


def _left(key: str) -> float:
    return float(key.split()[0])


def _row(key: str) -> tuple[str, str]:
    _, y, _, height = key.split()
    return y, height


class Pointer:
    """A finger on a phone, a mouse on a wider page."""

    def __init__(self, page: Page) -> None:
        self._mouse = page.mouse
        is_phone = (page.viewport_size or {"width": 1280})["width"] < PHONE
        self._session = page.context.new_cdp_session(page) if is_phone else None
        self._at = (0.0, 0.0)

    def press(self, x: float, y: float) -> None:
        """Come down here."""
        self._at = x, y
        if self._session:
            self._send("touchStart", (x, y))
        else:
            self._mouse.move(x, y)
            self._mouse.down()

    def move(self, x: float, y: float) -> None:
        """Go there, as slowly as a hand does."""
        for part in range(1, STEPS + 1):
            point = tuple(
                start + (end - start) * part / STEPS for start, end in zip(self._at, (x, y), strict=True)
            )
            if self._session:
                self._send("touchMove", point)
            else:
                self._mouse.move(*point)
        self._at = x, y

    def lift(self) -> None:
        """Let go."""
        if self._session:
            self._send("touchEnd")
            self._session.detach()
        else:
            self._mouse.up()

    def _send(self, kind: str, *points: Sequence[float]) -> None:
        assert self._session is not None
        touches = [{"x": x, "y": y} for x, y in points]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})


@dataclass
class Costs:
    """The touches, scrolls and waits that the moves of a match cost their player."""

    moves: int = 0
    taps: int = 0
    scrolls: int = 0
    covered: list[str] = field(default_factory=list)
    """The places that a finger could not reach without scrolling."""
    carried: int = 0
    """Touches that the same finger made without being lifted: it carried a piece there, or went along a row."""
    drags: int = 0
    """Times that the enlarged part of a large board was moved."""
    late: int = 0
    """Touches of places that were still being fetched."""
    smallest: float = 1000.0
    """Pixels of the smallest place that was touched."""
    waits: list[float] = field(default_factory=list)
    """Milliseconds from each touch to what it shows."""

    @property
    def taps_a_move(self) -> float:
        """The number of times that a finger comes down for a move, *Play* included."""
        return self.taps / max(self.moves, 1)

    @property
    def taps_a_move_uncarried(self) -> float:
        return (self.taps + self.carried) / max(self.moves, 1)

    @property
    def slowest(self) -> float:
        """Milliseconds within which 95 of 100 touches show what they do."""
        waits = sorted(self.waits)
        return waits[int(len(waits) * 0.95)] if waits else 0

    def say(self) -> str:
        return (
            f"{self.moves} moves, {self.taps_a_move:.2f} taps a move ({self.taps_a_move_uncarried:.2f} if nothing "
            f"is carried), {self.scrolls} scrolls, "
            f"{self.drags} times moved, {self.late} not fetched yet, "
            f"smallest {self.smallest:.0f} px, 95 of 100 touches within {self.slowest:.0f} ms"
        )


@dataclass
class Finger:
    """Plays for one user on an open page, by touching only."""

    page: Page
    match: Match
    user: User
    costs: Costs = field(default_factory=Costs)
    takes_shortcuts: bool = True
    """True if a button of the move bar is taken that stands for several touches."""
    carries: bool = False
    """True if a piece is carried to its place, and pieces beside each other are taken in one go."""
    _picture: Any = None
    """The board before the move that is being made."""
    _last: str = ""
    _made: set[str] = field(default_factory=set)
    _later: list[str] = field(default_factory=list)
    """The touches that follow the step that is being made."""

    def make(self, text: str) -> None:
        """Make this legal move, *Play* included."""
        self.costs.moves += 1
        self.match = Match.objects.get(pk=self.match.pk)
        self._picture = self._lay_out()
        path = ["", *(choice.text for choice in self._find_path(text))]
        self._made = set()
        steps = [(begun, step, self._list_touches(begun, step)) for begun, step in pairwise(path)]
        for number, (begun, step, touches) in enumerate(steps):
            self._later = [key for later in steps[number + 1 :] for key in later[2]]
            self._make_step(begun, step)
            self._made |= {*touches}
        assert self.written == text, f"{self.written} instead of {text}"
        self._tap("#move-bar button[name=play]")

    @property
    def written(self) -> str:
        return self.page.locator("#text").input_value()

    def _find_path(self, text: str) -> list[Choice]:
        seat = self.match.seats.get(user=self.user).index
        position = prompts.position_to_answer(self.match, replay.position(self.match), seat)
        return find_path(self.match.rules, position, seat, text)

    def _make_step(self, begun: str, text: str) -> None:
        """Touch what makes this step; a piece that can be turned is touched again until it lies as it should."""
        gesture = self._find_gesture(begun, text)
        if gesture is None:
            if not self._is_made(text):
                self._tap(f'#move-bar .quick button[value="{text}"]')
            return
        quick = self.page.locator(f'#move-bar .quick button[value="{text}"]')
        if self.takes_shortcuts and len(gesture.touches) > 1 and quick.count():
            self._tap(f'#move-bar .quick button[value="{text}"]')
            return
        wanted = self._list_touches(begun, text)
        for place, key in enumerate(wanted):
            self._last = key
            if not self._is_chosen(key):
                self._touch(key, [*wanted[place + 1 :], *self._later])
        for extra in self._list_proposed(text, wanted):
            if self._is_chosen(extra):
                self._touch(extra)
        for _ in range(MOST_TURNS):
            if gesture.touches or self._is_made(text):
                return
            self._turn()

    def _turn(self) -> None:
        self._touch(self._last)

    def _list_touches(self, begun: str, text: str) -> list[str]:
        gesture = self._find_gesture(begun, text)
        return [write_key(touch[0]) for touch in (gesture.touches if gesture else ())]

    def _is_chosen(self, key: str) -> bool:
        return self.page.locator(f'.on-board a.chosen[data-place="{key}"]').count() > 0

    def _list_proposed(self, text: str, wanted: Sequence[str]) -> list[str]:
        """The places that the page has chosen by itself beyond what this step wants."""
        if self._is_made(text) or self.written in text:
            return []
        chosen = self.page.locator(".on-board a.chosen").evaluate_all(
            "all => all.map(one => one.dataset.place)"
        )
        return [key for key in chosen if key not in self._made and key not in wanted]

    def _is_made(self, text: str) -> bool:
        return f"{self.written} ".startswith(f"{text} ")

    def _lay_out(self) -> Any:
        seats = self.match.read_seats()
        reader = self.match.seats.get(user=self.user)
        position = replay.position(self.match)
        view = self.match.rules.view(position, reader.index)
        asked = prompts.find_asked(self.match, position)
        return self.match.layout.layout(view, [seat.name for seat in seats], asked)

    def _find_gesture(self, begun: str, text: str) -> Gesture | None:
        return self.match.layout.find_gesture(self._picture, begun, text)

    def _touch(self, key: str, then: Sequence[str] = ()) -> None:
        """Touch this place, and with the finger still down those of `then` that it can go on to."""
        place = self.page.locator(f'#board .on-board a[data-place="{key}"]')
        if not place.count():
            self.costs.late += 1
            place.wait_for(state="attached")
        found: dict[str, Any] = self.page.evaluate(MEASURE, key)
        if not found["isFree"] and found["floor"]:
            self._move_board(found["floor"], (found["x"], found["y"]))
            found = self.page.evaluate(MEASURE, key)
        if not found["isFree"]:
            self.costs.scrolls += 1
            self.costs.covered.append(f"{key} of {self.written!r}: {found}")
        self.costs.smallest = min(self.costs.smallest, found["size"])
        self.costs.taps += 1
        if self.carries and then and "carries" in (place.get_attribute("class") or ""):
            self._carry(key, (found["x"], found["y"]), then)
        else:
            self.costs.waits.append(self.page.evaluate(RESPOND, key))

    def _carry(self, key: str, start: tuple[float, float], then: Sequence[str]) -> None:
        pointer = Pointer(self.page)
        pointer.press(*start)
        pointer.move(start[0], start[1] - LITTLE)
        rest = [later for later in then if not self._is_chosen(later)]
        run = self._find_run(key, rest)
        to = run or [later for later in rest[:1] if self._is_next(later) and _row(later) != _row(key)]
        target = self.page.evaluate(MEASURE, to[-1]) if to else {"isFree": False}
        if target["isFree"]:
            pointer.move(target["x"], target["y"])
            self.costs.carried += len(to)
        pointer.lift()
        expect(
            self.page.locator(f'.on-board a.chosen[data-place="{to[-1] if target["isFree"] else key}"]')
        ).to_be_attached()

    def _find_run(self, key: str, then: Sequence[str]) -> list[str]:
        """The first of `then` that stand beside the place, without another one between that can be touched."""
        row = self._list_row(key)
        rightwards = [place for place in row if _left(place) > _left(key)]
        leftwards = [place for place in reversed(row) if _left(place) < _left(key)]
        runs = [
            [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(then, side, strict=False))]
            for side in (rightwards, leftwards)
        ]
        return max(runs, key=len)

    def _list_row(self, key: str) -> list[str]:
        """The places to touch in the row of this one, from left to right."""
        places: list[str] = self.page.locator(".on-board a.next").evaluate_all(
            "all => all.map(one => one.dataset.place)"
        )
        return sorted([place for place in places if _row(place) == _row(key)], key=_left)

    def _is_next(self, key: str) -> bool:
        return self.page.locator(f'.on-board a.next[data-place="{key}"]').count() > 0

    def _move_board(self, middle: Sequence[float], place: Sequence[float]) -> None:
        """Drag the enlarged part of the board until the place is in its middle."""
        self.costs.drags += 1
        pointer = Pointer(self.page)
        pointer.press(*middle)
        pointer.move(2 * middle[0] - place[0], 2 * middle[1] - place[1])
        pointer.lift()

    def _tap(self, selector: str) -> None:
        self.costs.taps += 1
        self.page.locator(selector).click()


@dataclass
class Keyboard(Finger):
    """Plays with Tab, Enter and R alone."""

    def _turn(self) -> None:
        self.page.keyboard.press("r")

    def _touch(self, key: str, then: Sequence[str] = ()) -> None:
        self._tap(f'#board .on-board a[data-place="{key}"]')

    def _tap(self, selector: str) -> None:
        self.page.locator(selector).first.wait_for(state="attached")
        for _ in range(self.page.evaluate(COUNT_STOPS, selector)):
            self.page.keyboard.press("Tab")
        for _ in range(MOST_KEYS):
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                self.page.keyboard.press("Enter")
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{selector} cannot be reached with Tab")


@dataclass
class Links(Finger):
    """Plays without JavaScript: by links on the board where there are some, else by buttons."""

    def _make_step(self, begun: str, text: str) -> None:
        links = self.page.locator(".on-board a")
        begins = [
            link
            for link in links.all()
            if parse_qs(urlsplit(link.get_attribute("href")).query)["move"] == [text]
        ]
        button = self.page.locator(f'.choices button[value="{text}"]')
        (begins[0].locator("rect").first if begins else button).click()
