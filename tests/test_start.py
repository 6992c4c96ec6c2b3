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
