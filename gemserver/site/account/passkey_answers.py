"""Adding a passkey and signing in with it: what is asked of the browser, and what its answer proves.

The library that checks answers (half a second, 20 MB) comes in with this module: its callers import it when they need
it. A challenge stands in the session and is good for one answer.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.internal import auth
from cryptography.exceptions import UnsupportedAlgorithm
from django.core.exceptions import ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext
from fido2.cose import CoseKey
from fido2.utils import websafe_encode
from fido2.webauthn import AuthenticationResponse, CollectedClientData, RegistrationResponse

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.accounts.passkeys import passkeys_of

MOST = 20
"""Passkeys of one account: each is read when its owner signs in."""
LONGEST_ANSWER = 20_000
"""Characters of a browser's answer; without attestation it has one or two thousand."""
UNREADABLE = (
    *(ValueError, TypeError, LookupError, AttributeError, AssertionError, OverflowError),
    *(NotImplementedError, RecursionError, struct.error, UnsupportedAlgorithm, ValidationError),
)
"""Errors of the libraries for answers that are none of a browser's: they check as they read."""

T = TypeVar("T")


def begin_adding(user: User) -> str:
    """The options, as JSON, with which a browser makes a passkey for this account; raises ValidationError if full."""
    if passkeys_of(user).count() >= MOST:
        raise ValidationError(
            gettext("You have %(number)d passkeys, as many as an account can have. Remove one first.")
            % {"number": MOST}
        )
    return _to_json(auth.begin_registration(user, True))


def add(request: HttpRequest, user: User, name: str, answer: str) -> Authenticator:
    """Keep the passkey that a browser has made; raises ValidationError if the answer proves none."""
    response = _read(lambda: _checked(request, answer, RegistrationResponse.from_dict))
    data = _answered(lambda: auth.complete_registration(response))
    if data is None or data.credential_data is None or not _is_known(data.credential_data.public_key):
        raise ValidationError(gettext("This passkey could not be added. Try again."))
    with transaction.atomic():
        lock_user(user.pk)
        is_there = auth.get_authenticator_by_credential_id(user, data.credential_data.credential_id)
        if is_there or passkeys_of(user).count() >= MOST:
            raise ValidationError(gettext("This passkey could not be added. Try again."))
        kept: Authenticator = auth.WebAuthn.add(user, name, response).instance
    return kept


def begin_sign_in() -> str:
    """The options, as JSON, with which a browser proves a passkey; they are the same for everybody."""
    return _to_json(auth.begin_authentication(None))


def recognise(request: HttpRequest, answer: str) -> Authenticator:
    """The passkey that a browser proves; raises ValidationError if it is nobody's who may sign in by one.

    The refusal is one and the same, whether there is such an account or passkey. Shut accounts are recognised: their
    owners are told why when they sign in.
    """
    response = _read(lambda: _checked(request, answer, AuthenticationResponse.from_dict))
    found: Authenticator | None = _answered(lambda: _prove(response))
    if found is None or found.user.is_guest or found.user.is_bot:
        raise ValidationError(
            gettext("This passkey is not known here. Sign in another way, and add it in your account.")
        )
    return found


def _prove(response: dict[str, Any]) -> Authenticator:
    user = auth.extract_user_from_response(response)
    found: Authenticator = auth.complete_authentication(user, response)
    return found


def _checked(request: HttpRequest, answer: str, parse: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the parts of the answer that count, as they are kept; raises one of UNREADABLE if it is not of this page.

    The library takes answers from hosts below the site's too; this wants the very origin of the request.
    """
    if len(answer) > LONGEST_ANSWER:
        raise ValueError
    parsed = parse(json.loads(answer))
    client_data: CollectedClientData = parsed.response.client_data
    if client_data.origin != f"{request.scheme}://{request.get_host()}" or client_data.cross_origin:
        raise ValueError
    handle = getattr(parsed.response, "user_handle", None)
    names = {
        "clientDataJSON": client_data,
        "attestationObject": getattr(parsed.response, "attestation_object", None),
        "authenticatorData": getattr(parsed.response, "authenticator_data", None),
        "signature": getattr(parsed.response, "signature", None),
        "userHandle": handle,
    }
    number = websafe_encode(parsed.raw_id)
    return {
        "id": number,
        "rawId": number,
        "type": "public-key",
        "response": {name: websafe_encode(value) for name, value in names.items() if value is not None},
        "clientExtensionResults": {},
    }


def _read(read: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The answer, or an empty one, which proves nothing."""
    try:
        return read()
    except UNREADABLE:
        return {}


def _answered(check: Callable[[], T]) -> T | None:
    """The result of a check of the session's challenge, which is used up by it; None if it failed."""
    try:
        return check()
    except UNREADABLE:
        return None
    finally:
        auth.clear_state()


def _is_known(key: Mapping[int, Any]) -> bool:
    """True if the key is one by which answers can be checked later."""
    return isinstance(key, CoseKey) and key.get(3) in CoseKey.supported_algorithms()


def _to_json(options: Mapping[str, Any]) -> str:
    return json.dumps(options, cls=DjangoJSONEncoder)
