"""Mails with a plain and an HTML part, and HTML alone.

Lines end where they were typed, and forwarded or struck-out text is not carried out.
"""

from __future__ import annotations

from email.message import EmailMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from textwrap import wrap

import pytest

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.lib.text.fingerprint import Fingerprint
from gemserver.mailgate.reading.html_text import html_to_text
from gemserver.mailgate.reply import extract_eml, extract_html, extract_text, read_reply
from gemserver.matches.models import Seat
from tests.mailgate.clients import NOTICE
from tests.mailgate.letters import letter, receive
from tests.mailgate.posting import codes, sent_to

SAID = (
    "say I have looked at your move for the whole of the evening, and whatever I try, there is nothing that I can do; "
    "you will have to wait until I have slept over it, and then perhaps I must\npass"
)
"""If it were read as Gmail wraps it, its last words would be a move."""


def mail(plain: str, marked_up: str) -> bytes:
    letter = EmailMessage()
    letter["From"], letter["To"] = "ana@example.net", "play@gem.localhost"
    letter.set_content(plain, cte="8bit")
    letter.add_alternative(marked_up, subtype="html", cte="8bit")
    return letter.as_bytes()


class TestLineEnds:
    """mail-requirements.md M5: Gmail wraps its plain part at 78 and does not say so; its HTML knows."""

    def test_what_is_said_arrives_whole(self) -> None:
        said = SAID.replace("\n", " ")
        wrapped = "\n".join(wrap(said, 78))
        plain = f"bid 3\n{wrapped}\n\nOn Tue, 3 Mar 2026 at 21:14, Gem <a@b.c> wrote:\n\n> x\n"
        html = (
            f'<div dir="ltr">bid 3<div>{said}</div></div><br><div class="gmail_quote"><div class="gmail_attr">'
            "On Tue, 3 Mar 2026 at 21:14, Gem &lt;a@b.c&gt; wrote:<br></div><blockquote>x</blockquote></div>"
        )
        assert extract_eml(mail(plain, html)).split("\n") == ["bid 3", " ".join(said.split())]

    def test_lines_that_only_one_part_has_stay_as_they_are(self) -> None:
        plain = "bid 3\nsay one\ntwo\n[image: logo]\n"
        assert (
            extract_eml(mail(plain, "<p>bid 3</p><p>say one two</p><img>"))
            == "bid 3\nsay one two\n[image: logo]"
        )

    def test_other_words_are_not_taken_from_the_html(self) -> None:
        assert extract_eml(mail("bid 3\n", "<p>bid 4</p>")) == "bid 3"

    def test_signs_are_those_of_the_plain_part(self) -> None:
        assert extract_eml(mail("play RB-- 0,0 N\n", "<p>play RB— 0,0 N</p>")) == "play RB-- 0,0 N"


class TestStruckOut:
    @pytest.mark.parametrize(
        "struck",
        [
            "<s>bid 3</s>",
            "<strike>bid 3</strike>",
            "<del>bid 3</del>",
            '<span style="text-decoration:line-through">bid 3</span>',
            '<span style="text-decoration-line: underline line-through">bid 3</span>',
            '<div style="text-decoration: red line-through"><b>bid 3</b></div>',
            "<s><div>bid 3</div></s>",
        ],
    )
    def test_is_not_done(self, struck: str) -> None:
        """mail-requirements.md M9."""
        html = f"<div>{struck}</div><div>bid 4</div>"
        assert extract_html(html) == "bid 4"
        assert extract_eml(mail("bid 3\nbid 4\n", html)) == "bid 4"

    def test_the_rest_of_its_line_is(self) -> None:
        html = "<p>bid <s>3</s> 4</p>"
        assert " ".join(extract_html(html).split()) == "bid 4"
        assert " ".join(extract_eml(mail("bid 3 4\n", html)).split()) == "bid 4"

    def test_a_raised_number_is_no_digit_of_the_one_before_it(self) -> None:
        """The plain part of the mail knows no raised text: `bid 3` with a footnote 2 was a bid of 32."""
        html = "<div>bid 3<sup>2</sup></div><div>say 10<sup>th</sup></div>"
        assert extract_eml(mail("bid 32\nsay 10th\n", html)) == "bid 3^2\nsay 10th"

    def test_underlined_text_is_done(self) -> None:
        assert extract_html('<u style="text-decoration:underline">bid 3</u>') == "bid 3"

    def test_nobody_can_write_our_marks(self) -> None:
        assert html_to_text("a\ue000b\ue001c<s>d</s>") == "abc"


