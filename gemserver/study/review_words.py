"""The words of a review about a move."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext

from games.analysis import Judged


def say_slip(judged: Judged, names: Sequence[str]) -> str:
    """Name the move beside the better one; `names` by seat."""
    return gettext("Move %(ply)s: %(name)s played %(played)s. Better was %(best)s, by %(loss)s of 100.") % {
        "ply": judged.ply,
        "name": names[judged.seat],
        "played": judged.played,
        "best": judged.best,
        "loss": round(judged.loss),
    }
