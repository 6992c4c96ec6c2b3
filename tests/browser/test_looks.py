"""Every kind of page fits phones and desktops.

With `LONG=1`, as in `make long`, screenshots of it in both widths and colour schemes are kept in `var/screenshots`, for
people to look at: they take longer than all else that is done here.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django import Settings

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.talk.say import say
from gemserver.matches.models import Match
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.browser.tables import GAMES, deal, sign_in
from tests.builders import make_user, play_to_the_end
from tests.quick import IS_LONG

pytestmark = pytest.mark.django_db(transaction=True)

SIZES = ((1280, 860), (390, 844))
SCHEMES = ("light", "dark")


def picture(page: Page, name: str, folder: Path) -> None:
    """Nothing may stick out to the side of the page in any size; take screenshots of it, if they are wanted."""
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("width => innerWidth === width", arg=width)
        for scheme in SCHEMES if IS_LONG else ():
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=folder / f"{name}-{width}-{scheme}.png", full_page=True)
        too_wide = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert too_wide <= 0, f"{name} sticks out by {too_wide} pixels at {width}"
        assert_whole_menu(page)


CUT_WORDS = """menu => [...menu.querySelectorAll("a:not(.own-name)")]
    .filter(link => link.scrollWidth > link.clientWidth || link.getBoundingClientRect().right > innerWidth)
    .map(link => link.textContent)"""


def assert_whole_menu(page: Page) -> None:
    """The site's menu could be drawn aside on phones, but nobody sees that; only one's own name may be cut."""
    menu = page.locator(".site-nav")
    hidden = menu.evaluate("menu => menu.scrollWidth - menu.clientWidth")
    assert hidden <= 0, f"{hidden} pixels of the menu are out of sight"
    assert menu.evaluate(CUT_WORDS) == []


@pytest.fixture
def folder(settings: Settings) -> Path:
    path: Path = settings.VAR_DIR / "screenshots"
    path.mkdir(parents=True, exist_ok=True)
    return path


@pytest.mark.parametrize("reader", ["stranger", "guest", "player"])
def test_the_whole_menu_is_seen_on_a_phone_in_every_language(
    window: BrowserContext, live_server: object, embedded: Settings, reader: str
) -> None:
    page = window.new_page()
    if reader == "player":
        ana = make_user("ana-with-a-long-name")
        sign_in(window, ana, live_server)
        deal("gem", ana, make_user("ben"))
    elif reader == "guest":
        page.goto("/")
        page.get_by_role("button", name="Play a bot at GEM", exact=True).click()
        page.wait_for_url("**/m/*/")
        deal("gem", User.objects.get(is_guest=True), make_user("ben"))
    for language in ("en", "fr", "de"):
        User.objects.update(language=language)
        page.set_extra_http_headers({"Accept-Language": language})
        for width in (360, 390):
            page.set_viewport_size({"width": width, "height": 800})
            page.goto("/")
            assert page.locator("html").get_attribute("lang") == language
            assert page.locator("#turns a").is_visible() == (reader != "stranger")
            assert_whole_menu(page)


@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_all_tabs_of_a_game_are_seen_on_a_phone_without_scripts(
    chromium: Browser, live_server: object, language: str
) -> None:
    context = chromium.new_context(
        base_url=str(live_server),
        viewport={"width": 390, "height": 844},
        java_script_enabled=False,
        extra_http_headers={"Accept-Language": language},
    )
    page = context.new_page()
    for path in ("/rules/gem/", "/games/gem/", "/games/gem/leaderboard/", "/games/gem/tutorial/"):
        page.goto(path)
        tabs = page.locator(".tabs")
        expect(tabs.locator("[aria-current]")).to_be_in_viewport(ratio=1)
        assert tabs.evaluate("tabs => tabs.scrollWidth - tabs.clientWidth") <= 0
    context.close()


SMALL_TARGETS = """places => places.map(place => (place.closest("label") || place).getBoundingClientRect())
    .filter(box => box.width < 24 || box.height < 24).map(box => `${box.width} x ${box.height}`)
    .concat(places.filter(place => place.offsetWidth < 16).map(place => place.outerHTML))"""


@pytest.mark.parametrize(
    ("path", "places"),
    [
        ("/m/{code}/", ".log li > a"),
        ("/players/", "main .rows a.muted"),
        ("/you/channels/", "main input[type=radio]"),
    ],
)
def test_what_a_finger_touches_is_large_enough(
    window: BrowserContext, live_server: object, path: str, places: str
) -> None:
    ana = make_user("ana")
    match = deal("gem", ana, make_user("ben"))
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(path.format(code=match.code))
    found = page.locator(places)
    assert found.count()
    assert found.evaluate_all(SMALL_TARGETS) == []


def test_pages_fit_phones_and_desktops_and_break_no_rule_of_ours(
    window: BrowserContext, embedded: Settings, complaints: list[str], folder: Path
) -> None:
    page = window.new_page()
    page.goto("/")
    picture(page, "home-stranger", folder)
    page.get_by_role("button", name="Play as the demo player").click()
    page.wait_for_selector("#text")
    picture(page, "match", folder)
    page.reload()  # a screenshot leaves styles of the driver behind, which htmx would copy
    code = Match.objects.get().code
    page.locator("#move .choices button").first.click()
    picture(page, "match-touched", folder)
    page.reload()
    page.locator("#move .choices button").first.click()
    page.get_by_role("button", name="Preview").click()
    page.wait_for_selector(".previewed")
    picture(page, "match-preview", folder)
    delivery.send_queued()
    letter = OutboxMessage.objects.filter(kind="turn").latest("pk").pk
    paths = {
        "home": "/",
        "ply": f"/m/{code}/ply/0/",
        "deal": f"/m/{code}/deal/",
        "rules": "/rules/gem/",
        "mail-room": "/mail-room/",
        "letter": f"/mail-room/sent/{letter}/",
        "letter-text": f"/mail-room/sent/{letter}/?show=text",
        "compose": "/mail-room/new/",
        "account": "/accounts/email/",
    }
    for name, path in paths.items():
        page.goto(path)
        picture(page, name, folder)
    assert complaints == []


@pytest.mark.parametrize("game", GAMES)
def test_a_move_that_is_built_on_the_board_fits_phones_and_desktops(
    game: str, window: BrowserContext, live_server: object, complaints: list[str], folder: Path
) -> None:
    ana, ben = make_user("ana"), make_user("ben")
    match = deal(game, ana, ben)
    long = "x" * 80
    words = f"{long} **Good luck**, I have read [the rules](https://example.org).\n\n- `{long}`\n- two"
    say(match.pk, ben, words, "1", now=clock.now())
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.goto(match.get_absolute_url())
    page.locator(".on-board a").first.focus()
    picture(page, f"board-{game}", folder)
    page.keyboard.press("Enter")
    page.wait_for_selector(".so-far")
    picture(page, f"board-{game}-begun", folder)
    assert complaints == []


def test_pages_of_the_end_and_of_strangers(
    window: BrowserContext, embedded: Settings, complaints: list[str], folder: Path
) -> None:
    page = window.new_page()
    page.goto("/")
    page.get_by_role("button", name="Play as the demo player").click()
    page.wait_for_selector("#text")
    match = play_to_the_end(Match.objects.get())
    for name, path in {
        "finished": match.get_absolute_url(),
        "deal-finished": f"/m/{match.code}/deal/",
    }.items():
        page.goto(path)
        picture(page, name, folder)
    page.locator("header summary").click()
    page.get_by_role("button", name="Sign out").click()
    for name, path in {"sign-in": "/accounts/login/", "sign-up": "/accounts/signup/"}.items():
        page.goto(path)
        picture(page, name, folder)
    assert complaints == []


def test_the_admin_works_under_our_policy(
    window: BrowserContext, embedded: Settings, complaints: list[str], folder: Path
) -> None:
    make_user("mod", is_staff=True, is_superuser=True)
    page = window.new_page()
    page.goto("/")
    page.get_by_role("button", name="Play as the demo player").click()
    page.wait_for_selector("#text")
    match = Match.objects.get()
    page.goto("/accounts/logout/")
    page.get_by_role("main").get_by_role("button", name="Sign Out").click()
    page.goto("/admin/")
    page.fill("#id_login", "mod")
    page.fill("#id_password", "password")
    page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()
    page.set_viewport_size({"width": 1280, "height": 860})
    for name, path in {
        "admin-match": f"matches/match/{match.pk}/change/",
        "admin-mail": "inbox/inboundemail/",
    }.items():
        page.goto(f"/admin/{path}")
        if IS_LONG:
            page.screenshot(path=folder / f"{name}.png", full_page=True)
    assert complaints == []


def test_on_paper_a_match_is_its_board_and_its_whole_log(window: BrowserContext, live_server: object) -> None:
    """The bar that stays in the window lay over the board of each page."""
    ana = make_user("ana")
    sign_in(window, ana, live_server)
    match = deal("gem", ana, make_user("ben"))
    page = window.new_page()
    page.set_viewport_size({"width": 700, "height": 990})
    page.emulate_media(media="print")
    page.goto(match.get_absolute_url())
    for shown in ("h1", "figure.board", "#move .question", ".players"):
        expect(page.locator(shown)).to_be_visible()
    for hidden in (".site-head", "#move-bar", ".choices", "#text", "#orders", "footer"):
        expect(page.locator(hidden).first).to_be_hidden()
    log = page.locator(".log")
    assert log.evaluate("log => log.scrollHeight <= log.clientHeight + 2")
