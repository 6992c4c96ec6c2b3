"""On a telephone every button of the bar under the board can be seen whole, in every language."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page

from gemserver.accounts.models import User
from tests.browser.tables import GAMES, deal, sign_in

pytestmark = pytest.mark.django_db(transaction=True)

CUT = """() => [...document.querySelectorAll("#move-bar button")].filter(button => {
    const box = button.getBoundingClientRect(), bar = button.parentElement.getBoundingClientRect();
    return box.width && (box.left < bar.left - 1 || box.right > bar.right + 1 || button.scrollWidth > box.width + 1);
}).map(button => button.innerText)"""


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", ["de", "en", "fr"])
def test_no_button_under_the_board_is_cut(
    window: BrowserContext, live_server: object, ana: User, ben: User, game: str, language: str
) -> None:
    User.objects.filter(pk=ana.pk).update(language=language)
    match = deal(game, ana, ben)
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(match.get_absolute_url())
    for _step in range(6):
        assert page.evaluate(CUT) == []
        choices = page.locator("form.choices button.chip:visible")
        if not choices.count():
            break
        choices.first.click()
        page.wait_for_timeout(100)
    preview(page)
    assert page.evaluate(CUT) == []


def preview(page: Page) -> None:
    page.locator("#move-bar button[name=preview]").click()
    page.locator(".preview-note").wait_for()


CUT_WORDS = """() => {
    const bar = document.querySelector("#move-bar .so-far").getBoundingClientRect();
    return [...document.querySelectorAll("#move-bar .built li, #move-bar .quick .chip")].filter(words => {
        const box = words.getBoundingClientRect();
        return box.width && (words.scrollWidth > words.clientWidth + 1 || words.scrollHeight > words.clientHeight + 2
            || box.left < bar.left - 1 || box.right > bar.right + 1 || box.bottom > bar.bottom + 1);
    }).map(words => words.innerText);
}"""


@pytest.mark.parametrize("language", ["de", "en", "fr"])
def test_no_words_of_a_long_move_are_cut_in_the_bar(
    window: BrowserContext, live_server: object, ana: User, ben: User, language: str
) -> None:
    User.objects.filter(pk=ana.pk).update(language=language)
    match = deal("gembatan", ana, ben)
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    seen = 0
    for way in range(4):  # other tiles in other places
        page.goto(match.get_absolute_url())
        for _step in range(8):
            choices = page.locator("form.choices button.chip:visible")
            if not choices.count():
                break
            choices.nth(way % choices.count()).click()
            page.wait_for_timeout(150)
            assert page.evaluate(CUT_WORDS) == []
            seen += page.locator("#move-bar .quick .chip:visible").count()
    assert seen, "choices were offered in the bar"
