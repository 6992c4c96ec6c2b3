"""Every kind of page follows WCAG 2.2 AA, as far as axe-core can tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.urls import URLPattern, URLResolver, get_resolver
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django import Settings

from gemserver.accounts.models import User
from gemserver.accounts.tokens import write_ticket
from gemserver.events.actions.start_season import start_season
from gemserver.events.models import Event
from gemserver.inbox import held_mail
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.lib.text.legal_texts import KINDS
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches.actions.clubs.join_club import join_club
from gemserver.matches.actions.clubs.post_news import post_news
from gemserver.matches.actions.people.make_token import make_token
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.actions.talk.say import say
from gemserver.matches.actions.talk.write_note import write_note
from gemserver.matches.models import ChatMessage, Invitation, Match
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from gemserver.puzzles.answers import answer
from gemserver.puzzles.models import StoredPuzzle
from gemserver.ratings import counting
from gemserver.study.hints import ask_hint, think_of_all
from gemserver.study.models import WhatIf
from gemserver.study.reviews import ask_review, go_on
from gemserver.study.what_if import begin_what_if
from tests.browser.tables import GAMES, deal, sign_in
from tests.builders import make_match, make_table, make_user, play_to_the_end
from tests.clubs.people import make_club, open_for, play_in
from tests.events.leagues import make_event, make_players, season_of
from tests.mailgate.letters import letter
from tests.puzzles.puzzles import pose, puzzle_of, wrong_move
from tests.quick import IS_LONG, some
from tests.ratings.rated import rate
from tests.site.lessons import taught
from tests.study.practice import practise

pytestmark = pytest.mark.django_db(transaction=True)

ALL_RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
RULES_OF_COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}


@pytest.fixture(scope="module")
def axe() -> str:
    """The script that finds violations of the standards."""
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


FIND_VIOLATIONS = """async rules =>
    (await axe.run(document, { runOnly: rules, resultTypes: ["violations"] })).violations"""
"""Only what breaks a rule is told: to list the elements that break none, and to send it here, takes longer than to
look."""


def find_faults(page: Page, axe: str, *, is_also_dark: bool = True) -> list[str]:
    """One line for each element that breaks a rule; those about colours are asked for once more in the dark."""
    faults = []
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe)
    for scheme, rules in (("light", ALL_RULES), ("dark", RULES_OF_COLOURS))[: 1 + is_also_dark]:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        violations: list[dict[str, Any]] = page.evaluate(FIND_VIOLATIONS, rules)
        faults += [
            f"{page.url} ({scheme}) {rule['id']}: {node['html'][:200]} {node['failureSummary']}"
            for rule in violations
            for node in rule["nodes"]
        ]
    return faults


NARROW = (390, 320)
"""A telephone, and a page that is enlarged to 400 % on a desk (WCAG 1.4.10), in pixels."""
STICKS_OUT = "document.documentElement.scrollWidth - innerWidth"
TWICE = """() => {
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  return [...new Set(ids.filter((id, place) => ids.indexOf(id) !== place))];
}"""

ROOM = 3
"""Pixels between two buttons, lest they look like one."""
TOUCHING = """room => {
  const buttons = [...document.querySelectorAll("main :is(button, a.button, summary.button)")].filter(
    (element) => element.checkVisibility({ visibilityProperty: true }));
  const boxes = buttons.map((element) => element.getBoundingClientRect());
  const isNear = (one, other) =>
    one.left < other.right + room && other.left < one.right + room &&
    one.top < other.bottom + room && other.top < one.bottom + room;
  return buttons.flatMap((element, place) => buttons.slice(place + 1).filter(
    (other, further) => isNear(boxes[place], boxes[place + 1 + further])
  ).map((other) => `${element.textContent.trim()} | ${other.textContent.trim()}`));
}"""


def find_misfits(page: Page) -> list[str]:
    """One line for each width of which the page sticks out to the side, for ids that stand there twice, and for buttons
    that touch."""
    faults = [f"{page.url} has the id {name} twice" for name in page.evaluate(TWICE)]
    wide = page.viewport_size
    assert wide
    for width in NARROW:
        page.set_viewport_size({"width": width, "height": wide["height"]})
        page.wait_for_function("width => innerWidth === width", arg=width)
        if (by := page.evaluate(STICKS_OUT)) > 0:
            faults.append(f"{page.url} sticks out by {by} of {width} pixels")
        faults += [f"{page.url} at {width} pixels: {pair} touch" for pair in page.evaluate(TOUCHING, ROOM)]
    page.set_viewport_size(wide)
    return faults


NO_PAGES = {
    *(
        "match-progress",
        "passkey-sign-in",
        "remove-passkey",
        "match-moves",
        "match-what-if-moves",
        "match-plies",
        "match-picture",
        "share-picture",
        "share-picture-ply",
        "share-loop",
        "tutorial-moves",
        "puzzle-moves",
        "tutorial-picture",
        "api-answer",
        "news",
        "manifest",
        "table-progress",
        "match-record",
        "archive-file",
        "results",
        "feed-calendar",
        "feed-news",
        "healthz",
        "readyz",
        "metrics",
    ),
    *("mail-room-html", "mail-room-progress", "webhook_inbound", "webhook_tracking", None),
    *(
        "demo-sign-in",
        "match-take-seat",
        "match-return",
        "match-holiday",
        "match-orders",
        "match-talk",
        "match-tune-talk",
    ),
    *(
        "match-notes",
        "match-what-if-change",
        "match-what-if-report",
        "match-sitter",
        "match-rematch",
        "table-change",
        "try-address-again",
        "unblock",
        "follow",
        "export",
        "sign-up-again",
    ),
}
"""Files, addresses for programs, a frame with a mail, and views behind buttons, which redirect to a listed page."""

ELSEWHERE = {
    *("account_inactive", "account_set_password", "account_confirm_email"),
    *(
        "account_confirm_login_code",
        "account_reset_password_from_key",
        "account_reset_password_from_key_done",
    ),
    "table-link",
}
"""allauth's pages with the same few elements as those that are checked, and a link that redirects to a table."""


