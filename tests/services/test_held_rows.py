"""A row is locked and not released: the server goes on with all others, and loses nothing of this one.

Real processes and a real PostgreSQL; another client of it holds the lock.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from tests.services.browser import Browser, Page
from tests.services.conftest import Services
from tests.services.processes import Process, answers, wait_for
from tests.services.site import HOST, ROOT

pytestmark = pytest.mark.slow

PATIENCE = 60
PASSWORD = "correct horse battery staple"
POSTS = 12
"""Simultaneous posts; more than there are threads that could answer them."""
SEAT_PEOPLE = """
import json
from datetime import timedelta
from gemserver.clocks.control import TimeControl
from gemserver.lib import clock
from tests.builders import make_match
from tests.services.table import make_player
people = [make_player(name, "PASSWORD") for name in ("NAME1", "NAME2")]
day = TimeControl.per_move(timedelta(days=1))
matches = [make_match("gem", people, time_control=day, now=clock.now() - timedelta(hours=AGO)) for _ in range(2)]
print(json.dumps([[match.pk, match.code] for match in matches]))
"""


@dataclass(frozen=True)
class Tables:
    """Two running matches of the same two people; the first is the one that will be locked."""

    held_pk: int
    held: str
    free_pk: int
    free: str

    @property
    def lock(self) -> str:
        return f"SELECT 1 FROM matches_match WHERE id = {self.held_pk} FOR UPDATE"


def seat_people(services: Services, *names: str, hours_ago: int = 0) -> Tables:
    code = SEAT_PEOPLE.replace("PASSWORD", PASSWORD).replace("AGO", str(hours_ago))
    for number, name in enumerate(names, start=1):
        code = code.replace(f"NAME{number}", name)
    held, free = json.loads(services.run(code))
    return Tables(*held, *free)


@pytest.fixture(scope="module")
def web(migrated: Services) -> Iterator[Process]:
    migrated.manage("collectstatic", "--noinput", "--verbosity", "0")
    command = (ROOT / "Procfile").read_text().partition("web: ")[2].partition("\n")[0]
    process = Process(
        "web", ["sh", "-c", f"exec {command}"], migrated.folder, environment=migrated.environment, cwd=ROOT
    )
    process.start()
    try:
        port = int(migrated.environment["PORT"])
        wait_for("the web server", lambda: answers(port), seconds=PATIENCE, watched=[process])
        yield process
    finally:
        process.kill()


def sign_in(services: Services, name: str) -> Browser:
    browser = Browser(int(services.environment["PORT"]), HOST, https=True)
    page = browser.get("/accounts/login/")
    page = browser.send(page, page.form("/accounts/login/"), login=name, password=PASSWORD)
    assert page.status == 200
    return browser


def talk(browser: Browser, code: str, words: str) -> Page:
    page = browser.get(f"/m/{code}/")
    return browser.send(page, page.form("say"), said=words)


def test_while_a_match_is_held_the_site_answers_and_keeps_what_was_typed(
    migrated: Services, web: Process
) -> None:
    tables = seat_people(migrated, "ana", "ben")
    ana = sign_in(migrated, "ana")
    pages = [ana.get(f"/m/{tables.held}/") for _ in range(POSTS)]
    tabs = [ana.another_tab() for _ in pages]
    with ThreadPoolExecutor(POSTS) as pool:
        with migrated.held(tables.lock):
            sent = [
                pool.submit(tab.send, page, page.form("say"), said=f"my <b>word</b> {number}")
                for number, (tab, page) in enumerate(zip(tabs, pages, strict=True))
            ]
            assert ana.get("/healthz").text == "ok\n"
            assert talk(ana, tables.free, "others go on").status == 200
            answered = [each.result() for each in sent]
        for number, page in enumerate(answered):
            assert page.status == 503
            assert "busy" in page.text
            assert "Traceback" not in page.text
            assert page.form(f"/m/{tables.held}/talk/").fields["said"] == f"my <b>word</b> {number}"
        said = [
            tab.send(page, page.form(f"/m/{tables.held}/talk/"))
            for tab, page in zip(tabs, answered, strict=True)
        ]
    assert [page.status for page in said] == [200] * POSTS
    rows = migrated.postgres.rows(f"SELECT text FROM matches_chatmessage WHERE match_id = {tables.held_pk}")
    assert sorted(rows) == sorted((f"my <b>word</b> {number}",) for number in range(POSTS))


def test_a_password_is_not_given_back(migrated: Services, web: Process) -> None:
    browser = Browser(int(migrated.environment["PORT"]), HOST, https=True)
    page = browser.get("/accounts/login/")
    with migrated.held("LOCK TABLE accounts_user IN ACCESS EXCLUSIVE MODE"):
        page = browser.send(page, page.form("/accounts/login/"), login="ana", password=PASSWORD)
    assert page.status == 503
    assert PASSWORD not in page.text
    assert page.form("/accounts/login/").fields["login"] == "ana"


READ = """
from gemserver.lib.database import patience
patience.serve_as(patience.TASKS)
from gemserver.mailgate.processing import process_stored
print(process_stored())
"""
END_CLAIMS = "UPDATE inbox_inboundemail SET claimed_until = now() RETURNING 1"


def test_mails_of_a_held_match_wait_and_those_of_others_are_read(migrated: Services) -> None:
    tables = seat_people(migrated, "cy", "dora")
    migrated.run(
        "from tests.services.test_held_rows import write_to_everybody\n"
        f"write_to_everybody({[tables.held_pk, tables.free_pk]})"
    )
    with migrated.held(tables.lock):
        assert int(migrated.run(READ)) == 4
        assert mails(migrated, tables.held_pk) == [("stored", 0)] * 2
        assert {state for state, _ in mails(migrated, tables.free_pk)} <= {"done", "refused"}
        migrated.postgres.rows(END_CLAIMS)
        migrated.run(READ)
        assert mails(migrated, tables.held_pk) == [("stored", 0)] * 2
    migrated.postgres.rows(END_CLAIMS)
    assert int(migrated.run(READ)) == 2
    assert {state for state, _ in mails(migrated, tables.held_pk)} <= {"done", "refused"}


def write_to_everybody(matches: list[int]) -> None:
    """Mail from each player to each seat; run in a process of its own."""
    from gemserver.mailgate.ingest import ingest
    from gemserver.matches.models import Seat
    from tests.mailgate.letters import letter

    for seat in Seat.objects.filter(match__in=matches).order_by("match", "index"):
        assert seat.user
        raw = letter(seat, "say Hello from here\n")
        ingest(raw, seat.user.email, seat.reply_address, "lmtp", {"dmarc": "pass"})


def mails(services: Services, match: int) -> list[tuple[str, int]]:
    """State and attempts of the mails to the seats of this match."""
    addresses = services.run(
        "from gemserver.matches.models import Seat\n"
        f"print(*(seat.reply_address for seat in Seat.objects.filter(match={match})))"
    ).split()
    listed = ", ".join(f"'{address}'" for address in addresses)
    query = f"SELECT state, attempts FROM inbox_inboundemail WHERE envelope_to IN ({listed})"
    return [(str(state), int(attempts)) for state, attempts in services.postgres.rows(query)]


SWEEP = (
    "from gemserver.lib.database import patience\npatience.serve_as(patience.TASKS)\n"
    "from gemserver.matches.sweeps import act_on_deadlines\nact_on_deadlines()"
)


def test_a_sweep_passes_a_held_match_by_and_finds_it_later(migrated: Services) -> None:
    migrated.run(SWEEP)  # it has not been away
    tables = seat_people(migrated, "eva", "finn", hours_ago=30)
    moves = f"source = 'clock' AND match_id IN ({tables.held_pk}, {tables.free_pk})"
    with migrated.held(tables.lock):
        migrated.run(SWEEP)
        assert migrated.postgres.rows(f"SELECT DISTINCT match_id FROM matches_move WHERE {moves}") == [
            (tables.free_pk,)
        ]
    migrated.run(SWEEP)
    assert migrated.postgres.count("matches_move", f"source = 'clock' AND match_id = {tables.held_pk}") == 1


def test_a_command_takes_its_time(migrated: Services) -> None:
    """Longer than a page may."""
    assert (
        migrated.run("from django.db import connection\nconnection.cursor().execute('SELECT pg_sleep(16)')")
        == ""
    )


def test_a_migration_waits_for_its_table_in_short_turns(migrated: Services) -> None:
    """Others read and write the table meanwhile: a change that waits in the queue would keep them out."""
    table = "moderation_audithead"
    said: list[str] = []
    back = threading.Thread(target=lambda: said.append(migrated.manage("migrate", "moderation", "0001")))
    with migrated.held(f"SELECT 1 FROM {table}") as holder:
        back.start()
        wait_for("the migration", lambda: waits_for(migrated, table), seconds=PATIENCE)
        wait_for("its next try", lambda: not waits_for(migrated, table), seconds=PATIENCE)
        wait_for("its next try", lambda: waits_for(migrated, table), seconds=PATIENCE)
        holder.rollback()
    back.join()
    assert "OK" in said[0]
    migrated.manage("migrate", "--verbosity", "0")


def waits_for(services: Services, table: str) -> bool:
    waiting = f"SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '{table}'::regclass"
    return bool(services.postgres.rows(waiting))
