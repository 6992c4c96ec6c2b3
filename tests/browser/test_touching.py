"""Whole random matches of every game, played by touching the board alone; `make touch` prints what it costs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import override_settings
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from games.chance import Chance
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import replay
from gemserver.matches.boards import compiled_templates
from gemserver.matches.models import Match
from gemserver.matches.offered.offered_games import offer_games
from tests.browser.tables import DEAL, GAMES, deal, sign_in
from tests.browser.touch_figures import Figures
from tests.browser.touching import LITTLE, Finger, Keyboard, Links, Pointer
from tests.builders import make_match, play
from tests.strangers import SLUG, installed, write_game

pytestmark = pytest.mark.django_db(transaction=True)

WIDTHS = {390: 844, 1280: 800}
IS_WHOLE_SHOW = "TOUCH" in os.environ
"""`make touch` plays every game at every width; without it, a game for each hand is enough to see that it works."""
SEED = os.environ.get("SEED", "")
PART = hashlib.sha256(SEED.encode()).hexdigest() if SEED else DEAL
"""The seed of the deals and the moves; `make touch SEED=7` plays others."""
MOVES_TO_A_WIDE_BOARD = 11
"""Moves of the Gembatan match after which tiles can be laid far apart from each other."""
FETCHED_AHEAD = "**/moves/?*"
FIRST_TILE = "#board .on-board a.next.carries >> nth=0"
FIRST_PLACE = "#board .on-board svg[data-zoom] a.next >> nth=0"
SMALLEST = 39.9
"""Pixels of a place that is touched, on a phone."""
MOST_TAPS = {"gem": 2.2, "jewellers": 2.2, "gemessengers": 2.6, "florentine": 2.4, "gembatan": 4.2}
"""The most times that a finger comes down for a move, *Play* included, with pieces carried to their places."""
MOST_UNCARRIED = {"gem": 2.2, "jewellers": 2.4, "gemessengers": 3.1, "florentine": 3.2, "gembatan": 5.0}
"""The most taps for a move, *Play* included: a bid of three cards is three touches."""


@pytest.fixture(scope="module")
def figures() -> Iterator[Figures]:
    """The figures; when all of them are there, they are written into docs/performance.md."""
    measured = Figures(SEED or DEAL[:4] + "…")
    yield measured
    played = [*GAMES, SLUG]
    is_whole = all((game, width) in measured.touched for game in played for width in WIDTHS)
    if IS_WHOLE_SHOW and is_whole and len(measured.soon) == 2 * len(GAMES):
        measured.write_page()


TELL_WHEN_TOUCHABLE = """new MutationObserver((_changes, observer) => {
    if (!document.querySelector(".on-board a.next[data-place]")) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => (window.touchableAfter = performance.now()))); // they have been drawn
}).observe(document, { childList: true, subtree: true });"""


def choose_move(match: Match, part: str = PART) -> tuple[int, str]:
    """A seat that is asked, and a random move of it; the same each time for the same part."""
    state = replay.position(match)
    seat = min(match.rules.waiting_on(state))
    move = match.rules.random_move(state, seat, Chance(part, f"touching {match.ply}"))
    return seat, match.rules.write(move)


def seat_of(match: Match, user: User) -> int:
    return match.seats.get(user=user).index


def middle_of(place: Locator) -> tuple[float, float]:
    """The middle of a place of the board on the screen, in pixels."""
    box = place.locator("rect").first.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def play_whole_match(hand: Finger) -> None:
    """Play a random match, this hand's user on the page, the other one behind it."""
    match = hand.match
    while match.is_running:
        seat, text = choose_move(match)
        if match.seats.get(index=seat).user == hand.user:
            hand.page.goto(match.get_absolute_url())
            hand.make(text)
            expect(hand.page.locator("#messages .success")).to_be_visible()
        else:
            play(match, seat, text, now=clock.now())
        match = Match.objects.get(pk=match.pk)


def play_with_keys(game: str, window: BrowserContext, live_server: object, ana: User, ben: User) -> int:
    """Play a whole match with the keyboard alone; return the number of moves made."""
    match = make_match(game, [ana, ben], server_part=PART, now=clock.now())
    sign_in(window, ana, live_server)
    hand = Keyboard(window.new_page(), match, ana)
    play_whole_match(hand)
    return hand.costs.moves


def play_with_links(game: str, chromium: Browser, live_server: object, ana: User, ben: User) -> int:
    """Play a whole match without JavaScript; return the number of moves made."""
    match = make_match(game, [ana, ben], server_part=PART, now=clock.now())
    with chromium.new_context(base_url=str(live_server), java_script_enabled=False) as window:
        sign_in(window, ana, live_server)
        hand = Links(window.new_page(), match, ana)
        play_whole_match(hand)
    return hand.costs.moves