@dataclass(frozen=True)
class World:
    """A server on which every kind of page has something on it; Ana is signed in."""

    ana: User
    running: Match
    table: Match
    over: Match
    reviewed: Match
    what_if: WhatIf
    practice: Match
    puzzles: list[StoredPuzzle]
    """To be solved, solved, and over."""
    invitation: Invitation
    turn: OutboxMessage
    received: InboundEmail
    held: InboundEmail
    message: ChatMessage

    def pages_of_a_player(self) -> dict[str, list[str]]:
        """Paths by the name of their address; some pages in several states."""
        running, over = f"/m/{self.running.code}/", f"/m/{self.over.code}/"
        matches, alike = Match.objects.filter(status="running", fixture=None), _matches_of_league()
        others = [f"/m/{match.code}/" for match in (*matches, *some(alike, len(alike)))]
        return {
            "home": ["/"],
            "match": [*others, over],
            "match-ply": [f"{running}ply/0/", f"{over}ply/5/"],
            "share": [f"/s/{self.over.code}/"],
            "share-ply": [f"/s/{self.over.code}/5/"],
            "match-deal": [f"{running}deal/", f"{over}deal/"],
            "match-report": [f"{running}report/", f"{running}report/?message={self.message.pk}"],
            "match-notifications": [f"{running}notifications/"],
            "match-resign": [f"{running}resign/"],
            "match-review": [f"/m/{self.over.code}/review/", f"/m/{self.reviewed.code}/review/"],
            "match-what-ifs": [f"/m/{self.over.code}/what-if/?ply=5"],
            "match-what-if": [f"/m/{self.over.code}/what-if/{self.what_if.key}/"],
            "match-what-if-move": [
                f"/m/{self.over.code}/what-if/{self.what_if.key}/{len(self.what_if.moves)}/"
            ],
            "match-hint": [f"/m/{self.practice.code}/hint/"],
            "tables": ["/tables/"],
            "substitutes": ["/tables/substitutes/"],
            "matches": ["/matches/"],
            "player": ["/players/ben/", "/players/Tin/"],
            "players": ["/players/?q=ben", "/players/?q=nobody"],
            "game": ["/games/gem/", "/games/jewellers/"],
            "leaderboard": ["/games/gem/leaderboard/"],
            "events": ["/events/"],
            "choose-event-game": ["/events/new/"],
            "new-event": ["/events/new/gem/"],
            "event": ["/events/league/", "/events/cup/"],
            "event-season": ["/events/league/1/"],
            "clubs": ["/clubs/"],
            "new-club": ["/clubs/new/"],
            "club": ["/clubs/lake/"],
            "edit-club": ["/clubs/lake/edit/"],
            "choose-game": ["/tables/new/"],
            "new-table": ["/tables/new/jewellers/"],
            "table-terms": [f"/m/{self.table.code}/terms/"],
            "table-cancel": [f"/m/{self.table.code}/cancel/", f"/m/{self.table.code}/"],
            "invitation": [f"/invitations/{self.invitation.pk}/{self.invitation.token}/"],
            "invitation-stop": [f"/invitations/{self.invitation.pk}/{self.invitation.token}/stop/"],
            "time": ["/time/"],
            "notifications": ["/notifications/"],
            "rules": ["/rules/gem/", "/rules/gembatan/"],
            "practice": ["/practice/gem/"],
            "archive": ["/archive/"],
            "puzzles": ["/puzzles/"],
            "puzzle": [each.get_absolute_url() for each in self.puzzles],
            "fair-play": ["/fair-play/"],
            "help": ["/help/"],
            "imprint": ["/imprint/"],
            "privacy": ["/privacy/"],
            "tutorial": ["/games/gem/tutorial/"],
            "tutorial-step": [
                *(f"/games/{slug}/tutorial/{taught(slug).steps[-1].name}/" for slug in GAMES),
                "/games/gem/tutorial/open/?text=pass&play=1",
                "/games/gem/tutorial/score/?text=take+TR+pay+1",
            ],
            "mail-room": ["/mail-room/"],
            "mail-room-new": ["/mail-room/new/"],
            "mail-room-letter": [f"/mail-room/sent/{self.turn.pk}/?show=text"],
            "mail-room-received": [f"/mail-room/received/{self.received.pk}/"],
            "held": [held_mail.path(self.held, self.ana.email)],
            "unsubscribe": [f"/u/{self.ana.token}/"],
            "profile": ["/you/"],
            "channels": ["/you/channels/"],
            "own-mails": ["/you/mails/"],
            "tokens": ["/you/tokens/"],
            "bots": ["/you/bots/"],
            "bot": ["/you/bots/Tin/"],
            "passkeys": ["/you/passkeys/"],
            "token-link": [f"/you/tokens/new/{write_ticket(self.ana, 'bot')}/"],
            "account_reauthenticate": ["/accounts/reauthenticate/?next=%2Fyou%2Ferase%2F"],
            "account_email": ["/accounts/email/"],
            "account_change_password": ["/accounts/password/change/"],
            "account_logout": ["/accounts/logout/"],
            "usersessions_list": ["/accounts/sessions/"],
            "not found": ["/nowhere/"],
        }

    def pages_of_a_stranger(self) -> dict[str, list[str]]:
        return {
            "home": ["/"],
            "match": [f"/m/{self.running.code}/", f"/m/{self.running.code}/?pieces"],
            "account_login": ["/accounts/login/"],
            "api": ["/api/"],
            "api-examples": ["/api/examples/"],
            "account_signup": ["/accounts/signup/"],
            "account_reset_password": ["/accounts/password/reset/"],
            "account_reset_password_done": ["/accounts/password/reset/done/"],
            "account_request_login_code": ["/accounts/login/code/"],
        }


