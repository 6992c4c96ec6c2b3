"""Web Push: encrypts a message for one browser (RFC 8291, RFC 8188) and signs its request (VAPID, RFC 8292)."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from datetime import datetime, timedelta

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CURVE = ec.SECP256R1()
RECORD_SIZE = 4096
MOST_BYTES = RECORD_SIZE - 16 - 1 - 86
"""Of a message, so that the whole body is no longer than the 4096 bytes that every push service takes."""
SIGNED_FOR = timedelta(hours=12)
POINT, AUTH = 65, 16
"""Bytes of a public key, and of the secret that goes with it."""


def encrypt(
    message: bytes,
    point: bytes,
    auth: bytes,
    *,
    own: ec.EllipticCurvePrivateKey | None = None,
    salt: bytes | None = None,
) -> bytes:
    """Encrypt for the browser with this public key (65 bytes) and secret (16 bytes); the body of the request.

    `own` and `salt` are new for each message; only a test gives them. Raises ValueError for a point on no curve.
    """
    assert len(message) <= MOST_BYTES
    own, salt = own or ec.generate_private_key(CURVE), salt or os.urandom(16)
    shared = own.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, point))
    ours = _point_of(own)
    secret = _derive(shared, auth, b"WebPush: info\0" + point + ours, 32)
    key = _derive(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(secret, salt, b"Content-Encoding: nonce\0", 12)
    head = salt + RECORD_SIZE.to_bytes(4, "big") + bytes([len(ours)]) + ours
    return head + AESGCM(key).encrypt(nonce, message + b"\x02", None)


def is_subscription(point: bytes, auth: bytes) -> bool:
    """True if these are the keys of a browser."""
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(CURVE, point)
    except (ValueError, UnsupportedAlgorithm):
        return False
    return len(point) == POINT and len(auth) == AUTH


def authorization(key: str, origin: str, contact: str, now: datetime) -> Mapping[str, str]:
    """The header with which the push service at `origin` knows that this server sends; `contact` is a mailto: link."""
    private = _read_key(key)
    claims = {"aud": origin, "exp": int((now + SIGNED_FOR).timestamp()), "sub": contact}
    parts = ({"typ": "JWT", "alg": "ES256"}, claims)
    text = ".".join(in_base64(json.dumps(part, separators=(",", ":")).encode()) for part in parts)
    r, s = decode_dss_signature(private.sign(text.encode(), ec.ECDSA(SHA256())))
    signature = in_base64(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
    return {"Authorization": f"vapid t={text}.{signature}, k={in_base64(_point_of(private))}"}


def new_key() -> str:
    """Make a key for VAPID: 32 bytes in base64url."""
    return in_base64(ec.generate_private_key(CURVE).private_numbers().private_value.to_bytes(32, "big"))


def is_key(key: str) -> bool:
    """True if `authorization` can sign with it."""
    try:
        _read_key(key)
    except ValueError:
        return False
    return True


def public_key(key: str) -> str:
    """The public part, as a browser wants it when it subscribes."""
    return in_base64(_point_of(_read_key(key)))


def in_base64(data: bytes) -> str:
    """In base64url, without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64(text: str) -> bytes:
    """Read base64url with or without padding. Raises ValueError."""
    return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), b"-_", validate=True)


def _read_key(key: str) -> ec.EllipticCurvePrivateKey:
    data = from_base64(key)
    if len(data) != 32:
        raise ValueError("no key of 32 bytes")
    return ec.derive_private_key(int.from_bytes(data, "big"), CURVE)


def _point_of(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=info).derive(secret)
