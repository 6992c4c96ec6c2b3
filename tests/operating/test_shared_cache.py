"""Counts shared by all processes: in production the cache is a table, so that no limit is counted per process."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.cache import cache, caches
from django.core.cache.backends.db import DatabaseCache
from django.test import Client

from gemserver.operating import retention
from gemserver.operating.models import CacheEntry
from tests.builders import make_user
from tests.own_process import PRODUCTION, print_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def production_cache(settings: Any) -> dict[str, Any]:
    """The cache of production."""
    code = "import json; from django.conf import settings; print(json.dumps(settings.CACHES))"
    settings.CACHES = json.loads(print_of(code, PRODUCTION))
    return dict(settings.CACHES["default"])


def test_what_one_process_counts_another_finds(production_cache: dict[str, Any]) -> None:
    assert isinstance(caches["default"], DatabaseCache)
    cache.set("attempts", [1, 2])
    another = DatabaseCache(production_cache["LOCATION"], production_cache)
    assert another.get("attempts") == [1, 2]


def test_attempts_to_sign_in_are_counted_in_the_database(production_cache: dict[str, Any]) -> None:
    make_user("ana")
    for _ in range(5):
        Client().post("/accounts/login/", {"login": "ana", "password": "wrong"})
    assert CacheEntry.objects.exists()
    answer = Client().post("/accounts/login/", {"login": "ana", "password": "password"})
    assert "Too many wrong passwords" in answer.content.decode()


def test_cached_values_are_forgotten_once_they_have_expired() -> None:
    now = datetime.now(UTC)
    for name, age in (("old", 1), ("new", -1)):
        CacheEntry.objects.create(cache_key=name, value="", expires=now - timedelta(hours=age))
    assert retention.forget(now)["cached values"] == 1
    assert CacheEntry.objects.get().cache_key == "new"
