"""Reading a reply in every client (mail-requirements.md Q1): text that is dropped, and text that never is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemserver.mailgate.reading.text_lines import split_lines
from gemserver.mailgate.reply import extract_eml, extract_html, extract_text
from tests.mailgate.clients import NOTICE, attribution, head, quote


class TestOurOwnText:
    """The notification must not be executed when a client repeats it without any mark."""

    def test_an_unmarked_copy_below_is_dropped(self) -> None:
        body = f"bid 3\n\n{NOTICE.split(chr(10), 1)[1]}"
        assert extract_text(body, sent=NOTICE) == "bid 3"

    def test_a_copy_wrapped_otherwise_is_dropped(self) -> None:
        copy = (
            NOTICE.split("\n", 2)[2]
            .replace("you are Ana", "you\nare Ana")
            .replace("write:  pass", "write:\npass")
        )
        assert extract_text(f"{copy}\n\nbid 3", sent=NOTICE) == "bid 3"

    def test_the_marker_alone_is_enough(self) -> None:
        assert extract_text(f"bid 3\n\n{NOTICE}\nresign") == "bid 3"

    def test_a_line_or_two_that_the_mail_shows_as_well_may_be_typed(self) -> None:
        sent = NOTICE + "\nbid 3\nsay hello\n"
        assert extract_text("bid 3\nsay hello", sent=sent) == "bid 3\nsay hello"

    def test_a_quoted_line_whose_end_was_wrapped_is_dropped_with_its_end(self) -> None:
        wrapped = quote(NOTICE).replace("write:  pass", "write:\npass")
        assert extract_text(f"bid 3\n\n{attribution('gmail en')}\n{wrapped}", sent=NOTICE) == "bid 3"


class TestClosing:
    @pytest.mark.parametrize(
        "closing",
        [
            "Best regards,\nAna",
            "Cheers",
            "Viele Grüße\n\nAna",
            "Mit freundlichen Grüßen,\nAna Novak",
            "Cordialement,\nAna",
            "S pozdravem\nAna",
            "Med vänlig hälsning\nAna",
            "С уважением,\nАнна",
        ],
    )
    def test_is_dropped_from_an_answer_to_our_mail(self, closing: str) -> None:
        assert extract_text(f"bid 3\n\n{closing}\n", sent=NOTICE) == "bid 3"

    def test_thanks_before_the_commands_hide_nothing(self) -> None:
        assert extract_text("Thanks\npass", sent=NOTICE) == "Thanks\npass"
        assert extract_text("bid 3\nthanks\npass", sent=NOTICE) == "bid 3\nthanks\npass"
        assert extract_text("bid 3\n\nThanks\npass 2", sent=NOTICE).endswith("pass 2")


class TestWhatIsKept:
    def test_text_between_and_below_quotes(self) -> None:
        assert extract_text("> a\n\nbid 3\n\n> b\n\nsay hi\n> c") == "bid 3\n\n\nsay hi"

    def test_a_gap_in_the_quote_of_a_chatty_reply(self) -> None:
        assert extract_text(f"hi\n\n{quote(NOTICE[:200])}\nbid 3\n{quote(NOTICE[200:])}") == "hi\n\nbid 3"

    def test_a_reply_below_an_attribution_whose_quote_was_deleted(self) -> None:
        assert extract_text(f"{attribution('thunderbird de')}\n\nbid 3") == "bid 3"

    def test_lists_are_no_signatures(self) -> None:
        typed = "bid 3\n- keep this\n-- and this\n* and this"
        assert extract_text(typed) == typed

    def test_dates_and_addresses_are_no_attribution(self) -> None:
        typed = "vacation 2026-03-01 2026-03-09\ninvite ben@example.org\nmail digest 08:00\nnote 21:14 ben@example.org"
        assert extract_text(typed) == typed

    def test_an_attribution_glued_to_the_last_line(self) -> None:
        glued = f"bid 3 {attribution('gmail en')} -- Reply above this line to play -- resign"
        assert extract_text(glued) == "bid 3"

    def test_what_is_said_may_look_like_anything(self) -> None:
        typed = (
            "say From: Ben <ben@example.org>\nsay On 3 Mar 2026 at 21:14, Ben <ben@example.org> wrote:\nbid 3"
        )
        assert extract_text(typed) == typed

    @pytest.mark.parametrize(
        "inside",
        [
            "> nice move\nThank you!",
            "| Ben: hi",
            "On Tue, 3 Mar 2026 at 21:14, Ben <ben@example.org> wrote:\n> x\nthat was fun",
            "From: Ben <ben@example.org>\nSent: Tuesday, 3 March 2026 21:14\nTo: Ana\nSubject: x\n\nLook at that",
            "Rules:\n--\nno more",
            "________________\nx",
            "Sent from my iPhone",
            "CONFIDENTIALITY NOTICE: do not read",
            "Cheers\nAna",
        ],
    )
    @pytest.mark.parametrize("end", ["end", "End."])
    @pytest.mark.parametrize("below", ["", f"\n\n{attribution('gmail en')}\n{quote(NOTICE)}"])
    def test_what_stands_in_a_text_of_several_lines(self, inside: str, end: str, below: str) -> None:
        """Quoted lines vanished, and a signature or head swallowed the `end`, so that all below became talk."""
        typed = f"say\n{inside}\n{end}\nbid 3"
        assert extract_text(f"{typed}{below}", sent=NOTICE) == typed

    def test_but_not_our_own_mail_below_a_text_that_has_no_end(self) -> None:
        assert extract_text(f"say\nhello\n\n{attribution('mutt')}\n{quote(NOTICE)}\nbid 3\nend") == (
            "say\nhello\n\nbid 3\nend"
        )


class TestWhatIsDropped:
    def test_the_unquoted_original_of_a_reply_that_is_empty(self) -> None:
        assert extract_text(f"{attribution('gmail en')}\n\n{NOTICE}\nresign") == ""
        assert extract_text(f"\n\n{head('fr')}\n\nresign") == ""

    def test_a_signature_above_the_quote_and_below(self) -> None:
        assert extract_text(f"bid 3\n-- \nAna\nresign\n\n{attribution('mutt')}\n{quote(NOTICE)}") == "bid 3"
        assert extract_text(f"{attribution('mutt')}\n{quote(NOTICE)}\n\nbid 3\n-- \nAna\nresign") == "bid 3"

    @pytest.mark.parametrize(
        "footer",
        [
            "This e-mail and any attachments are confidential and intended solely for the addressee.",
            "CONFIDENTIALITY NOTICE: do not read",
            "Diese E-Mail enthält vertrauliche Informationen.",
            "Ce message est confidentiel et destiné à son seul destinataire.",
            "Tento e-mail byl zkontrolován na viry programem AVG.",
            "This email has been checked for viruses by Avast antivirus software.",
        ],
    )
    def test_footers_of_offices_and_scanners(self, footer: str) -> None:
        assert extract_text(f"bid 3\n\n________________\n{footer}\nresign") == "bid 3"
        assert extract_text(f"bid 3\n\n{footer}\nresign") == "bid 3"

    def test_the_end_of_a_quoted_line_that_the_client_wrapped(self) -> None:
        long = "> " + "word " * 16
        assert extract_text(f"bid 3\n\n{long}\nresign\n> more") == "bid 3"


_LINES = st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60), max_size=30)


@given(st.text(max_size=600))
def test_no_text_raises(text: str) -> None:
    assert isinstance(extract_text(text, sent=text[:100]), str)
    assert isinstance(extract_html(text), str)


@given(st.binary(max_size=600))
def test_no_mail_raises(raw: bytes) -> None:
    assert isinstance(extract_eml(raw), str)


@given(_LINES)
def test_every_line_read_is_a_line_of_the_mail_or_its_beginning(lines: list[str]) -> None:
    text = "\n".join(lines)
    cleaned = split_lines(text)
    assert all(any(line.startswith(read) for line in cleaned) for read in extract_text(text).split("\n"))


@given(
    st.lists(
        st.sampled_from(["bid 3", "pass", "say hello there", "status", "take SR pay 1 2", ""]), max_size=20
    )
)
def test_plain_commands_are_read_as_they_are_and_reading_twice_changes_nothing(lines: list[str]) -> None:
    text = "\n".join(lines).strip("\n")
    assert extract_text(text) == text
    assert extract_text(extract_text(text)) == text
