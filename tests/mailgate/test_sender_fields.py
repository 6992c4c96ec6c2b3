"""Verdicts read from the `Authentication-Results` of real servers, whatever the sender put into them.

See mail-requirements.md S2.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gemserver.mailgate.reading import authentication_results
from gemserver.mailgate.reading.authentication_results import LONGEST, read_verdicts

OURS, ANA = "mx.gem.example", "ana@example.org"


@dataclass(frozen=True, slots=True)
class Sample:
    server: str
    author: str
    dmarc: str
    spf: str
    seen: str
    fields: tuple[str, ...]


def _samples() -> list[Sample]:
    text = (Path(__file__).parent / "sender_fields.txt").read_text()
    found = []
    for block in text.split("\n\n"):
        head, *rest = [line for line in block.splitlines() if not line.startswith("#")] or [""]
        if head:
            values = dict(part.split(": ", 1) for part in head.split(" | "))
            found.append(
                Sample(
                    values["server"], values["from"], values["dmarc"], values["spf"], rest[0], tuple(rest[1:])
                )
            )
    return found


SAMPLES = _samples()


@pytest.mark.parametrize("sample", SAMPLES, ids=[sample.seen[6:40] for sample in SAMPLES])
def test_the_fields_of_real_servers_are_read(sample: Sample) -> None:
    read = read_verdicts(sample.fields, sample.server, sample.author)
    assert (read["dmarc"], read["spf"]) == (sample.dmarc, sample.spf)


def read(value: str, author: str = ANA) -> tuple[str, str]:
    verdicts = read_verdicts([value], OURS, author)
    return verdicts["dmarc"], verdicts["spf"]


# --- A sender's own words in a field --------------------------------------------------------------

CLAIM = "dmarc=pass header.from=example.org"


@pytest.mark.parametrize(
    "results",
    [
        'spf=pass smtp.mailfrom="dmarc=pass@evil.example"; dmarc=fail header.from=example.org',
        f'spf=pass smtp.mailfrom="; {CLAIM};"@evil.example; dmarc=fail header.from=example.org',
        f"spf=fail (domain of ; {CLAIM} ; does not designate) smtp.mailfrom=x; dmarc=fail header.from=example.org",
        f'dmarc=fail reason="{CLAIM}; {CLAIM}" header.from=example.org',
        f'dkim=pass header.i="; {CLAIM}"@evil.example; dmarc=fail header.from=example.org',
        f'dkim=pass header.d=evil.example header.i="\\"; {CLAIM}; x=\\""@x.example; '
        "dmarc=fail header.from=example.org",
        f"dkim=fail (\\) ; {CLAIM} \\() header.d=evil.example; dmarc=fail header.from=example.org",
        f"dkim=fail ((({CLAIM})); {CLAIM}) header.d=evil.example; dmarc=fail header.from=example.org",
        "dmarc=fail smtp.mailfrom=dmarc=pass@evil.example header.from=example.org",
    ],
)
def test_what_the_sender_wrote_into_the_field_does_not_count(results: str) -> None:
    """mail-requirements.md S2: a local part, quoted string, comment, reason or signature's identity was believed."""
    assert read(f"{OURS}; {results}")[0] == "fail"


@pytest.mark.parametrize(
    "results",
    [
        'spf=pass smtp.mailfrom="dmarc=fail@example.org"',
        "spf=pass (dmarc=fail; dmarc=fail header.from=example.org) smtp.mailfrom=x@example.org",
        'dkim=pass reason="; dmarc=fail header.from=example.org" header.d=example.org',
    ],
)
def test_honest_mail_is_not_refused_for_a_word_in_its_field(results: str) -> None:
    assert read(f"{OURS}; {results}; {CLAIM}")[0] == "pass"


@pytest.mark.parametrize(
    "value",
    [
        f"{OURS}; {CLAIM}; {CLAIM}",
        f"{OURS}; dmarc=pass header.from=example.net",
        f"{OURS}; dmarc=pass header.from=sub.example.org",
        f"{OURS}; dmarc=pass header.from=example.org header.from=example.net",
        f"{OURS}; dmarc=pass header.from=ana@example.org",
        f"{OURS}; dmarc=pass",
        f"{OURS}; dmarc=pass (header.from=example.org)",
        f"{OURS}; dmarc=pass smtp.from=example.org",
        f"{OURS}; dmarc=passed header.from=example.org",
        f"{OURS}; xdmarc=pass header.from=example.org",
        f"{OURS} 2; {CLAIM}",
        f"{OURS}.evil.example; {CLAIM}",
        f"evil.example {OURS}; {CLAIM}",
        f"{CLAIM}",
        f"; {CLAIM}",
        f"{OURS};; {CLAIM}",
        f"{OURS}; spf=pass (; {CLAIM}",
        f'{OURS}; spf=pass smtp.mailfrom="; {CLAIM}',
        f'{OURS}; spf=pass (domain of ") ; {CLAIM} ; x=(y@evil.example" designates) smtp.mailfrom=x',
        f"{OURS}; spf=pass {'(' * 300}{')' * 150} ; {CLAIM} ; x=y {')' * 150}",
        f"{OURS}; none; {CLAIM}",
        "",
    ],
)
def test_a_field_that_leaves_a_doubt_neither_proves_nor_forges(value: str) -> None:
    assert read(value)[0] == "none"


