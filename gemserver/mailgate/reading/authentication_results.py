"""Reads `Authentication-Results` (RFC 8601) from a server that we believe.

Parts of such a field are the sender's own words: a local part, a name, a reason. So it is read by its grammar. What is
doubtful in it proves no sender, and a fail counts wherever it stands: nobody gains by words that make it hard to read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import authres.dmarc

from gemserver.lib.text.mail_address import domain_of
from gemserver.mailgate.reading.body import DECODE_ERRORS

LONGEST = 4096
MOST_RESULTS = 100
DEEPEST = 10
"""Bounds for authres: at each word it reads all the rest again, and it recurses for each comment within a comment."""

_PLAIN = re.compile(r"[\t\x20-\x7e]*")
_ID = re.compile(r"[\s\"]*([^\s;\"]{1,255})")
_MARK = re.compile(r'\\.|["()]')
_GRAMMAR = authres.FeatureContext(authres.dmarc)


def read_verdicts(values: Sequence[str], server: str, author: str) -> dict[str, str]:
    """`dmarc` and `spf` as `pass`, `fail` or `none`, and `spf_aligned`, from the topmost of a mail's fields.

    `values`: the fields of the mail, topmost first, a character for each octet. `server`: the authserv-id of the server
    that is believed; the topmost field must be its own, but a fail of DMARC counts in any field of its own. `author`:
    the address in From; DMARC's pass must be about its domain, and SPF is aligned if it passed for this very domain.
    """
    results = _results(values[0], server) if values and server else []
    own = [value for value in values if server and _server_of(value) == server.lower()]
    domain = domain_of(author)
    dmarc = _only_result(results, "dmarc")
    spf = _only_result(results, "spf")
    is_about_author = bool(dmarc and domain) and _property(dmarc, "header", "from").lower() == domain
    is_failed = any(_says_fail(value, _results(value, server)) for value in own)
    path = domain_of(_property(spf, "smtp", "mailfrom"))
    return {
        "dmarc": "fail" if is_failed else _plain_verdict(dmarc) if is_about_author else "none",
        "spf": _plain_verdict(spf),
        "spf_aligned": "pass" if _plain_verdict(spf) == "pass" and path == domain != "" else "none",
    }


def _server_of(value: str) -> str:
    """The authserv-id at the beginning of a field, in lower case."""
    found = _ID.match(value)
    return found[1].lower() if found else ""


def _says_fail(value: str, results: Sequence[authres.AuthenticationResult]) -> bool:
    """True if DMARC has failed; in a field that cannot be read, if it may have."""
    if results:
        return any(result.method == "dmarc" and result.result == "fail" for result in results)
    return "dmarc=fail" in "".join(value.split()).lower()


def _results(value: str, server: str) -> list[authres.AuthenticationResult]:
    """The results in a field of this server; empty if it is another server's, or does not follow RFC 8601."""
    if (
        len(value) > LONGEST
        or not _PLAIN.fullmatch(value)
        or value.count(";") > MOST_RESULTS
        or not _is_sound(value)
    ):
        return []
    try:
        field = _GRAMMAR.parse_value(value.rstrip(" \t;"))  # some servers end it with a semicolon
    except (authres.AuthResError, *DECODE_ERRORS):
        return []
    return list(field.results) if field.authserv_id == server.lower() else []


def _is_sound(value: str) -> bool:
    """True if every quote and comment ends, and no comment ends within a text that its writer took for a quote.

    There are no quotes within a comment (RFC 5322 §3.2.2), but rspamd 3.4 writes a sender's address there as if there
    were: a `)` in a local part ends its comment, and the rest would be read as results.
    """
    depth, is_quoted, is_quoted_within = 0, False, False
    for mark in _MARK.findall(value):
        if depth and mark == '"':
            is_quoted_within = not is_quoted_within
        elif mark == '"':
            is_quoted = not is_quoted
        elif mark == "(" and not is_quoted:
            depth += 1
        elif mark == ")" and not is_quoted:
            depth -= 1
        if not 0 <= depth <= DEEPEST or (not depth and is_quoted_within):
            return False
    return not depth and not is_quoted


def _only_result(
    results: Sequence[authres.AuthenticationResult], method: str
) -> authres.AuthenticationResult | None:
    """The only result of this method; of two, nobody knows which the server meant."""
    found = [result for result in results if result.method == method]
    return found[0] if len(found) == 1 else None


def _property(result: authres.AuthenticationResult | None, kind: str, name: str) -> str:
    """The only value of `kind.name=`; empty if there is none, or more than one."""
    listed = result.properties if result else []
    found = [each.value for each in listed if (each.type, each.name) == (kind, name)]
    return str(found[0] or "") if len(found) == 1 else ""


def _plain_verdict(result: authres.AuthenticationResult | None) -> str:
    return str(result.result) if result and result.result in {"pass", "fail"} else "none"
