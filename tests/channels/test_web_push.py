"""Web Push by the letter of its specifications."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec

from gemserver.lib import web_push
from gemserver.lib.web_push import from_base64, in_base64
from tests.builders import NOON
from tests.channels.subscriber import Subscriber, read_vapid

RFC_8291 = {
    "plaintext": b"When I grow up, I want to be a watermelon",
    "as_private": "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
    "ua_public": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "ua_private": "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
    "auth_secret": "BTBZMqHH6r4Tts7J_aSIgg",
    "salt": "DGv6ra1nlYgDCS1FRnbzlw",
    "body": "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6"
    "PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
}
"""The example of RFC 8291, section 5 and appendix A."""


def private(text: object) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(from_base64(str(text)), "big"), ec.SECP256R1())


def known(name: str) -> bytes:
    return from_base64(str(RFC_8291[name]))


def test_the_example_of_rfc_8291_is_encrypted_and_opened_as_it_says() -> None:
    plaintext = b"When I grow up, I want to be a watermelon"
    body = web_push.encrypt(
        plaintext,
        known("ua_public"),
        known("auth_secret"),
        own=private(RFC_8291["as_private"]),
        salt=known("salt"),
    )
    assert in_base64(body) == RFC_8291["body"]
    assert Subscriber(private(RFC_8291["ua_private"]), known("auth_secret")).open(body) == plaintext


def test_nobody_else_opens_a_message_and_no_two_are_alike() -> None:
    one, other = Subscriber(), Subscriber()
    bodies = {web_push.encrypt(b"turn", one.point, one.auth) for _ in range(3)}
    assert len(bodies) == 3
    assert {one.open(body) for body in bodies} == {b"turn"}
    with pytest.raises(InvalidTag):
        other.open(bodies.pop())


def test_the_longest_message_fits_into_what_every_push_service_takes() -> None:
    one = Subscriber()
    body = web_push.encrypt(b"x" * web_push.MOST_BYTES, one.point, one.auth)
    assert len(body) == 4096
    assert len(one.open(body)) == web_push.MOST_BYTES


def test_a_push_service_can_check_who_sends() -> None:
    key = web_push.new_key()
    sent = web_push.authorization(key, "https://push.example.org", "mailto:postmaster@example.org", NOON)
    claims, public = read_vapid(sent["Authorization"])
    assert public == web_push.public_key(key)
    assert claims["aud"] == "https://push.example.org"
    assert claims["sub"] == "mailto:postmaster@example.org"
    assert 0 < claims["exp"] - NOON.timestamp() <= timedelta(hours=24).total_seconds()


@pytest.mark.parametrize(
    "key", ["", "abc", "!" * 43, in_base64(b"\0" * 32), in_base64(b"\xff" * 32), "A" * 44]
)
def test_what_is_no_key_is_known(key: str) -> None:
    assert not web_push.is_key(key)
    assert web_push.is_key(web_push.new_key())


def test_what_is_no_subscription_is_known() -> None:
    point, auth = Subscriber().point, b"x" * 16
    assert web_push.is_subscription(point, auth)
    for wrong in (
        (b"", auth),
        (b"\x04" + b"\1" * 64, auth),
        (point, b"x"),
        (b"\0", auth),
        (point[:64], auth),
    ):
        assert not web_push.is_subscription(*wrong)


def test_a_long_title_still_fits() -> None:
    shown = {"title": "é" * 200, "body": "ü" * 1000, "path": "/m/M1/", "tag": "a" * 10}
    assert len(json.dumps(shown, ensure_ascii=False).encode()) <= web_push.MOST_BYTES
