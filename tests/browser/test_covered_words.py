"""Nothing that lies on a board, or is drawn over it, hides a word or a number of it."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext

from gemserver.accounts.models import User
from gemserver.lib import clock
from tests.browser.tables import DEAL, GAMES, sign_in
from tests.builders import is_asked, make_match, make_user, play_until
from tests.quick import size

pytestmark = pytest.mark.django_db(transaction=True)

LANGUAGES = ("en", "de", "fr")
POSITIONS = size(2, 5)
APART = 12
"""Plies between the positions that are looked at."""

FIND = """() => {
    const picture = document.querySelector("figure.board > svg");
    const frame = picture.getBoundingClientRect();
    const scale = picture.viewBox.baseVal.width / frame.width;
    // The ink of a text is lower and a little narrower than its box.
    const words = [...picture.querySelectorAll("text")]
        .filter(text => text.textContent.trim() && !text.closest("defs, svg[data-zoom], [data-cell]"))
        .map(text => {
            const box = text.getBoundingClientRect();
            return {
                word: text.textContent.trim(),
                x: (box.x - frame.x) * scale + 1, y: (box.y - frame.y + box.height * 0.2) * scale,
                width: box.width * scale - 2, height: box.height * scale * 0.6,
            };
        });
    const share = (box, word) => {
        const across = Math.min(box.x + box.width, word.x + word.width) - Math.max(box.x, word.x);
        const down = Math.min(box.y + box.height, word.y + word.height) - Math.max(box.y, word.y);
        return across > 1 && down > 1 ? (across * down) / (word.width * word.height) : 0;
    };
    // Two words of one line without so much as half a space between them read as one.
    const isJoined = (one, other) => {
        const [left, right] = one.x < other.x ? [one, other] : [other, one];
        return Math.abs(one.y - other.y) < 3 && right.x - left.x - left.width < 4;
    };
    const toBox = ([x, y, width, height]) => ({ x, y, width, height });
    const turned = (box, turn) => turn % 180 === 0 ? box : {
        x: box.x + (box.width - box.height) / 2, y: box.y + (box.height - box.width) / 2,
        width: box.height, height: box.width,
    };
    const edges = ({ x, y, width, height }) => [
        { x, y: y - 2, width, height: 4 }, { x, y: y + height - 2, width, height: 4 },
        { x: x - 2, y, width: 4, height }, { x: x + width - 2, y, width: 4, height },
    ];
    const covered = new Set();
    const look = (box, what, most) => {
        for (const word of words) if (share(box, word) > most) covered.add(`${what} covers ${word.word}`);
    };
    const moves = document.getElementById("moves");
    const tree = moves ? JSON.parse(moves.content.textContent) : { nodes: [], touches: [] };
    for (const [, text, , , , , laid] of tree.nodes)
        for (const [, at, turn] of laid || []) if (!at[5]) look(turned(toBox(at), turn), text, 0.05);
    for (const box of tree.touches.flat()) if (!box[5]) for (const edge of edges(toBox(box))) look(edge, "a place", 0);
    for (const mark of document.querySelectorAll("svg.marks rect:not([data-grows])")) {
        const box = toBox(["x", "y", "width", "height"].map(name => mark[name].baseVal.value));
        for (const edge of edges(box)) look(edge, "a mark", 0);
    }
    words.forEach((word, place) => {
        for (const other of words.slice(place + 1))
            if (share(word, other) > 0.03 || isJoined(word, other)) covered.add(`${word.word} over ${other.word}`);
    });
    return [...covered];
}"""


@pytest.mark.parametrize("game", GAMES)
def test_no_piece_place_or_mark_covers_a_word(
    game: str, window: BrowserContext, live_server: object, ana: User, ben: User
) -> None:
    match = make_match(game, [ana, ben], server_part=DEAL, now=clock.now())
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.set_viewport_size({"width": 1280, "height": 1300})
    for position in range(POSITIONS):
        match = play_until(
            match,
            lambda reached, least=position * APART: is_asked(ana)(reached) and reached.ply >= least,
            now=clock.now(),
        )
        for language in LANGUAGES:
            User.objects.filter(pk=ana.pk).update(language=language)
            page.goto(match.get_absolute_url())
            page.wait_for_selector(f":lang({language}) .on-board a.next")
            assert page.evaluate(FIND) == [], f"{game}, {language}, ply {match.ply}"


@pytest.mark.parametrize("game", GAMES)
def test_no_word_lies_on_another_while_others_are_asked(
    game: str, window: BrowserContext, live_server: object, ana: User, ben: User
) -> None:
    cleo = make_user("cleo-with-a-name-that-is-too-long-to-be-shown")
    match = make_match(game, [ana, ben, cleo], server_part=DEAL, now=clock.now())
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.set_viewport_size({"width": 1280, "height": 1300})
    for position in range(POSITIONS):
        match = play_until(
            match,
            lambda reached, least=position * 2 * APART: is_asked(cleo)(reached) and reached.ply >= least,
            now=clock.now(),
        )
        for language in LANGUAGES:
            User.objects.filter(pk=ana.pk).update(language=language)
            page.goto(match.get_absolute_url())
            page.wait_for_selector(f":lang({language}) figure.board > svg")
            assert page.evaluate(FIND) == [], f"{game}, {language}, ply {match.ply}"
