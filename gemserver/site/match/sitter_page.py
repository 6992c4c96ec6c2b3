"""What a match's page says about having somebody play a seat for a while."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django import forms
from django.utils.translation import gettext_lazy

from gemserver.accounts.models import User
from gemserver.matches import sitters
from gemserver.matches.models import Sitting
from gemserver.site.account.time_forms import MatchDaysForm


class SitterForm(MatchDaysForm):
    """Who is to play, and from when to when."""

    name = forms.CharField(
        label=gettext_lazy("Player"), max_length=150, widget=forms.TextInput({"autocomplete": "off"})
    )
    field_order = ["name", "first", "last"]
    place = "sitter"


@dataclass(frozen=True)
class SitterPanel:
    """What a match's page says to one reader about sitting: as the seat's player, or as who is asked to play there."""

    sittings: Sequence[Sitting]
    reader: User
    now: datetime
    form: SitterForm
    """Empty, or as it was sent and refused."""

    @property
    def given(self) -> Sitting | None:
        """Somebody is asked to play the reader's seat, has agreed, or plays it."""
        return next((sitting for sitting in self.sittings if sitting.player == self.reader), None)

    @property
    def taken(self) -> Sitting | None:
        """The reader is asked to play somebody's seat, has agreed, or plays it."""
        return next((sitting for sitting in self.sittings if sitting.sitter == self.reader), None)

    @property
    def has_begun(self) -> bool:
        """Whether the sitter may move already."""
        found = self.given or self.taken
        return found is not None and sitters.has_begun(found, self.now)
