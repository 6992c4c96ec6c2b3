"""Every process of the server begins alike, whoever starts it."""

from __future__ import annotations

import pytest

from tests.own_process import TEST, print_of


@pytest.mark.slow
def test_garbage_is_looked_for_in_what_comes_after_the_start_alone() -> None:
    code = """
import django, gc
django.setup()
print(gc.isenabled(), gc.get_freeze_count() > 50_000 > len(gc.get_objects()))
"""
    assert print_of(code, TEST).split() == ["True", "True"]


@pytest.mark.slow
def test_what_few_processes_need_is_loaded_by_the_first_who_needs_it() -> None:
    """They came into every process by one import each: a sixth of a web process's memory."""
    code = """
import django, sys
django.setup()
from django.urls import get_resolver
get_resolver().url_patterns
games = ("games.phrases.phrasebook", "gemserver.matches.boards.painting")
large = ("aiosmtpd", "cryptography", "fido2", "jinja2", "markdown_it", "nh3", *games)
print(*[name for name in large if name in sys.modules])
"""
    assert print_of(code, TEST).split() == []