@pytest.mark.parametrize("width", WIDTHS if IS_WHOLE_SHOW else (390,))
@pytest.mark.parametrize("game", GAMES if IS_WHOLE_SHOW else ("florentine",))
def test_a_whole_match_by_touching_alone(
    game: str,
    width: int,
    window: BrowserContext,
    live_server: object,
    complaints: list[str],
    ana: User,
    ben: User,
    figures: Figures,
    capsys: pytest.CaptureFixture[str],
) -> None:
    match = make_match(game, [ana, ben], server_part=PART, now=clock.now())
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    finger = Finger(page, match, ana, carries=True)
    play_whole_match(finger)
    costs = figures.touched[game, width] = finger.costs
    with capsys.disabled():
        print(f"\n{game} at {width} px: {costs.say()}")
    if not SEED:  # the turns of other matches lay more pieces, or fewer
        assert costs.taps_a_move <= MOST_TAPS[game]
        assert costs.taps_a_move_uncarried <= MOST_UNCARRIED[game]
    assert costs.covered == []
    assert costs.smallest >= SMALLEST
    assert complaints == []


def test_a_tile_stays_turned_while_the_gem_and_its_socket_are_touched(
    window: BrowserContext, live_server: object, ana: User, ben: User
) -> None:
    """West and east both leave room for this gem in this socket."""
    match = make_match("gembatan", [ana, ben], server_part=DEAL, now=clock.now())
    text = "play RYR- 4,0 W gem RB W"
    while (random := choose_move(match, DEAL)) != (seat_of(match, ana), text):
        play(match, *random, now=clock.now())
        match = Match.objects.get(pk=match.pk)
        assert match.is_running, "this move is no longer made: choose another that can be turned"
    sign_in(window, ana, live_server)
    finger = Finger(window.new_page(), match, ana, takes_shortcuts=False)
    finger.page.goto(match.get_absolute_url())
    finger.make(text)
    expect(finger.page.locator("#messages .success")).to_be_visible()


@pytest.fixture
def held() -> Iterator[list[Route]]:
    """Requests with which the page fetches ahead, until they are let go.

    What is never answered fails another test, at the moment when Python throws it away.
    """
    routes: list[Route] = []
    yield routes
    for route in routes:
        route.abort()


@pytest.fixture
def wide_board(window: BrowserContext, held: list[Route], live_server: object, ana: User, ben: User) -> Page:
    """A page on which Ana is to lay a tile in Gembatan, at places far apart from each other."""
    match = make_match("gembatan", [ana, ben], server_part=DEAL, now=clock.now())
    while match.ply < MOVES_TO_A_WIDE_BOARD:
        play(match, *choose_move(match, DEAL), now=clock.now())
        match = Match.objects.get(pk=match.pk)
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.route(FETCHED_AHEAD, lambda route: held.append(route))
    page.goto(match.get_absolute_url())
    return page


def let_go(page: Page, held: list[Route]) -> None:
    page.wait_for_timeout(50)
    assert held, "all is fetched already: choose another position"
    with page.expect_response(FETCHED_AHEAD):
        held.pop().continue_()
    page.wait_for_timeout(50)


def carry_first_tile(page: Page) -> Pointer:
    """Take up the first tile of the hand that can be laid."""
    pointer = Pointer(page)
    x, y = middle_of(page.locator(FIRST_TILE))
    pointer.press(x, y)
    pointer.move(x, y - 2 * LITTLE)
    return pointer


def test_places_lie_on_the_part_of_the_board_that_is_shown(wide_board: Page) -> None:
    carry_first_tile(wide_board)
    layers = wide_board.locator("#board svg[data-zoom]")
    shown = layers.evaluate_all("all => all.map(one => one.getAttribute('viewBox'))")
    assert len(shown) > 1
    assert len(set(shown)) == 1


def test_the_board_stays_where_it_is_under_a_piece_that_is_carried(
    wide_board: Page, held: list[Route]
) -> None:
    """The answer to what was fetched ahead comes while the finger is on its way."""
    pointer = carry_first_tile(wide_board)
    socket = wide_board.locator(FIRST_PLACE)
    key, aim = socket.get_attribute("data-place"), middle_of(socket)
    let_go(wide_board, held)
    assert middle_of(wide_board.locator(f'#board .on-board a[data-place="{key}"]')) == pytest.approx(aim)
    pointer.move(*aim)
    pointer.lift()
    expect(wide_board.locator(f'.on-board a.chosen[data-place="{key}"]')).to_be_attached()


def test_a_touch_counts_though_what_was_fetched_comes_while_the_finger_is_down(
    wide_board: Page, held: list[Route]
) -> None:
    wide_board.locator(FIRST_TILE).click()
    socket = wide_board.locator(FIRST_PLACE)
    key = socket.get_attribute("data-place")
    pointer = Pointer(wide_board)
    pointer.press(*middle_of(socket))
    let_go(wide_board, held)
    pointer.lift()
    expect(wide_board.locator(f'.on-board a.chosen[data-place="{key}"]')).to_be_attached()