@pytest.fixture
def world(embedded: Settings, brief_bots: None, brief_reviews: None, tmp_path: Path) -> World:
    embedded.LEGAL_DIR = str(tmp_path)
    for kind in KINDS:
        (tmp_path / f"{kind}.en.md").write_text("# Who\n\nOlga, Lane 1\n\n* Mail: olga@example.org\n")
    now = clock.now()
    ana, ben = make_user("ana"), make_user("ben")
    running, *_others = [deal(game, ana, ben) for game in GAMES]
    Authenticator.objects.create(user=ana, type=Authenticator.Type.WEBAUTHN, data={"name": "laptop"})
    _open_club(ana, ben)
    _open_events(ana, ben)
    message = say(
        running.pk, ben, "Good *luck*, see [the rules](https://example.org):\n\n- `one`\n- two", "1", now=now
    )
    say(running.pk, ana, "> yes", "2", now=now)
    write_note(running.pk, ana, "Ben likes emeralds", now=now)
    table = make_table("gembatan", seats=3, creator=ana, now=now)
    invite(table.pk, ana, "dee@example.net", now=now)
    over = play_to_the_end(make_match(players=[ana, ben], now=now), now=now)
    what_if = begin_what_if(over, ana, 5, 1, "Bid higher", now=now)
    puzzles = [pose(ago=0), pose(which=1, ago=1), pose(which=2, ago=3)]
    answer(puzzles[1], puzzle_of(puzzles[1]), ana, wrong_move(puzzles[1]), now=now - timedelta(days=1))
    practice = practise(ana)
    ask_hint(practice, ana, now=now)
    think_of_all()
    reviewed = play_to_the_end(make_match("jewellers", players=[ana, ben], now=now), now=now)
    ask_review(reviewed, ana, now=now)
    while go_on():
        pass
    counting.count_finished()
    rate(ben, over, play_to_the_end(make_match(players=[ana, ben], now=now), now=now))
    bot = open_bot(ana, "Tin", now=now)
    make_token(bot, "laptop", ["read", "play"], days=90, now=now)
    embedded.MAIL_AUTH = "normal"
    seat = running.seats.select_related("user", "match").get(user=ana)
    received = ingest(letter(seat, "status"), "ana@example.org", seat.reply_address, "smtp", {"spf": "pass"})
    stranger = letter(seat, "bid 1", sender="mallory@elsewhere.example")
    asked = ingest(stranger, "mallory@elsewhere.example", seat.reply_address, "smtp", {})
    processing.process_stored()
    delivery.send_queued()
    return World(
        ana=ana,
        running=running,
        table=table,
        over=over,
        reviewed=reviewed,
        what_if=what_if,
        practice=practice,
        puzzles=puzzles,
        invitation=Invitation.objects.get(user=None),
        turn=OutboxMessage.objects.filter(kind="turn", user=ana, state="sent").latest("pk"),
        received=received,
        held=asked,
        message=message,
    )


