"""Players' text becomes a little formatting and nothing that acts (mail-requirements.md threat 14)."""

from __future__ import annotations

import re

import pytest

from gemserver.lib.text.markdown import render

REL = 'rel="nofollow noopener noreferrer ugc"'


@pytest.mark.parametrize(
    ("typed", "html"),
    [
        ("*well* **played** `bid 3`", "<p><em>well</em> <strong>played</strong> <code>bid 3</code></p>\n"),
        ("one\ntwo", "<p>one<br>\ntwo</p>\n"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        ("7. a", '<ol start="7">\n<li>a</li>\n</ol>\n'),
        ("> yes", "<blockquote>\n<p>yes</p>\n</blockquote>\n"),
        ("```\nA  B\n```", "<pre><code>A  B\n</code></pre>\n"),
        (
            "[rules](https://example.org/a)",
            f'<p><a href="https://example.org/a" {REL}>rules</a> (example.org)</p>\n',
        ),
        ("<https://example.org/>", f'<p><a href="https://example.org/" {REL}>https://example.org/</a></p>\n'),
        (
            "see https://example.org/a_b_c?d=1&e=(2), please.",
            f'<p>see <a href="https://example.org/a_b_c?d=1&amp;e=(2)" {REL}>'
            "https://example.org/a_b_c?d=1&amp;e=(2)</a>, please.</p>\n",
        ),
        (
            "*HTTP://example.org* (https://example.com)",
            f'<p><em><a href="HTTP://example.org" {REL}>HTTP://example.org</a></em>'
            f' (<a href="https://example.com" {REL}>https://example.com</a>)</p>\n',
        ),
        ("`https://example.org`", "<p><code>https://example.org</code></p>\n"),
        (
            "[see https://example.org](https://example.com)",
            f'<p><a href="https://example.com" {REL}>see https://example.org</a> (example.com)</p>\n',
        ),
        (
            "[Ana](mailto:ana@example.org), *[the bank](https://evil.example:8/?bank.example)*",
            f'<p><a href="mailto:ana@example.org" {REL}>Ana</a> (ana@example.org), '
            f'<em><a href="https://evil.example:8/?bank.example" {REL}>the bank</a> (evil.example:8)</em></p>\n',
        ),
        ("<ana@example.org>", f'<p><a href="mailto:ana@example.org" {REL}>ana@example.org</a></p>\n'),
        ("[x](https://good.example@evil.example/)", "<p>[x](https://good.example@evil.example/)</p>\n"),
        ("[x](https://[evil.example)", "<p>[x](https://[evil.example)</p>\n"),
        ("[x](https:evil.example)", "<p>[x](https:evil.example)</p>\n"),
        ("[x](https:///evil.example)", "<p>[x](https:///evil.example)</p>\n"),
        ("javascript://example.org http:// x://y", "<p>javascript://example.org http:// x://y</p>\n"),
        ("https://good.example@evil.example/", "<p>https://good.example@evil.example/</p>\n"),
        ("2 < 3 & 4", "<p>2 &lt; 3 &amp; 4</p>\n"),
        ("# no heading", "<p># no heading</p>\n"),
    ],
)
def test_a_little_formatting(typed: str, html: str) -> None:
    assert render(typed) == html


@pytest.mark.parametrize(
    "typed",
    [
        "<script>alert(1)</script>",
        "![x](https://spy.example/pixel.png)",
        "<img src=https://spy.example/pixel.png onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt&#58;alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](vbscript:x)",
        "[x](/accounts/logout/)",
        "[x](//spy.example)",
        "<javascript:alert(1)>",
        '[x](https://e.org "onmouseover=alert(1)")',
        '<a href="https://e.org" style="position:fixed" onclick="x()">x</a>',
        "<svg/onload=alert(1)>",
        "[x]: javascript:alert(1)\n\n[x]",
        "`<b>` **<i>**",
        "javascript:https://e.org",
        'https://e.org/"onmouseover=alert(1)',
        "https://e.org/<script>alert(1)</script>",
    ],
)
def test_nothing_that_acts(typed: str) -> None:
    html = render(typed)
    tags = re.findall(r"<(/?[a-z]+)([^>]*)>", html)
    assert {name.strip("/") for name, _ in tags} <= {"p", "a", "code", "strong", "em"}
    for name, attributes in tags:
        assert not attributes or (name == "a" and re.fullmatch(rf' href="https://[\w./]+" {REL}', attributes))


def test_deep_nesting_is_bounded() -> None:
    assert render("> " * 1000 + "x").count("<blockquote>") <= 12
    assert "x" in render("*" * 1000 + "x" + "*" * 1000)