@pytest.mark.parametrize(
    "value",
    [
        f"{OURS}; {CLAIM}; dmarc=fail header.from=example.org",
        f"{OURS}; dmarc=fail header.from=example.org; dmarc=fail header.from=example.org",
        f"{OURS}; dmarc=fail header.from=example.net",
        f"{OURS}; dmarc=fail header.from=ana@example.org",
        f"{OURS}; dmarc=fail",
        f'{OURS}; spf=none (a) dmarc=pass header.from=example.org ("@evil) ; dmarc=fail header.from=example.org',
        f'{OURS}; spf=pass smtp.mailfrom="a\\\x01\\" ; {CLAIM} ; x="; dmarc=fail header.from=example.org',
        f"{OURS}; spf=pass (\x00) ; {CLAIM}; dmarc =\t fail header.from=example.org",
        f"{OURS}; {'x' * LONGEST}=y; dmarc=fail header.from=example.org",
    ],
)
def test_no_words_of_a_sender_hide_that_dmarc_has_failed(value: str) -> None:
    """A sender can make the field hard to read, by a local part of their choice; that must not help them."""
    assert read(value)[0] == "fail"


def test_a_fail_counts_in_any_field_of_the_server() -> None:
    """A program in front that adds a field of its own above must not hide it."""
    failed = f"{OURS}; dmarc=fail header.from=example.org"
    assert read_verdicts(["x.example; spf=pass", failed], OURS, ANA)["dmarc"] == "fail"
    assert read_verdicts([f"{OURS}; {CLAIM}", failed], OURS, ANA)["dmarc"] == "fail"
    assert read_verdicts(["evil.example; dmarc=fail", f"{OURS}; none"], OURS, ANA)["dmarc"] == "none"


@pytest.mark.parametrize(
    "value",
    [
        f'{OURS}; spf=pass smtp.mailfrom="a\\\x01\\" ; {CLAIM} ; x="; dkim=fail',
        f'{OURS}; spf=pass smtp.mailfrom="\xc3\xa9; {CLAIM}; x="; dkim=fail',
        f"{OURS}; spf=pass (\x00) ; {CLAIM}",
        f"{OURS}; spf=pass smtp.mailfrom=x\r; {CLAIM}",
    ],
)
def test_with_a_control_character_nobody_knows_where_a_quote_ends(value: str) -> None:
    assert read(value) == ("none", "none")


def test_only_the_topmost_field_counts() -> None:
    ours = f"{OURS}; {CLAIM}"
    assert read_verdicts([f"{OURS}; spf=pass smtp.mailfrom=x", ours], OURS, ANA)["dmarc"] == "none"
    assert read_verdicts(["evil.example; none", ours], OURS, ANA)["dmarc"] == "none"
    assert read_verdicts([f"{OURS}; {'x' * LONGEST}=y", ours], OURS, ANA)["dmarc"] == "none"
    assert read_verdicts([ours, "evil.example; dmarc=fail"], OURS, ANA)["dmarc"] == "pass"
    assert read_verdicts([], OURS, ANA)["dmarc"] == "none"
    assert read_verdicts([ours], "", ANA)["dmarc"] == "none"


@pytest.mark.parametrize(
    ("author", "domain", "verdict"),
    [
        ("ana@bücher.example", "xn--bcher-kva.example", "pass"),
        ("ana@XN--BCHER-KVA.example", "xn--bcher-kva.example", "pass"),
        ("ana@straße.example", "strasse.example", "none"),  # other domains since IDNA 2008
        ("ana@\u212alm.example", "klm.example", "none"),  # the Kelvin sign
        ("ana@\uff45xample.org", "example.org", "none"),  # full-width
        ("ana@example\uff0eorg", "example.org", "none"),
        ("", "", "none"),
    ],
)
def test_a_domain_is_compared_in_its_ascii_form(author: str, domain: str, verdict: str) -> None:
    assert read(f"{OURS}; dmarc=pass header.from={domain}", author)[0] == verdict


@pytest.mark.parametrize(
    ("path", "aligned"),
    [
        ("ana@example.org", "pass"),
        ("example.org", "pass"),
        ('"x y"@EXAMPLE.ORG', "pass"),
        ("ana@sub.example.org", "none"),
        ('"@example.org"@evil.example', "none"),
        ("evil.example smtp.mailfrom=example.org", "none"),
    ],
)
def test_spf_is_aligned_when_it_passed_for_the_domain_in_from(path: str, aligned: str) -> None:
    verdicts = read_verdicts([f"{OURS}; spf=pass smtp.mailfrom={path}; {CLAIM}"], OURS, ANA)
    assert (verdicts["spf"], verdicts["spf_aligned"]) == ("pass", aligned)


