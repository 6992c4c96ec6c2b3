"""Reading a mail's header, and the limits that hold before anything is parsed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemserver.mailgate.header import MAX_FIELD, MAX_FIELDS, MAX_HEADER, UnreadableMail
from gemserver.mailgate.parse import parse
from gemserver.mailgate.reading.automatic import DeliveryReport

EMAILS = Path(__file__).parent / "emails"


def mail(*fields: str, body: str = "bid 3\n") -> bytes:
    return ("\r\n".join(fields) + "\r\n\r\n" + body).encode("utf-8", "surrogateescape")


def refusal(raw: bytes) -> UnreadableMail:
    with pytest.raises(UnreadableMail) as refused:
        parse(raw)
    return refused.value


def test_a_usual_mail() -> None:
    read = parse((EMAILS / "gmail_web_en.eml").read_bytes())
    assert read.message_id == "9f2c1@mail.example.net"
    assert read.from_addresses == ("ana@example.net",)
    assert read.subject == "Re: [GEM M17] Ana, Ben, Cy"
    assert read.recipients == ("play+abcdefghijklmnopqrstuvwxyz@play.example.org",)
    assert read.in_reply_to == read.references == ("t.m17.7.b.k3f9a7c2d1@play.example.org",)
    assert (read.automatic, read.looks_automatic, read.from_list, read.dsn) == (None, False, False, None)
    assert read.text.startswith("take SR pay 1 2\nsay Nice one, Ben!\n")


class TestFrom:
    @pytest.mark.parametrize(
        ("value", "addresses"),
        [
            ("Ana <Ana@Example.NET>", ("ana@example.net",)),
            ("ana@example.net", ("ana@example.net",)),
            ("ana@example.net (Ana)", ("ana@example.net",)),
            ('"ana@example.net" <ben@example.net>', ("ben@example.net",)),
            ('"a \\" <x@example.net>" <ben@example.net>', ("ben@example.net",)),
            ("(<x@example.net> (nested)) ben@example.net", ("ben@example.net",)),
            ("ana@example.net <ana@example.net>", ("ana@example.net",)),
            ("undisclosed-recipients:;", ()),
            ("=?utf-8?q?An=61_=40?= <ana@example.net>", ("ana@example.net",)),
            ("", ()),
        ],
    )
    def test_one_author(self, value: str, addresses: tuple[str, ...]) -> None:
        assert parse(mail(f"From: {value}")).from_addresses == addresses

    @pytest.mark.parametrize(
        "fields",
        [
            ("From: ana@example.net, ben@example.net",),
            ("From: ana@example.net", "From: ben@example.net"),
            ("From: ana@example.net", "from: ana@example.net"),
            ("From: ana@example.net <ben@example.net>",),
        ],
    )
    def test_more_than_one_author_is_seen_so_that_it_can_be_refused(self, fields: tuple[str, ...]) -> None:
        assert len(parse(mail(*fields)).from_addresses) == 2

    @pytest.mark.parametrize(
        "value",
        [
            "<ana@example.net> <ben@example.net>",
            "ben@exa\x01mple.org",
            "ben@example.org\x00",
            "xyz[ben@example.org",
            'a"b"ben@example.org',
            "evil:ben@example.org",
            "evil: ben@example.org;",
            "ben@example.org:25",
            "ben@example.org eve@example.net",
            "Ben <ben@example.org> eve",
            "Ben <ben@example.org",
            "Ben <ben@@example.org>",
            f"{'d' * 70}@example.org",
        ],
    )
    def test_an_address_that_would_have_to_be_mended_is_no_author(self, value: str) -> None:
        """A server in front that cannot read it finds neither a pass nor a fail for it (mail-requirements.md S5)."""
        assert parse(mail(f"From: {value}")).from_addresses == ()

    @pytest.mark.parametrize(
        "value",
        [
            "'ben@example.org' <ben@example.org>",
            "Ben [Club] <ben@example.org>",
            "Ben: at home <ben@example.org>",
            "=?utf-8?q?Ben_=40_home?= <ben@example.org>",
            "Ben O'Neil (home) < ben@example.org >",
            "<ben@example.org>",
        ],
    )
    def test_a_name_may_have_signs_that_are_none_of_an_address(self, value: str) -> None:
        assert parse(mail(f"From: {value}")).from_addresses == ("ben@example.org",)


@pytest.mark.parametrize(
    "above",
    [
        b"X-A: y\r\rM1: bid 5\r\r\r\n",
        b"X-A : y\r\n \r\nM1: bid 5\r\n \r\n",
        b"X-A : y\n \nM1: bid 5\n \n",
        b">From ben\r\n",
        b"X-A: y\x0b\x0cM1: bid 5\x0c\r\n",
        b"no field\r\n",
        b"Content-Language: de\r\rM1: bid 5\r\r\r\n",
    ],
)
def test_no_text_can_be_put_above_a_signed_body(above: bytes) -> None:
    """The standard library ends the header elsewhere than the server in front, which has checked the signature."""
    assert parse(above + mail("From: ben@example.org")).text == "bid 3\n"


def test_our_address_is_looked_for_in_the_order_of_the_specification() -> None:
    """mail-requirements.md A6."""
    fields = (
        "To",
        "Resent-To",
        "Cc",
        "X-Gm-Original-To",
        "X-Envelope-To",
        "Envelope-To",
        "X-Forwarded-To",
        "X-Original-To",
        "Delivered-To",
    )
    read = parse(mail(*(f"{name}: {number}@play.example.org" for number, name in enumerate(fields))))
    assert [address[0] for address in read.recipients] == ["8", "7", "6", "5", "4", "3", "0", "2", "1"]


def test_a_token_in_capitals_is_read_in_lower_case() -> None:
    """mail-requirements.md A2."""
    assert parse(mail("To: Play+ABCdef@Play.Example.Org")).recipients == ("play+abcdef@play.example.org",)


@pytest.mark.parametrize("between", [" ", ",", ", ", "\r\n ", ""])
def test_ids_may_be_separated_by_anything(between: str) -> None:
    read = parse(mail(f"References: <a@x>{between}<b@x>", "In-Reply-To: b@x"))
    assert (read.references, read.in_reply_to) == (("a@x", "b@x"), ("b@x",))


@pytest.mark.parametrize(
    ("raw", "subject"),
    [
        ("=?utf-8?B?w6kgw6k=?=", "é é"),
        ("=?utf-8?q?caf?=\r\n =?utf-8?q?=C3=A9?=", "café"),
        ("=?big5?q?=C3=A9?=", "é"),
        ("=?no-such-charset?q?bid?= 3", "bid 3"),
        ("=?utf-8?b?a?=", "=?utf-8?b?a?="),
        ("a\r\n\tb\x00c", "a bc"),
    ],
)
def test_the_subject_is_one_decoded_line(raw: str, subject: str) -> None:
    assert parse(mail(f"Subject: {raw}")).subject == subject


def test_a_subject_is_bounded() -> None:
    assert len(parse(mail("Subject: " + "x" * 5000)).subject) == 250


def test_authentication_results_are_handed_on_topmost_first() -> None:
    read = parse(
        mail("Authentication-Results: ours; dmarc=pass", "Authentication-Results: theirs; dmarc=pass")
    )
    assert read.authentication_results == ("ours; dmarc=pass", "theirs; dmarc=pass")


def test_what_stands_behind_a_cr_alone_is_no_field_and_ends_no_header() -> None:
    """The mail server that judged the sender (mail-requirements.md S2) saw one long line there."""
    smuggled = "X-A: b\rAuthentication-Results: ours; dmarc=pass\rFrom: ana@example.org\r\rbid 3"
    read = parse(mail("Received: by ours", smuggled, "From: mallory@example.net"))
    assert (read.from_addresses, read.authentication_results) == (("mallory@example.net",), ())


class TestContentKey:
    def test_the_same_mail_by_another_route_has_the_same_key(self) -> None:
        one = mail("Date: x", "From: a@b.c", "Subject: s")
        other = mail("Received: elsewhere", "Subject: s", "From:  a@b.c", "Date: x").replace(b"\r\n", b"\n")
        assert parse(one).content_key == parse(other).content_key

    @pytest.mark.parametrize(
        "other",
        [
            mail("Date: y", "From: a@b.c", "Subject: s"),
            mail("Date: x", "From: d@b.c", "Subject: s"),
            mail("Date: x", "From: a@b.c", "Subject: t"),
            mail("Date: x", "From: a@b.c", "Subject: s", body="bid 4"),
        ],
    )
    def test_another_mail_has_another_key(self, other: bytes) -> None:
        assert parse(mail("Date: x", "From: a@b.c", "Subject: s")).content_key != parse(other).content_key


class TestLimits:
    """mail-requirements.md M1: counted before anything is parsed."""

    def test_size(self) -> None:
        refused = refusal(mail("From: a@b.c", body="x" * 1_100_000))
        assert refused.code == "too-big"
        assert "1024 kB" in refused.sentence
        assert refused.mail is not None
        assert refused.mail.from_addresses == ("a@b.c",)

    def test_size_by_setting(self) -> None:
        with pytest.raises(UnreadableMail, match="too-big"):
            parse(mail("From: a@b.c"), max_size=10)

    def test_header_block(self) -> None:
        assert refusal(b"A: " + b"b" * MAX_HEADER + b"\r\n\r\nbid 3").code == "header-too-big"

    def test_number_of_fields(self) -> None:
        assert refusal(b"A: b\r\n" * (MAX_FIELDS + 1) + b"\r\nbid 3").code == "too-many-fields"

    def test_a_long_field_that_is_read(self) -> None:
        refused = refusal(mail("To: " + "a@b.c, " * (MAX_FIELD // 6)))
        assert (refused.code, refused.sentence) == (
            "field-too-long",
            "The field To of your mail is too long to be read. Please write a new mail to the game alone.",
        )

    def test_a_long_field_that_is_not_read_harms_nobody(self) -> None:
        assert parse(mail("X-Spam-Report: " + "x" * 9000)).text == "bid 3\n"

    def test_parts(self) -> None:
        head = "Content-Type: multipart/mixed; boundary=b"
        assert refusal(mail(head, body="--b\r\n\r\n\r\n" * 100_000)).code == "too-complex"

    def test_types(self) -> None:
        assert refusal(mail("From: a@b.c", body="Content-Type: text/plain\r\n" * 101)).code == "too-complex"

    @pytest.mark.parametrize("depth", [11, 50, 99, 1000])
    def test_nested_mails(self, depth: int) -> None:
        assert refusal(b"Content-Type: message/rfc822\r\n\r\n" * depth + b"bid 3").code == "too-complex"

    @pytest.mark.parametrize("depth", [11, 50, 90, 1000])
    def test_nested_multiparts(self, depth: int) -> None:
        level = "Content-Type: multipart/mixed; boundary=b{0}\r\n\r\n--b{0}\r\n"
        assert refusal("".join(map(level.format, range(depth))).encode() + b"\r\nbid 3").code == "too-complex"

    def test_ordinary_nesting_is_read(self) -> None:
        level = "Content-Type: multipart/mixed; boundary=b{0}\r\n\r\n--b{0}\r\n"
        assert parse("".join(map(level.format, range(8))).encode() + b"\r\nbid 3").text == "bid 3"


class TestReports:
    def test_a_bounce(self) -> None:
        read = parse((EMAILS / "bounce.eml").read_bytes())
        assert read.automatic is not None
        assert read.dsn == DeliveryReport(
            "failed", "5.1.1", "ana@example.net", "t.m17.7.b.k3f9a7c2d1@play.example.org"
        )

    def test_a_complaint(self) -> None:
        read = parse((EMAILS / "complaint.eml").read_bytes())
        assert read.automatic == "report"
        assert read.dsn == DeliveryReport(
            "complaint", "", "ana@example.net", "t.m17.7.b.k3f9a7c2d1@play.example.org"
        )

    def test_an_old_bounce_without_a_report(self) -> None:
        read = parse(mail("X-Failed-Recipients: Ana@example.net"))
        assert read.dsn == DeliveryReport("failed", "", "ana@example.net", "")


CODES = {
    "header-too-big",
    "too-many-fields",
    "field-too-long",
    "too-big",
    "too-complex",
    "sealed",
    "malformed",
}


def outcome(raw: bytes) -> str:
    """The code of the refusal, or `read`."""
    try:
        parse(raw)
    except UnreadableMail as refused:
        return refused.code
    return "read"


@given(st.binary(max_size=3000))
def test_no_bytes_raise_anything_else(raw: bytes) -> None:
    """mail-requirements.md M2."""
    assert outcome(raw) in CODES | {"read"}


PIECES = b"""\
From: a@b.c
To: "x
Subject: =?utf-8?b?
Content-Type: multipart/mixed; boundary=b
--b
--b--
Content-Type: text/plain; charset=\xff
Content-Type: text/html
Content-Type: message/rfc822
Content-Type: multipart/report; report-type=delivery-status; boundary=b
Content-Type: message/delivery-status
Content-Transfer-Encoding: base64
Content-Transfer-Encoding: x-uue
Content-Disposition: attachment; filename*0*=\xe9
begin 644 x
Action: failed
Message-ID: <<<
-----BEGIN PGP SIGNED MESSAGE-----
bid 3

 folded
Content-Type: text/plain; format=flowed; charset=utf-16
Content-Type:
:
\x00\xff\xfe""".split(b"\n")


@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_no_composition_of_mail_pieces_raises_anything_else(pieces: list[bytes]) -> None:
    assert outcome(b"\r\n".join(pieces)) in CODES | {"read"}
