"""The addresses by which a match is shared: its board as a page for frames, as a picture, and as a looping picture."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.html import format_html

from gemserver.matches.models import Match
from gemserver.matches.privacy import listed_matches


@dataclass(frozen=True, slots=True)
class ShareLinks:
    """Addresses of one position of a match, or with `ply` None of the present one, with the language of their words."""

    match: Match
    ply: int | None = None

    @property
    def page(self) -> str:
        """Shows the board and steps through the match; other sites may frame it."""
        return self._address("share")

    @property
    def picture(self) -> str:
        """The position as PNG."""
        return self._address("share-picture")

    @property
    def loop(self) -> str:
        """The whole match as GIF; empty while it runs."""
        return self._write("share-loop", self.match.code) if self.match.is_over else ""

    @property
    def embed(self) -> str:
        """HTML that shows the page on another site."""
        title = f"{self.match.title} {self.match.code}"
        return format_html(
            '<iframe src="{}" title="{}" width="480" height="640" loading="lazy" style="border:0"></iframe>',
            self.page,
            title,
        )

    def _address(self, name: str) -> str:
        if self.ply is None:
            return self._write(name, self.match.code)
        return self._write(f"{name}-ply", self.match.code, self.ply)

    @staticmethod
    def _write(name: str, *parts: object) -> str:
        return f"{settings.SITE_URL}{reverse(name, args=parts)}?lang={translation.get_language()}"


def find_share_links(match: Match, ply: int | None = None) -> ShareLinks | None:
    """The addresses of the position after `ply` moves, or the present one; None if the match is not for everybody."""
    if not listed_matches().filter(pk=match.pk).exists():
        return None
    return ShareLinks(match, ply)
