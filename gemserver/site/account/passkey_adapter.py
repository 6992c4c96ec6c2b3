"""The adapter that answers allauth's questions about passkeys."""

from __future__ import annotations

from typing import Any

from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.adapter import DefaultMFAAdapter
from django.utils.translation import gettext

from gemserver.accounts.models import User
from gemserver.accounts.passkeys import passkey_host


class PasskeyAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Makes passkeys of the site's own host; they are a way in and never a second factor."""

    def is_mfa_enabled(self, user: User, types: Any = None) -> bool:
        """False for everybody: whoever lost a device signs in by a code, and confirms by the password, as before."""
        return False

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        return {"id": passkey_host(), "name": gettext("Gem server")}

    def get_public_key_credential_user_entity(self, user: User) -> dict[str, Any]:
        """The account as a device shows it in its list of passkeys: by its name, without an address."""
        return {
            "id": user_pk_to_url_str(user).encode(),
            "name": user.username,
            "display_name": user.username,
        }