def _matches_of_league() -> list[Match]:
    """The matches of the league, at whose beginning all look alike to Ana."""
    return list(Match.objects.filter(status="running").exclude(fixture=None))


def _open_club(ana: User, ben: User) -> None:
    """A club with a member, somebody who asks, news, and a match of each kind."""
    club = make_club("Lake", ana, ben, is_private=False)
    join_club(club.pk, make_user("cy"), now=clock.now())
    post_news(club.pk, ana, "The summer match begins on *Friday*.", now=clock.now())
    open_for(club, ben, seats=3)
    play_in(club, ana, ben)
    play_to_the_end(play_in(club, ana, ben))


def _open_events(ana: User, ben: User) -> None:
    """A league that is played, organised by Ana, and a cup that takes entries."""
    given: dict[str, Any] = {"seats": 2, "season_days": 112, "starts_at": clock.now() + timedelta(days=7)}
    others = make_players(3)
    league = make_event(ana, [ben, *others], now=clock.now(), **given)
    start_season(season_of(league).pk, by=ana, now=clock.now())
    make_event(ana, [ben], slug="cup", name="Cup", format=Event.Format.TOURNAMENT, now=clock.now(), **given)


def names_of_addresses(resolver: URLResolver) -> Iterator[str | None]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLPattern):
            yield pattern.name
        elif str(pattern.pattern) != "admin/":  # Django's own pages, tests/browser/test_moderators_day.py
            yield from names_of_addresses(pattern)


