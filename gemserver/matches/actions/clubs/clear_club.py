"""Take words of a club away, by a moderator's decision."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from enum import StrEnum

from django.db import transaction
from django.utils.crypto import get_random_string

from gemserver.clubs.models import Club


class Part(StrEnum):
    """The words of a club that can be taken away."""

    NAME = "name"
    ABOUT = "about"
    NEWS = "news"
    LISTING = "listing"


def clear_club(club_id: int, parts: Collection[Part], *, now: datetime) -> Club:
    """Put `club 12` for name and short name, empty the description, delete the news, or list the club no more.

    A second time changes nothing.
    """
    with transaction.atomic():
        club = Club.objects.select_for_update(no_key=True).get(pk=club_id)
        if Part.NAME in parts:
            club.name, club.slug = f"club {club.pk}", _free_slug(club)
        if Part.ABOUT in parts:
            club.about = ""
        if Part.NEWS in parts:
            club.news.all().delete()
        if Part.LISTING in parts and not club.is_private:
            club.is_private, club.listed_until = True, now
        club.save(update_fields=["name", "slug", "about", "is_private", "listed_until"])
    return club


def _free_slug(club: Club) -> str:
    slug = f"club-{club.pk}"
    is_taken = Club.objects.filter(slug=slug).exclude(pk=club.pk).exists()
    return f"{slug}-{get_random_string(6, 'abcdefghjkmnpqrstuvwxyz23456789')}" if is_taken else slug
