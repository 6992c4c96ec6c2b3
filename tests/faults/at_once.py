"""and names them."""

from __future__ import annotations

import random
import smtplib
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

import django

django.setup()

from django.db import connection  # noqa: E402

from games.chance import Chance  # noqa: E402
from gemserver.accounts.models import User  # noqa: E402
from gemserver.accounts.roles import Role  # noqa: E402
from gemserver.inbox.models import InboundEmail  # noqa: E402
from gemserver.lib import clock  # noqa: E402
from gemserver.mailgate.ingest import ingest  # noqa: E402
from gemserver.matches.actions.play.submit import Actor, Request, submit  # noqa: E402
from gemserver.matches.actions.tables.join_table import join_table  # noqa: E402
from gemserver.matches.actions.tables.open_table import open_table  # noqa: E402
from gemserver.matches.actions.tables.terms import Terms  # noqa: E402
from gemserver.matches.models import Match, Move, Seat  # noqa: E402
from gemserver.matches.verify import first_difference  # noqa: E402
from gemserver.moderation.models import AuditEntry  # noqa: E402
from gemserver.notify.models import OutboxMessage  # noqa: E402
from tests.faults.crowd import THREE_DAYS, make_user, pick  # noqa: E402
from tests.faults.desks import reply, sign_in  # noqa: E402
from tests.services.browser import Browser, Form, Page  # noqa: E402
from tests.services.log import say  # noqa: E402
from tests.services.processes import Failed, wait_for  # noqa: E402
from tests.services.sink import Letter  # noqa: E402
from tests.services.site import HOST  # noqa: E402

CLIENTS = 50
TABS, COPIES, ROUTES = 30, 10, 4
"""Clients that are tabs of the player who is asked; forms sent at once; deliveries by each route."""
T = TypeVar("T")


def main(port: int, smtp_port: int) -> None:
    """Run everything, on matches of its own. Raises Failed."""
    people = [make_user(f"crowd{number}", mail_mode=User.MailMode.OFF) for number in range(3)]
    moderators = [
        make_user(f"judge{number}", role=Role.MODERATOR, mail_mode=User.MailMode.OFF) for number in range(2)
    ]
    browsers = {}
    for user in [*people, *moderators]:
        browsers[user.pk] = Browser(port, HOST, https=True)
        sign_in(browsers[user.pk], user)
    many_clients(_begin(people), people, browsers)
    one_form(_begin(people), browsers)
    one_mail(_begin([make_user("writer"), *people[:1]]), smtp_port)
    two_moderators(_begin(people), moderators, browsers)


def many_clients(match: Match, people: Sequence[User], browsers: dict[int, Browser]) -> None:
    """Tabs of the player who is asked, each with a move of its own, and of the others at the table."""
    seat = _asked(match)
    others = [user for user in people if user.pk != seat.user_id]
    owners = [
        *[seat.user_id] * TABS,
        *[others[number % len(others)].pk for number in range(CLIENTS - TABS)],
    ]
    path, before = f"/m/{match.code}/", match.ply
    forms = {user.pk: _command(browsers[user.pk], path, user.pk == seat.user_id) for user in people}
    moves = [_move(match, seat, number) for number in range(CLIENTS)]
    tabs = [browsers[owner].another_tab() for owner in owners if owner]
    chance = random.Random(1)

    def send(number: int) -> Page:
        owner = owners[number]
        assert owner
        form, asked = forms[owner]
        form = Form(form.action, form.css, {**form.fields, "request_id": _uuid(chance.getrandbits(128))})
        return tabs[number].send(asked, form, ("play", "1"), text=moves[number])

    answers = _all_at_once([lambda number=number: send(number) for number in range(CLIENTS)])  # type: ignore[misc]
    _require(Counter(page.status for page in answers), Counter({200: 1, 422: CLIENTS - 1}), "answers")
    for page in answers:
        if page.status == 422 and 'role="alert"' not in page.text:
            raise Failed(f"a client was refused without a sentence:\n{page.text[:3000]}")
    played = Move.objects.filter(match=match, ply__gt=before, source="web").count()
    _require(played, 1, "moves that were played")
    _verify(match)
    say(f"{CLIENTS} clients on {match.code}: one move, {CLIENTS - 1} refused with a sentence")


def one_form(match: Match, browsers: dict[int, Browser]) -> None:
    """Send one form several times at once: one move, and everybody is told that it was played."""
    seat = _asked(match)
    assert seat.user_id
    browser, before = browsers[seat.user_id], match.ply
    form, page = _command(browser, f"/m/{match.code}/", True)
    text = _move(match, seat, 0)
    tabs = [browser.another_tab() for _ in range(COPIES)]
    answers = _all_at_once([lambda tab=tab: tab.send(page, form, ("play", "1"), text=text) for tab in tabs])  # type: ignore[misc]
    _require(Counter(page.status for page in answers), Counter({200: COPIES}), "answers")
    _require(Move.objects.filter(match=match, ply__gt=before, source="web").count(), 1, "moves")
    _verify(match)
    say(f"one form sent {COPIES} times at once: one move, {COPIES} times the same answer")