def joined(*parts: tuple[str, str], kind: str = "mixed") -> MIMEMultipart:
    """A mail of these parts: `("html", "<p>bid 3</p>")`."""
    whole = MIMEMultipart(kind)
    for subtype, text in parts:
        whole.attach(MIMEText(text, subtype, "utf-8"))
    return whole


class TestListFooters:
    """mail-requirements.md M3: a list puts its footer below whatever it sends on, as a plain part of its own."""

    FOOTER = ("plain", "_______\nTo leave: resign\n")

    def test_html_alone_is_read_and_not_the_footer_behind_it(self) -> None:
        assert extract_eml(joined(("html", "<p>bid 3</p>"), self.FOOTER).as_bytes()) == "bid 3"

    def test_html_with_its_pictures_too(self) -> None:
        whole = joined()
        whole.attach(joined(("html", "<p>bid 3</p>"), kind="related"))
        whole.attach(MIMEText(self.FOOTER[1]))
        assert extract_eml(whole.as_bytes()) == "bid 3"

    def test_html_that_is_another_form_of_nothing_plain(self) -> None:
        whole = joined()
        whole.attach(joined(("html", "<p>bid 3</p>"), kind="alternative"))
        whole.attach(MIMEText(self.FOOTER[1]))
        assert extract_eml(whole.as_bytes()) == "bid 3"

    def test_a_plain_part_that_is_another_form_of_the_html_before_it_is_read(self) -> None:
        whole = joined(("html", "<p>other</p>"), ("plain", "bid 3"), kind="alternative")
        assert extract_eml(whole.as_bytes()) == "bid 3"

    def test_a_plain_part_behind_html_that_says_nothing_is_read(self) -> None:
        assert extract_eml(joined(("html", "<img src='cid:a'>"), ("plain", "bid 3")).as_bytes()) == "bid 3"


FORWARDS = {
    "gmail": (
        '<div dir="ltr"><br><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">'
        "---------- Forwarded message ---------<br>From: <strong>Ben</strong> &lt;ben@example.org&gt;<br>"
        "Date: Tue, 3 Mar 2026 at 21:14<br>Subject: look<br>To: Ana &lt;ana@example.net&gt;<br></div><br><br>"
        '<div dir="ltr">resign<div>bid 3</div></div></div></div>'
    ),
    "gmail in a language of no list": (
        '<div class="gmail_quote"><div class="gmail_attr">---------- Xxxxxx xxx ---------<br>Aa: <b>Ben</b><br>'
        "Bb: x<br>Cc: y<br>Dd: z<br></div><br>resign<br>bid 3</div>"
    ),
    "outlook": (
        '<div id="appendonsend"></div><hr><div id="divRplyFwdMsg" dir="ltr"><b>From:</b> Ben<br><b>Sent:</b> '
        "Tuesday<br><b>To:</b> Ana<br><b>Subject:</b> look</div><div>resign</div><div>bid 3</div>"
    ),
    "outlook in a language of no list": '<div id="x_divRplyFwdMsg"><b>Aa:</b> Ben</div><div>resign</div><p>bid 3</p>',
    "outlook desktop": (
        '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"><p><b>Aa:</b> Ben</p></div>'
        "<p>resign</p><p>bid 3</p>"
    ),
    "thunderbird": (
        '<p><br></p><div class="moz-forward-container"><br><br>-------- Forwarded Message --------'
        '<table class="moz-email-headers-table"><tbody><tr><th>Subject: </th><td>look</td></tr></tbody></table>'
        "<br><p>resign</p></div></div><p>bid 3</p>"
    ),
    "thunderbird, older": (
        '<table class="moz-email-headers-table" border="0"><tbody><tr><th>Subject: </th><td>look</td></tr>'
        "<tr><th>From: </th><td>Ben</td></tr></tbody></table><br>resign<br>bid 3"
    ),
    "apple": (
        "<div><br><div>Begin forwarded message:</div><br><blockquote type='cite'><div><b>From: </b>Ben</div>"
        "<div>resign</div></blockquote></div>"
    ),
    "apple, without a mark": (
        "<div>Begin forwarded message:</div><div><b>From: </b>Ben &lt;ben@example.org&gt;</div><div><b>Subject: </b>"
        "look</div><div><b>Date: </b>3 March 2026</div><div>resign</div><div>bid 3</div>"
    ),
}