def look_at(pages: Mapping[str, list[str]], page: Page, axe: str) -> list[str]:
    faults = []
    for number, (name, paths) in enumerate(pages.items()):
        for path in paths:
            response = page.goto(path)
            assert response is not None
            assert response.status == (404 if name == "not found" else 200), path
            assert page.url.endswith(path), f"{path} leads to {page.url}"
            faults += find_faults(page, axe, is_also_dark=IS_LONG or number % 3 == 0)
            faults += find_misfits(page)
    return faults


def look_at_translations(pages: Mapping[str, list[str]], page: Page, reader: User) -> list[str]:
    """Find the misfits in French and German, whose words are longer.

    A third of the pages in each; for `make long` all of them.
    """
    faults = []
    everything = [path for paths in pages.values() for path in paths]
    for turn, language in enumerate(("fr", "de")):
        User.objects.filter(pk=reader.pk).update(language=language)
        page.set_extra_http_headers({"Accept-Language": language})  # pages for everybody follow the browser
        for path in some(everything, 3, turn):
            page.goto(path)
            assert page.locator("html").get_attribute("lang") == language, path
            faults += [f"{fault} in {language}" for fault in find_misfits(page)]
    return faults


def test_every_kind_of_page_is_accessible(
    window: BrowserContext, live_server: object, world: World, axe: str
) -> None:
    after_a_step = {"erase", "new-passkey", "account_email_verification_sent"}
    looked_at = {*after_a_step, *world.pages_of_a_player(), *world.pages_of_a_stranger()}
    assert set(names_of_addresses(get_resolver())) - looked_at - NO_PAGES - ELSEWHERE == set()
    page = window.new_page()
    faults = look_at(world.pages_of_a_stranger(), page, axe)
    page.goto("/accounts/signup/")
    page.fill("input[name=email]", "dee@example.org")
    page.fill("input[name=username]", "dee")
    page.keyboard.press("Enter")
    page.wait_for_url("**/accounts/confirm-email/")
    faults += find_faults(page, axe)
    sign_in(window, world.ana, live_server)
    faults += look_at(world.pages_of_a_player(), page, axe)
    faults += look_at_translations(world.pages_of_a_player(), page, world.ana)
    page.goto("/you/erase/")
    page.fill("input[name=password]", "password")
    page.keyboard.press("Enter")
    page.wait_for_url("**/you/erase/")
    faults += find_faults(page, axe)
    page.goto("/you/passkeys/new/")
    faults += find_faults(page, axe)
    assert faults == [], "\n".join(faults)


def test_asking_what_a_piece_is_is_accessible(
    window: BrowserContext, live_server: object, ana: User, ben: User, axe: str
) -> None:
    running = deal("gem", ana, ben)
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.goto(running.get_absolute_url())
    page.get_by_role("link", name="What is this?").click()
    page.locator(".asked a").first.click()
    expect(page.locator("#what-it-is strong")).to_be_visible()
    faults = find_faults(page, axe)
    page.get_by_text("The pieces of this board").click()
    faults += find_faults(page, axe)
    assert faults == [], "\n".join(faults)


def test_a_move_that_is_built_previewed_and_refused_is_accessible(
    window: BrowserContext, live_server: object, ana: User, ben: User, axe: str
) -> None:
    running = deal("gem", ana, ben)
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.goto(running.get_absolute_url())
    page.locator(".on-board a").first.click()
    expect(page.locator(".so-far li").first).to_be_visible()
    faults = find_faults(page, axe)
    page.get_by_role("button", name="Preview").click()
    page.wait_for_selector(".previewed")
    faults += find_faults(page, axe)
    page.fill("#text", "bid 99")
    page.locator("button[name=play]").first.click()
    page.wait_for_selector("#text-refusal")
    faults += find_faults(page, axe)
    page.get_by_text("Mute, block, report").click()
    faults += find_faults(page, axe)
    assert faults == [], "\n".join(faults)
