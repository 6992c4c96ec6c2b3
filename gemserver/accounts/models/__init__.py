"""The database tables of accounts."""

from __future__ import annotations

from gemserver.accounts.models.address import UnreachableAddress
from gemserver.accounts.models.ban import LONGEST_ADDRESS, Ban, Block, Mute
from gemserver.accounts.models.earlier_token import EarlierToken, known_hash, remember_tokens
from gemserver.accounts.models.follow import Follow
from gemserver.accounts.models.hours import Hours, Vacation, validate_time_zone
from gemserver.accounts.models.program import PersonalToken, RequestCount, TokenCount
from gemserver.accounts.models.user import User, default_reminder_minutes, mail_addresses

__all__ = [
    "LONGEST_ADDRESS",
    "Ban",
    "Block",
    "EarlierToken",
    "Follow",
    "Hours",
    "Mute",
    "PersonalToken",
    "RequestCount",
    "TokenCount",
    "UnreachableAddress",
    "User",
    "Vacation",
    "default_reminder_minutes",
    "known_hash",
    "mail_addresses",
    "remember_tokens",
    "validate_time_zone",
]