# --- Whatever a sender writes --------------------------------------------------------------------

WORDS = st.sampled_from(
    [
        *("dmarc=pass", "dmarc=fail", "header.from=example.org", "header.from=evil.example", "spf=fail"),
        *(
            "reason=",
            "smtp.mailfrom=",
            OURS,
            "none",
            '"',
            "\\",
            "(",
            ")",
            ";",
            "=",
            "@",
            ".",
            "/",
            " ",
            "\t",
            "1",
        ),
        *("\x00", "\r", "\n", "\x7f", "é", "\u212a", "\u0000", "(" * 60, '"' * 3, "\\\\", "a" * 70),
    ]
)
HOSTILE = st.lists(st.one_of(WORDS, st.text(max_size=5)), max_size=20).map("".join)


def _quoted(text: str) -> str:
    """Quoted as a server must do it, whatever the text (RFC 5322 §3.2.4)."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _commented(text: str) -> str:
    return "(" + "".join(f"\\{sign}" if sign in "()\\" else sign for sign in text) + ")"


@pytest.mark.slow
@given(
    local=HOSTILE,
    reason=HOSTILE,
    name=HOSTILE,
    identity=HOSTILE,
    verdict=st.sampled_from(["pass", "fail", None]),
)
@example(local="; dmarc=pass header.from=example.org", reason="", name="", identity="", verdict=None)
@example(local="", reason="", name="; dmarc=fail header.from=example.org;", identity="", verdict="pass")
def test_nothing_that_the_sender_controls_makes_a_verdict(
    local: str, reason: str, name: str, identity: str, verdict: str | None
) -> None:
    """The result is the server's finding, or nothing: never pass by the words of the sender, who may only fail so."""
    results = [
        f"spf=softfail {_commented(name)} smtp.mailfrom={_quoted(local)}@evil.example",
        f"dkim=neutral reason={_quoted(reason)} header.i={_quoted(identity)}@evil.example {_commented(identity)}",
    ]
    if verdict:
        results.insert(
            1, f"dmarc={verdict} reason={_quoted(reason)} {_commented(name)} header.from=example.org"
        )
    octets = f"{OURS}; {'; '.join(results)}".encode("utf-8", "surrogatepass").decode("latin-1")
    may_fail = {"fail"} if "dmarc=fail" in "".join(octets.split()).lower() else set()
    assert read(octets)[0] in {verdict or "none", "none"} | may_fail
    assert read(octets)[1] == "none"


@given(
    local=HOSTILE,
    is_first=st.booleans(),
    verdict=st.sampled_from(["dmarc=none", "", "dmarc=fail header.from=example.org"]),
)
@example(local=f") ; {CLAIM} ; x=(", is_first=True, verdict="")
@example(local=f") ; {CLAIM} (", is_first=True, verdict="dmarc=none")
@example(local=f'\\"; {CLAIM}; spf=pass smtp.helo=z', is_first=True, verdict="")
@example(local=f") ; {CLAIM} smtp.helo=", is_first=True, verdict="dmarc=none")
def test_a_server_that_quotes_badly_proves_nothing(local: str, is_first: bool, verdict: str) -> None:
    """As rspamd 3.4 writes (`lua_auth_results.lua`): quotes in a comment, and backslashes that are not escaped."""
    escaped = local.replace('"', '\\"')
    address = f'"{escaped}@evil.example"'
    path = (
        f"spf=pass (mx: domain of {address} designates 192.0.2.7 as permitted sender) smtp.mailfrom={address}"
    )
    results = [path, verdict] if is_first else [verdict, path]
    value = "; ".join([OURS, "dkim=none", *filter(None, results)])
    assert read(value.encode("utf-8", "surrogatepass").decode("latin-1"))[0] != "pass"


@pytest.mark.slow
@given(value=HOSTILE)
def test_whatever_the_field_is_nothing_breaks(value: str) -> None:
    dmarc, spf = read(f"{OURS}; {value}".encode("utf-8", "surrogatepass").decode("latin-1"))
    assert {dmarc, spf} <= {"pass", "fail", "none"}


@pytest.mark.parametrize(
    "piece", [";a=b", " a.b=c", " a", "\\a", "()", "(", "((", '""', "(\\a)", " ", '"', "=", "a.", "a@"]
)
def test_work_grows_with_the_field_and_ends_with_its_bound(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """mail-requirements.md M8: counted in characters, as authres looks at all the rest with each word."""
    header = type(authentication_results._GRAMMAR.parse_value(f"{OURS}; none"))
    steps = 0
    original = header._parse_pattern

    def counted(self: object, pattern: str) -> object:
        nonlocal steps
        steps += 1
        return original(self, pattern)

    monkeypatch.setattr(header, "_parse_pattern", counted)

    def work(size: int) -> int:
        nonlocal steps
        steps = 0
        read(f"{OURS}; spf=pass {piece * (size // len(piece))}")
        return steps

    assert work(LONGEST // 2) <= 2.5 * max(work(LONGEST // 4), 40)
    assert work(100 * LONGEST) == 0
