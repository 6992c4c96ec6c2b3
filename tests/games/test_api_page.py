"""`docs/games-api.md` agrees with the docstrings of `games`."""

from __future__ import annotations

from tests.games.api_page import PAGE, write_page


def test_the_page_is_up_to_date() -> None:
    """After a change of names or docstrings run `make api`."""
    assert PAGE.read_text(encoding="utf-8") == write_page()
    assert "**`Match`**" in write_page()
