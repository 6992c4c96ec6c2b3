"""A migration changes the type of a column under running processes: nobody notices.

Needs a real PostgreSQL, as no other database keeps plans.
"""

from __future__ import annotations

import pytest

from tests.services.conftest import Services

pytestmark = pytest.mark.slow

START = """
from django.db import connection, transaction
from gemserver.accounts.models import User
from gemserver.lib.database.database_faults import with_new_plans
from gemserver.lib.database.prepared import Param, Prepared
user = User.objects.create_user("WHO", "WHO@players.test")
prepared = Prepared(lambda: User.objects.filter(pk=Param("user")))
locked = Prepared(lambda: User.objects.select_for_update().filter(pk=Param("user")))

def widen():
    import psycopg
    with psycopg.connect("DSN", autocommit=True) as other:
        other.execute(f"ALTER TABLE accounts_user ALTER COLUMN language TYPE varchar({next(widths)})")
widths = iter(range(FIRST, FIRST + 10))
"""
AUTOCOMMIT = """
def ask(way):
    return way()
for way in (lambda: prepared(user=user.pk)[0], lambda: User.objects.get(pk=user.pk)):
    for _ in range(8):
        ask(way)
    widen()
    for _ in range(8):
        assert ask(way).username == "WHO"
print("well")
"""
TRANSACTION = """
calls = []
def rename(name):
    with transaction.atomic():
        calls.append(name)
        [found] = locked(user=user.pk)
        found.token_generation = 2 * found.token_generation + (name == 'b')
        found.save()
for _ in range(8):
    rename("a")
widen()
with_new_plans(rename, "b")
rename("c")
user.refresh_from_db()
assert user.token_generation == 2, user.token_generation
assert calls == ["a"] * 8 + ["b", "b", "c"], calls
print("well")
"""
OTHERS_TRANSACTION = """
def look():
    with transaction.atomic():
        return locked(user=user.pk)
for _ in range(8):
    look()
widen()
from django.db import DatabaseError
from gemserver.lib.database.database_faults import is_outdated_plan
try:
    with transaction.atomic():
        user.token_generation = 7
        user.save()
        with_new_plans(look)
except DatabaseError as error:
    assert is_outdated_plan(error)
    user.refresh_from_db()
    assert user.token_generation == 0
    look()
    print("well")
"""


@pytest.mark.parametrize(
    ("name", "width", "story"),
    [("ana", 100, AUTOCOMMIT), ("ben", 200, TRANSACTION), ("cy", 300, OTHERS_TRANSACTION)],
    ids=["page", "transaction", "transaction of somebody else"],
)
def test_a_process_reads_on_after_a_column_was_widened(
    migrated: Services, name: str, width: int, story: str
) -> None:
    code = (
        (START + story)
        .replace("WHO", name)
        .replace("DSN", migrated.postgres.dsn())
        .replace("FIRST", str(width))
    )
    assert migrated.run(code).strip() == "well"


PAGE = """
from django.test import Client
from gemserver.lib import clock
from gemserver.matches.models import ChatMessage
from tests.builders import make_match
ana = User.objects.create_user("anna", "anna@players.test")
match = make_match("gem", [ana, user], now=clock.now())
client = Client(HTTP_HOST="play.gem.test")
client.force_login(ana)
def say(words):
    return client.post(f"/m/{match.code}/talk/", {"said": words, "request_id": words}, secure=True).status_code
for number in range(8):
    assert say(f"word {number}") == 302
with psycopg.connect("DSN", autocommit=True) as other:
    other.execute("ALTER TABLE matches_match ALTER COLUMN game TYPE text")
assert say("the word behind them") == 302
assert ChatMessage.objects.filter(match=match, text="the word behind them").count() == 1
print("well")
"""


def test_a_form_that_is_sent_after_a_column_was_widened_counts_once(migrated: Services) -> None:
    code = ("import psycopg\n" + START + PAGE).replace("WHO", "dan").replace("FIRST", "400")
    assert migrated.run(code.replace("DSN", migrated.postgres.dsn())).strip() == "well"
