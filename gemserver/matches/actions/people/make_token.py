"""Make and revoke personal tokens."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction

from gemserver.accounts.models import PersonalToken, User
from gemserver.accounts.tokens import SCOPES, new_token
from gemserver.lib.signing import token_hash
from gemserver.matches.locking import lock_open_account
from gemserver.matches.refusal import Refused

MOST_TOKENS = 20
LONGEST_NAME = 40


def make_token(
    user: User, name: str, scopes: Collection[str], *, days: int | None, now: datetime
) -> tuple[PersonalToken, str]:
    """Make a token; return its row and its text, which is kept nowhere.

    `days`: how long it is good (None: for good). For the scope `account` the caller has made sure of a fresh
    authentication.
    Raises Refused(shut, no-name, name-taken, no-scope, too-many-tokens).
    """
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise Refused(
            "no-name", "Give the token a name of 1 to {most} characters, such as “bot”.", most=LONGEST_NAME
        )
    if not scopes or not set(scopes) <= SCOPES.keys():
        raise Refused("no-scope", "Choose what the token may do: {scopes}.", scopes=", ".join(SCOPES))
    with transaction.atomic():
        user = lock_open_account(user.pk)
        if user.personal_tokens.filter(name__iexact=name).exists():
            raise Refused(
                "name-taken",
                "You have a token called {name} already; revoke it first, or choose another name.",
                name=name,
            )
        if user.personal_tokens.count() >= MOST_TOKENS:
            raise Refused(
                "too-many-tokens",
                "You have {most} tokens already; revoke one that you do not use.",
                most=MOST_TOKENS,
            )
        text = new_token()
        token = PersonalToken.objects.create(
            user=user,
            name=name,
            scopes=" ".join(scope for scope in SCOPES if scope in scopes),
            token_hash=token_hash(text),
            created_at=now,
            expires_at=now + timedelta(days=days) if days else None,
        )
    return token, text


def revoke_token(user: User, name: str) -> PersonalToken:
    """Delete the player's token of this name; it is good for nothing from then on. Raises Refused(no-such-token)."""
    token = user.personal_tokens.filter(name__iexact=" ".join(name.split())).first()
    if token is None:
        raise Refused(
            "no-such-token", "You have no token called {name}; look at your list of tokens.", name=name
        )
    token.delete()
    return token
