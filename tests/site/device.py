"""A device with passkeys, as a browser would ask it: it signs whatever a page's options ask for."""

from __future__ import annotations

import json
import os
import struct
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from fido2 import cbor
from fido2.cose import ES256
from fido2.utils import websafe_encode

PRESENT, VERIFIED, HOLDS_KEY = 1, 4, 64


@dataclass
class Device:
    """One passkey; `flags` and `origin` may be what no honest browser would send."""

    origin: str = "http://localhost:8000"
    flags: int = PRESENT | VERIFIED
    number: bytes = field(default_factory=lambda: os.urandom(16))
    handle: str = ""
    host: str = "localhost"
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def make(self, options: dict[str, Any], **changed: Any) -> str:
        """Answer the options of `/you/passkeys/new/`."""
        public = options["publicKey"]
        self.handle, self.host = public["user"]["id"], public["rp"]["id"]
        key = cbor.encode(ES256.from_cryptography_key(self.key.public_key()))
        held = bytes(16) + struct.pack(">H", len(self.number)) + self.number + key
        data = self._data(self.flags | HOLDS_KEY) + held
        attestation = cbor.encode({"fmt": "none", "attStmt": {}, "authData": data})
        said = self._said("webauthn.create", public["challenge"])
        return self._write({"clientDataJSON": said, "attestationObject": attestation}, changed)

    def prove(self, options: dict[str, Any], **changed: Any) -> str:
        """Answer the options of the sign-in page."""
        said, data = self._said("webauthn.get", options["publicKey"]["challenge"]), self._data(self.flags)
        signature = self.key.sign(data + sha256(said).digest(), ec.ECDSA(SHA256()))
        parts = {"clientDataJSON": said, "authenticatorData": data, "signature": signature}
        return self._write(parts, {"userHandle": self.handle, **changed})

    def _said(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _data(self, flags: int) -> bytes:
        return sha256(self.host.encode()).digest() + struct.pack(">BI", flags, 0)

    def _write(self, parts: dict[str, bytes], changed: dict[str, Any]) -> str:
        response = {name: websafe_encode(value) for name, value in parts.items()} | changed
        number = websafe_encode(self.number)
        return json.dumps({"id": number, "rawId": number, "type": "public-key", "response": response})
