"""Mail addresses that count as the same one, and those that do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemserver.lib.text.mail_address import comparable, domain_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana@Example.ORG", "ana@example.org"),
        ("ana@bücher.example", "ana@xn--bcher-kva.example"),
        ("ANA@Bücher.Example", "ana@XN--BCHER-KVA.example"),
        ("postmaster", "PostMaster"),
    ],
)
def test_these_are_the_same(one: str, other: str) -> None:
    assert comparable(one) == comparable(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\u212aim@example.org", "kim@example.org"),  # the Kelvin sign
        ("jo\u017f@example.org", "jos@example.org"),  # the long s, an S in capitals
        ("adm\u0131n@example.org", "admin@example.org"),  # dotless i, an I in capitals
        ("ADM\u0130N@example.org", "admin@example.org"),
        ("\uff41na@example.org", "ana@example.org"),  # full-width
        ("stra\u00dfe@example.org", "strasse@example.org"),
        ("ana@stra\u00dfe.example", "ana@strasse.example"),
        ("ana@\u212alm.example", "ana@klm.example"),
        ("ana@\uff45xample.org", "ana@example.org"),
        ("ana@example\uff0eorg", "ana@example.org"),
        ("ana@example\u3002org", "ana@example.org"),
        ("a\u00e9@example.org", "ae\u0301@example.org"),
        ("a.na@example.org", "ana@example.org"),
    ],
)
def test_these_are_two(one: str, other: str) -> None:
    assert comparable(one) != comparable(other)


@given(st.text())
def test_an_address_is_its_own_comparable_form(text: str) -> None:
    assert comparable(comparable(text)) == comparable(text)


@given(st.text(alphabet=st.characters(min_codepoint=128), min_size=1, max_size=5))
def test_no_other_letter_becomes_a_plain_one_before_the_at(text: str) -> None:
    local = comparable(f"{text}@example.org").rpartition("@")[0]
    assert not local.isascii()


def test_a_domain_stands_behind_the_last_at() -> None:
    assert domain_of('"a@b"@Example.org') == "example.org"
    assert domain_of("Example.org") == "example.org"


def test_a_domain_beyond_all_bounds_is_left_alone() -> None:
    assert comparable("a@" + "é" * 100_000).endswith("é")
