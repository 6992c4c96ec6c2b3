"""Bytes and markup of a mail as lines: charsets, flowed text, HTML."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from gemserver.mailgate.reading.charset import decode_bytes
from gemserver.mailgate.reading.flowed import unflow
from gemserver.mailgate.reading.html_text import html_to_text
from gemserver.mailgate.reading.sent_text import is_marker
from gemserver.mailgate.reading.text_lines import (
    MAX_LINE,
    MAX_LINES,
    MAX_TEXT,
    is_quoted,
    split_lines,
    unquoted,
)
from gemserver.mailgate.reply import extract_html


class TestCharset:
    """mail-requirements.md M4: never an exception, and the intended letters wherever they can be told."""

    @pytest.mark.parametrize(
        ("encoding", "label", "text"),
        [
            ("utf-8", None, "žluťoučký"),
            ("utf-8", "us-ascii", "žluťoučký"),
            ("utf-8", "iso-8859-1", "žluťoučký"),
            ("utf-8", "big5", "naïve"),
            ("utf-8", "no-such-charset", "žluťoučký"),
            ("utf-8", "zlib", "bid 3"),
            ("utf-8", '"UTF-8"', "é"),
            ("cp1252", None, "“déjà” – vu"),
            ("cp1252", "iso-8859-1", "“déjà” – vu"),
            ("cp1250", "windows-1250", "Pěkný tah"),
            ("iso-8859-2", "iso-8859-2", "Pěkný tah"),
            ("gb18030", "gb2312", "好棋镕"),
            ("cp949", "ks_c_5601-1987", "좋은 수"),
            ("iso2022_jp_ext", "iso-2022-jp", "いい手"),
            ("cp932", "shift_jis", "いい手①"),
            ("koi8-r", "koi8-r", "ход"),
            ("utf-16", "utf-16", "ход"),
            ("utf-16-le", "utf-16le", "ход"),
        ],
    )
    def test_the_text_is_found_in_spite_of_the_label(
        self, encoding: str, label: str | None, text: str
    ) -> None:
        assert decode_bytes(text.encode(encoding), label) == text

    @pytest.mark.slow
    @given(
        st.binary(max_size=200),
        st.one_of(st.none(), st.text(max_size=12), st.sampled_from(["utf-16", "hz", "idna", "rot13"])),
    )
    def test_no_bytes_and_no_label_raise(self, raw: bytes, label: str | None) -> None:
        assert isinstance(decode_bytes(raw, label), str)


class TestFlowed:
    """mail-requirements.md M5: RFC 3676, undone before anything looks at lines."""

    def test_soft_breaks_are_joined_and_hard_ones_kept(self) -> None:
        assert unflow("say one \ntwo\nbid 3", delete_space=False) == "say one two\nbid 3"

    def test_the_blank_before_a_break_may_not_belong_to_the_text(self) -> None:
        assert unflow("say on \ne", delete_space=True) == "say one"

    def test_stuffed_blanks_go(self) -> None:
        assert unflow(" From here\n >x", delete_space=False) == "From here\n>x"

    def test_quoted_and_typed_lines_are_never_joined(self) -> None:
        assert unflow("> one \n>two\n>> deep \nbid 3", delete_space=False) == "> one two\n>> deep \nbid 3"

    def test_the_signature_delimiter_is_no_soft_break(self) -> None:
        assert unflow("bid 3 \n-- \nAna", delete_space=False) == "bid 3 \n-- \nAna"

    @given(st.text(alphabet="> ab\n", max_size=60), st.booleans())
    def test_no_letter_is_lost(self, text: str, delete_space: bool) -> None:
        flowed = unflow(text, delete_space=delete_space)
        assert [sign for sign in flowed if sign in "ab"] == [sign for sign in text if sign in "ab"]


class TestHtml:
    """mail-requirements.md M9: the shown content, as text; nothing hidden, nothing loaded."""

    @pytest.mark.parametrize(
        ("source", "text"),
        [
            ("bid 3<br>say hi", "bid 3\nsay hi"),
            ("<div>bid 3</div><div>say&nbsp;hi</div>", "bid 3\nsay\u00a0hi"),
            ("<p>bid 3</p><p>say hi</p>", "bid 3\n\nsay hi"),
            ("<DIV>bid\n  3</DIV>", "bid 3"),
            ("<pre>bid 3\nsay hi</pre>", "bid 3\nsay hi"),
            ("a<blockquote>b<blockquote>c</blockquote>d</blockquote>e", "a\n> b\n>> c\n> d\ne"),
            ("a<blockquote>b", "a\n> b"),
            ("a<blockquote><div>b</blockquote></div>c", "a\n> b\nc"),
            ("<b><blockquote>a</b>b</blockquote>c", "> ab\nc"),
            ("<blockquote>a</div>b</blockquote>c", "> a\n> b\nc"),
            ("<blockquote><div class=gmail_attr>a</blockquote>b", ">> a\nb"),
            ("bid 3<div style='display:none'>resign</div>", "bid 3"),
            ('bid 3<span style="font-size:0px">resign</span>', "bid 3"),
            ('<span style="FONT-SIZE:0">resign</span>bid 3', "bid 3"),
            ("bid 3<div style='opacity: 0;'>resign</div>", "bid 3"),
            ("bid 3<div style='opacity:0.0 !important'>resign</div>", "bid 3"),
            ("<div style='opacity:0.7'>bid 3</div>", "bid 3"),
            ("bid 3<div style='max-height:0px;overflow:hidden'>resign</div>", "bid 3"),
            ("bid 3<div style='line-height:1;mso-hide : all'>resign</div>", "bid 3"),
            ("bid 3<div style='visibility:hidden'>resign</div>", "bid 3"),
            ("bid 3<div style='font-size:0.0em'>resign</div>", "bid 3"),
            ("<div style='font-size:0.9em;margin-left:-100px'>bid 3</div>", "bid 3"),
            ("bid 3<span style='position:absolute;left:-9999px'>resign</span>", "bid 3"),
            ("bid 3<div hidden>resign</div>", "bid 3"),
            ("bid 3<div class=x HIDDEN>resign</div>", "bid 3"),
            ('bid 3<div hidden="" id=a>resign</div>', "bid 3"),
            ('<div title="a hidden b" data-hidden=1>bid 3</div>', "bid 3"),
            ('bid 3<span aria-hidden="true">resign</span>', "bid 3"),
            ('<span aria-hidden="false">bid 3</span>', "bid 3"),
            ("bid 3<sup>2</sup>", "bid 3^2"),
            ("bid 3<sub><b>2</b></sub>", "bid 3^2"),
            ("the 2<sup>nd</sup> option", "the 2nd option"),
            ("bid <sup>3</sup>", "bid 3"),
            ("bid 3<script>resign</script><style>resign</style>", "bid 3"),
            ("bid 3<!-- resign -->", "bid 3"),
            ("<title>resign</title>bid 3", "bid 3"),
            ("1 < 2 &amp;&lt; 3", "1 < 2 &< 3"),
            ('<a title="a > b">bid 3</a>', "bid 3"),
            ("bid 3<!-- resign", "bid 3"),
            ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ],
    )
    def test_as_text(self, source: str, text: str) -> None:
        assert html_to_text(source) == text

    @pytest.mark.parametrize(
        "quoted",
        [
            '<div class="gmail_attr">On Tue, x wrote:</div><blockquote class="gmail_quote">resign</blockquote>',
            '<div id="divRplyFwdMsg"><b>From:</b> x</div><div>resign</div>',
            '<div id="x_appendonsend"></div><div>resign</div>',
            '<div id="mail-editor-reference-message-container"><div>resign</div></div>',
            '<div style="border:none;border-top:solid #E1E1E1 1.0pt">From: x</div>resign',
            '<div class="yahoo_quoted" id="yahoo_quoted_12"><div>resign</div></div>',
            '<div class="protonmail_quote">resign</div>',
            '<div name="messageReplySection">resign</div>',
            '<div class="zmail_extra">resign</div>',
            '<hr id="zwchr"><div>resign</div>',
            '<div class="moz-cite-prefix">On 3/3/26, x wrote:</div><blockquote type="cite">resign</blockquote>',
            '<div id="m_83gem-reply-above">-- marker in another tongue --</div><p>resign</p>',
        ],
    )
    def test_what_a_client_marks_as_the_original_is_not_read(self, quoted: str) -> None:
        assert extract_html(f"<div>bid 3</div><br>{quoted}") == "bid 3"

    def test_text_below_the_quote_is_read(self) -> None:
        assert extract_html("<blockquote type='cite'>resign</blockquote><div>bid 3</div>") == "bid 3"

    def test_an_indented_paragraph_is_typed(self) -> None:
        source = '<blockquote style="margin:0 0 0 40px;border:none;padding:0">bid 3</blockquote>'
        assert extract_html(source) == "bid 3"

    @given(st.text(alphabet='<>/!-abp"= &#;\n', max_size=200))
    def test_no_markup_raises(self, source: str) -> None:
        assert "\x00" not in html_to_text(source)


class TestLines:
    """mail-requirements.md M8."""

    def test_text_is_bounded(self) -> None:
        assert sum(map(len, split_lines("x" * 10 * MAX_TEXT))) <= MAX_LINE
        assert len(split_lines("x\n" * 10 * MAX_LINES)) == MAX_LINES

    def test_every_line_end_is_one(self) -> None:
        assert split_lines("a\r\nb\rc\u2028d\x0be") == ["a", "b", "c", "d", "e"]

    def test_controls_go(self) -> None:
        assert split_lines("b\x00i\x1bd\x7f 3\x9f") == ["bid 3"]

    @pytest.mark.parametrize("line", ["> a", ">a", " > a", ">> > a", "| a", "AN> a", "» a"])
    def test_quote_marks(self, line: str) -> None:
        assert is_quoted(line)
        assert unquoted(line) == "a"

    @pytest.mark.parametrize("line", ["a > b", "bid 3", "|a|", "<a>", "Re > a"])
    def test_what_is_no_quote_mark(self, line: str) -> None:
        assert not is_quoted(line)


class TestMarker:
    @pytest.mark.parametrize(
        "lines",
        [
            ["-- Reply above this line to play --"],
            ["> -- Reply above this line to play --"],
            [">> -- Reply above", ">> this line to play --"],
            ["-- Your turn: bid (day 2 of 6). Reply above this line to play --"],
            [
                "> -- Your turn: bid or pass (gem 1",
                "> of 15: small lily). Reply above this",
                "> line to play --",
            ],
            ["-- Du bist dran: bid. Zum Spielen oberhalb dieser Zeile antworten --"],
            ["##- Please type your reply above this line -##"],
            ["-- Répondez au-dessus de cette ligne pour jouer --"],
            ["-- Zum Spielen oberhalb dieser Zeile antworten --"],
            ["-- Odpovězte nad tímto řádkem --"],
            ["*-- Reply above this line to play --*"],
        ],
    )
    def test_is_known_in_every_language_and_wrapping(self, lines: list[str]) -> None:
        assert is_marker(lines, 0)

    @pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
    def test_is_known_as_we_print_it_in_every_language_of_ours(self, language: str) -> None:
        with translation.override(language):
            for lead in ("", "Your turn: bid or pass (gem 1 of 15: small lily, worth 5)."):
                printed = render_to_string("emails/marker.txt", {"lead": lead}).strip()
                assert is_marker([printed], 0)

    @pytest.mark.parametrize(
        "line", ["say reply above this line", "-- ", "", "- bid 3", "I wrote my reply above this line"]
    )
    def test_typed_lines_are_no_marker(self, line: str) -> None:
        assert not is_marker([line], 0)
