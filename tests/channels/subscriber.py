"""The browser's side of Web Push: makes keys for a subscription, and opens what a server sends to it (RFC 8291 §4)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from gemserver.lib.web_push import from_base64, in_base64


@dataclass(frozen=True, slots=True)
class Subscriber:
    """The keys of one subscription."""

    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    auth: bytes = b"sixteen secrets!"

    @property
    def point(self) -> bytes:
        return self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    @property
    def sent(self) -> dict[str, str]:
        """As the page sends it, without the endpoint."""
        return {"point": in_base64(self.point), "auth": in_base64(self.auth)}

    def open(self, body: bytes) -> bytes:
        """Decrypt the body of a request. Raises InvalidTag for one that was not meant for this subscription."""
        salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        theirs, record = body[21 : 21 + length], body[21 + length :]
        assert len(record) <= size
        shared = self.key.exchange(
            ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), theirs)
        )
        secret = _expand(shared, self.auth, b"WebPush: info\0" + self.point + theirs, 32)
        key = _expand(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = _expand(secret, salt, b"Content-Encoding: nonce\0", 12)
        text = AESGCM(key).decrypt(nonce, record, None).rstrip(b"\0")
        assert text.endswith(b"\x02"), "the last record"
        return text[:-1]


def read_vapid(header: str) -> tuple[dict[str, Any], str]:
    """The claims of an `Authorization: vapid` header, and the public key, after checking the signature."""
    scheme, _, rest = header.partition(" ")
    given = dict(part.strip().split("=", 1) for part in rest.split(","))
    head, claims, signature = given["t"].split(".")
    assert (scheme, json.loads(from_base64(head))) == ("vapid", {"typ": "JWT", "alg": "ES256"})
    raw = from_base64(signature)
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), from_base64(given["k"]))
    numbers = (int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    key.verify(encode_dss_signature(*numbers), f"{head}.{claims}".encode(), ec.ECDSA(SHA256()))
    return json.loads(from_base64(claims)), given["k"]


def _expand(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=info).derive(secret)