@pytest.mark.parametrize("client", FORWARDS)
class TestForwarded:
    """mail-requirements.md T11: after a marked head everything is quoted."""

    def test_nothing_of_it_is_done(self, client: str) -> None:
        assert extract_html(FORWARDS[client]) == ""

    def test_what_was_typed_above_it_is(self, client: str) -> None:
        assert extract_html(f"<div>bid 4</div>{FORWARDS[client]}") == "bid 4"

    def test_text_that_quotes_it_marked_may_be_followed_by_a_move(self, client: str) -> None:
        assert extract_html(f"<blockquote>{FORWARDS[client]}</blockquote><div>bid 4</div>") == "bid 4"


class TestAttributionsOfGmail:
    ATTRIBUTION = '<div class="gmail_quote"><div class="gmail_attr">On Tue, Ben wrote:<br></div>'

    def test_below_the_quote_may_be_typed(self) -> None:
        assert (
            extract_html(f"{self.ATTRIBUTION}<blockquote>resign</blockquote></div><div>bid 4</div>")
            == "bid 4"
        )

    def test_between_quotes_too(self) -> None:
        quotes = "<blockquote>a</blockquote><div>bid 4</div><blockquote>b</blockquote>"
        assert extract_html(f"{self.ATTRIBUTION}{quotes}</div>") == "bid 4"

    def test_what_it_announces_is_quoted_though_it_has_no_mark(self) -> None:
        assert extract_html(f"<div>bid 4</div>{self.ATTRIBUTION}<div>resign</div></div>") == "bid 4"


class TestClosings:
    """mail-requirements.md Q1: the server reads a reply as the scorer does."""

    @pytest.mark.parametrize(
        "closing", ["Best regards,\nAna", "Cheers", "Viele Grüße\n\nAna", "S pozdravem\nAna"]
    )
    def test_server_and_scorer_drop_the_same(self, closing: str) -> None:
        body = f"bid 3\n\n{closing}\n"
        assert read_reply(body, [Fingerprint.of(NOTICE)]) == extract_text(body, sent=NOTICE) == "bid 3"

    @pytest.mark.django_db
    def test_a_closing_below_a_reply_is_not_reported(self, seat: Seat, player: User) -> None:
        assert codes(_reply(seat, "bid 1\n\nBest regards,\nAna")) == ["done"]

    @pytest.mark.django_db
    @pytest.mark.parametrize("move", ["Status", "Pass"])
    def test_a_move_below_thanks_is_no_name(self, seat: Seat, player: User, move: str) -> None:
        row = _reply(seat, f"say Hello.\n\nThanks\n{move}")
        assert row.results[-1]["line"].lower() == move.lower()
        assert row.results[-1]["outcome"] != "unread"


def _reply(seat: Seat, body: str) -> InboundEmail:
    assert seat.user
    return receive(seat, letter(seat, body, answering=sent_to(seat.user)[-1]))
