"""The arithmetic of a checkable deal, against sums made by hand with hashlib."""

from __future__ import annotations

from hashlib import sha256

from games import deal

S = "5a" * 32


def hash_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def test_commitment() -> None:
    assert deal.commitment("M17", "gem", 1, "pace=table", S) == hash_of(f"M17|gem 1|pace=table|{S}")


def test_parts() -> None:
    assert deal.given_part("déjà vu") == hash_of("déjà vu")
    assert deal.default_part(S, 2) == hash_of(f"{S}|2")


def test_seed_needs_every_part_in_seat_order() -> None:
    parts = [deal.given_part("one"), deal.default_part(S, 1)]
    assert deal.seed(S, parts) == hash_of(f"{S}|{parts[0]}|{parts[1]}")
    assert deal.seed(S, parts) != deal.seed(S, parts[::-1])


def test_sealed_hash() -> None:
    expected = hash_of(f"M17|day 2 auction 1|C|3|{'ab' * 16}|bid 4")
    assert deal.sealed_hash("M17", "day 2 auction 1", 2, 3, "ab" * 16, "bid 4") == expected
