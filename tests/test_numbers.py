"""Tests may rely on the numbers of rows, whatever tests ran before them."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from tests.builders import make_match


@pytest.mark.django_db(transaction=True)
def test_numbers_begin_anew_when_all_tables_are_emptied() -> None:
    """As pytest-django empties them behind a test with transactions of its own."""
    make_match(bots=2)
    call_command("flush", verbosity=0, interactive=False, reset_sequences=False)
    assert make_match(bots=2).code == "M1"