def one_mail(match: Match, smtp_port: int) -> None:
    """Send one mail by two routes, several times each: one row, one move, one receipt."""
    seat = _asked(match)
    while seat.user is None or seat.user.username != "writer":
        assert seat.user
        _play(match, seat)
        match.refresh_from_db()
        seat = _asked(match)
    letter = Letter("<t@gem.test>", seat.user.email, "your turn", seat.reply_address, "It is your turn.")
    key = "by-two-routes@players.test"
    raw = reply(seat.user.email, letter, _move(match, seat, 0), key)

    def by_smtp() -> None:
        with smtplib.SMTP("127.0.0.1", smtp_port, timeout=30) as server:
            server.sendmail(letter.to, [letter.reply_to], raw)

    def by_pipe() -> None:
        ingest(raw, letter.to, letter.reply_to, "pipe", {})

    _all_at_once([by_smtp, by_pipe] * ROUTES)
    rows = InboundEmail.objects.filter(message_id=key)
    _require(list(rows.values_list("copies", flat=True)), [2 * ROUTES], "rows with their copies")
    wait_for("the mail to be read", lambda: not rows.filter(state="stored").exists(), seconds=60)
    row = rows.get()
    _require((row.state, row.code), ("done", ""), "verdict")
    _require(Move.objects.filter(source="mail", request_id__contains=f":mail:{row.pk}:").count(), 1, "moves")
    _require(OutboxMessage.objects.filter(kind="receipt", in_reply_to=f"<{key}>").count(), 1, "receipts")
    _verify(match)
    say(f"one mail by two routes, {ROUTES} times each at once: one move, one receipt")


def two_moderators(match: Match, moderators: Sequence[User], browsers: dict[int, Browser]) -> None:
    """Both void the last move on the same page: it is taken back once, and the other is told so."""
    _play(match, _asked(match))
    match.refresh_from_db()
    ply, path = match.ply, f"/admin/actions/void/{match.code}/"
    pages = {user.pk: browsers[user.pk].get(path) for user in moderators}

    def void(user: User) -> Page:
        page = pages[user.pk]
        form = next(form for form in page.forms() if "reason" in form.fields)
        return browsers[user.pk].send(page, form, reason="The clock was wrong.", ply=str(ply))

    answers = _all_at_once([lambda user=user: void(user) for user in moderators])  # type: ignore[misc]
    _require(sorted(page.status for page in answers), [200, 409], "answers")
    if not any("has done this meanwhile" in page.text for page in answers if page.status == 409):
        raise Failed("the second moderator was not told what the first had done")
    voided = Move.objects.filter(match=match, ply=ply, voided_at__isnull=False).count()
    _require(voided, 1, "void moves")
    _require(AuditEntry.objects.filter(verb="void", match=match.code).count(), 1, "entries of the audit log")
    _verify(match)
    say("two moderators voiding at once: void once, the second told what the first has done")


def _begin(people: Sequence[User]) -> Match:
    now = clock.now()
    match = open_table(None, Terms(game="gem", seats=len(people), time_control=THREE_DAYS), now=now)
    for user in people:
        join_table(match.pk, user, now=now)
    match.refresh_from_db()
    return match


def _asked(match: Match) -> Seat:
    return Seat.objects.select_related("user").get(match=match, is_waiting=True)


def _move(match: Match, seat: Seat, number: int) -> str:
    text = pick(match.pk, seat.index, Chance(f"{number:064x}", "a client"))
    assert text is not None
    return text


def _play(match: Match, seat: Seat) -> None:
    assert seat.user
    request = Request(
        match.code, Actor.player(seat.user), _move(match, seat, 0), Move.Source.WEB, f"at-once:{match.ply}"
    )
    submit(request, now=clock.now())


def _command(browser: Browser, path: str, is_asked: bool) -> tuple[Form, Page]:
    """The form for a move; players who are not asked make one up, with another form's CSRF token."""
    page = browser.get(path)
    found = page.find_form("move-bar")
    if found is not None:
        return found, page
    if is_asked:
        raise Failed(f"{path} has no form for the player who is asked")
    token = next(form.fields["csrfmiddlewaretoken"] for form in page.forms())
    return Form(path, "command", {"csrfmiddlewaretoken": token, "prompt_ply": "0"}), page


def _uuid(number: int) -> str:
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _all_at_once(deeds: Sequence[Callable[[], T]]) -> list[T]:
    """Start every deed in a thread of its own, all at once, and return their results. Raises the first exception."""
    gate = threading.Barrier(len(deeds))
    results: list[T] = []
    failures: list[Exception] = []

    def do(deed: Callable[[], T]) -> None:
        gate.wait()
        try:
            results.append(deed())
        except Exception as failure:  # raised below, in the thread that waits
            failures.append(failure)
        finally:
            connection.close()

    threads = [threading.Thread(target=do, args=(deed,)) for deed in deeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return results


def _verify(match: Match) -> None:
    match = Match.objects.get(pk=match.pk)
    if difference := first_difference(match):
        raise Failed(f"{match.code} does not follow from its moves: {difference}")


def _require(found: object, expected: object, what: str) -> None:
    if found != expected:
        raise Failed(f"{what}: expected {expected}, found {found}")


if __name__ == "__main__":
    try:
        main(*map(int, sys.argv[1:]))
    except Failed as failed:
        sys.exit(f"FOUND: {failed}")
