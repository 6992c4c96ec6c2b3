"""The panel and the form about sitters on the page of a match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django import forms
from django.utils.translation import gettext_lazy

from gemserver.accounts.models import User
from gemserver.matches import sitters
from gemserver.matches.models import Sitting
from gemserver.site.days_forms import MatchDaysForm


class SitterForm(MatchDaysForm):
    """The sitter's name, and the first and last day."""

    name = forms.CharField(
        label=gettext_lazy("Player"), max_length=150, widget=forms.TextInput({"autocomplete": "off"})
    )
    field_order = ["name", "first", "last"]
    place = "sitter"


@dataclass(frozen=True)
class SitterPanel:
    """The panel about sitters for one reader: the player of a seat, or somebody asked to sit there."""

    sittings: Sequence[Sitting]
    reader: User
    now: datetime
    form: SitterForm
    """Empty, or a refused one."""

    @property
    def given(self) -> Sitting | None:
        """The sitting in the reader's own seat: asked for, agreed to, or going on."""
        return next((sitting for sitting in self.sittings if sitting.player == self.reader), None)

    @property
    def taken(self) -> Sitting | None:
        """The sitting with the reader as sitter: asked for, agreed to, or going on."""
        return next((sitting for sitting in self.sittings if sitting.sitter == self.reader), None)

    @property
    def has_begun(self) -> bool:
        """True if the sitter may move already."""
        found = self.given or self.taken
        return found is not None and sitters.has_begun(found, self.now)