@pytest.mark.parametrize("game", GAMES if IS_WHOLE_SHOW else ("jewellers",))
def test_a_whole_match_with_the_keyboard_alone(
    game: str,
    window: BrowserContext,
    live_server: object,
    complaints: list[str],
    ana: User,
    ben: User,
    figures: Figures,
) -> None:
    figures.keys[game] = play_with_keys(game, window, live_server, ana, ben)
    assert complaints == []


@pytest.mark.parametrize("game", GAMES if IS_WHOLE_SHOW else ("jewellers",))
def test_a_whole_match_without_javascript(
    game: str, chromium: Browser, live_server: object, ana: User, ben: User, figures: Figures
) -> None:
    figures.links[game] = play_with_links(game, chromium, live_server, ana, ben)


@pytest.fixture(scope="module")
def as_sent(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """Settings with which static files are compressed, under names that may be kept; they have been collected."""
    backend = {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}
    given = {
        "STATIC_ROOT": tmp_path_factory.mktemp("static"),
        "STORAGES": settings.STORAGES | {"staticfiles": backend},
        "WHITENOISE_USE_FINDERS": False,
    }
    with override_settings(**given):
        call_command("collectstatic", interactive=False, verbosity=0)
    return given


@pytest.fixture
def compressing_server(as_sent: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server that sends its static files as in production."""
    monkeypatch.setattr("django.contrib.staticfiles.handlers.StaticFilesHandler", lambda handler: handler)
    with override_settings(**as_sent):
        server = LiveServer("localhost")
        yield str(server)
        server.stop()


@pytest.mark.parametrize("been_here", [True, False])
@pytest.mark.parametrize("game", GAMES if IS_WHOLE_SHOW else ("florentine",))
def test_how_soon_the_board_can_be_touched(
    game: str,
    been_here: bool,
    chromium: Browser,
    compressing_server: str,
    ana: User,
    ben: User,
    figures: Figures,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Over 1.6 Mbit/s with 150 ms there and back, on a processor four times slower.

    The figure is for `make touch`: it depends on what else the machine does.
    """
    match = deal(game, ana, ben)
    with chromium.new_context(base_url=compressing_server) as window:
        sign_in(window, ana, compressing_server)
        page = window.new_page()
        page.goto(f"/rules/{game}/" if been_here else "/robots.txt")
        session = window.new_cdp_session(page)
        session.send("Network.enable")
        slow = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 94_000}
        session.send("Network.emulateNetworkConditions", slow)
        session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
        page.add_init_script(TELL_WHEN_TOUCHABLE)
        page.goto(match.get_absolute_url(), wait_until="load")
        page.wait_for_function("window.touchableAfter")
        after = figures.soon[game, been_here] = page.evaluate("window.touchableAfter")
        place = page.locator(".on-board a.next").first
        place.dispatch_event("click")
        expect(page.locator(".on-board a.chosen").first).to_be_attached()
    with capsys.disabled():
        whom = "who has been here" if been_here else "who comes for the first time"
        print(f"\n{game} can be touched after {after:.0f} ms by one {whom}")


@pytest.fixture
def stones(tmp_path: Path, settings: Settings) -> Iterator[str]:
    """The game that `python -m games new` writes, installed beside the server."""
    with installed(write_game(tmp_path)) as slug:
        settings.GAMES = ["gem", slug]
        offer_games()
        compiled_templates.environment.cache_clear()
        yield slug
    compiled_templates.environment.cache_clear()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_strangers_game_is_touched_like_ours(
    stones: str,
    width: int,
    window: BrowserContext,
    live_server: object,
    complaints: list[str],
    ana: User,
    ben: User,
    figures: Figures,
) -> None:
    match = make_match(stones, [ana, ben], server_part=PART, now=clock.now())
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    finger = Finger(page, match, ana)
    play_whole_match(finger)
    figures.touched[stones, width] = finger.costs
    assert finger.costs.taps == 2 * finger.costs.moves, "a stone, and Play"
    assert finger.costs.covered == []
    assert complaints == []


def test_a_strangers_game_is_played_with_the_keyboard_alone(
    stones: str,
    window: BrowserContext,
    live_server: object,
    complaints: list[str],
    ana: User,
    ben: User,
    figures: Figures,
) -> None:
    figures.keys[stones] = play_with_keys(stones, window, live_server, ana, ben)
    assert complaints == []


def test_a_strangers_game_is_played_without_javascript(
    stones: str, chromium: Browser, live_server: object, ana: User, ben: User, figures: Figures
) -> None:
    figures.links[stones] = play_with_links(stones, chromium, live_server, ana, ben)
