"""The API as a whole, and its OpenAPI 3.1 document, made from the code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from ninja import NinjaAPI
from ninja.operation import Operation

from gemserver.api import (
    account,
    archive,
    challenges,
    club_owners,
    clubs,
    consents,
    event_organisers,
    events,
    free_seats,
    hints,
    matches,
    moves,
    players,
    puzzles,
    ratings,
    reviews,
    sitting,
    standings,
    tables,
    talk,
    turns,
    tutorials,
    what_ifs,
)
from gemserver.api.askers import Token
from gemserver.api.bodies import BodyParser
from gemserver.api.hooks import describe_hooks
from gemserver.api.problems import handle_problems
from gemserver.api.shapes import Fault
from gemserver.lib.web.problems import API_ROOT, MEDIA_TYPE

VERSION = "1.0.0"
_ABOUT = """\
What the pages and mails do for a player, for programs. Every answer is built for the asker and shows nothing that the
asker's own page would not. A request that changes something carries an `Idempotency-Key` and acts once under it. What
is wrong is said as a problem (RFC 9457): `code` is for programs, `detail` for people.
"""

api = NinjaAPI(
    title="Gem server",
    version=VERSION,
    description=_ABOUT,
    openapi_url=None,
    docs_url=None,
    urls_namespace="api",
    parser=BodyParser(),
)
_PARTS = (
    turns,
    matches,
    moves,
    consents,
    sitting,
    talk,
    tables,
    free_seats,
    clubs,
    club_owners,
    challenges,
    events,
    standings,
    hints,
    event_organisers,
    players,
    puzzles,
    ratings,
    reviews,
    tutorials,
    what_ifs,
    account,
    archive,
)
for part in _PARTS:
    api.add_router("", part.router)
handle_problems(api)

_FAULTS = {
    400: "No readable JSON, or text that cannot be kept",
    401: "No personal token, or not a good one",
    403: "The token, the account or the seat may not do this",
    404: "There is no such thing",
    406: "Answers are JSON",
    409: "Refused, as things stand",
    411: "The body has no length",
    412: "It is not as `If-Match` names it",
    413: "The body is too large",
    415: "The body is not sent as JSON, or is compressed",
    422: "The request does not fit, or is no legal move",
    429: "Too many requests; Retry-After says when to go on",
    500: "Something broke on the server; send it again under the same key",
    503: "Busy, or the rules of the match have failed",
}
_OF_READS = {412}
"""Refusals of what changes nothing."""
_ETAG = {"ETag": "Send it as `If-None-Match` to be told that nothing is new."}
_LIMITS = {
    "RateLimit": "`r`: requests that are left, `t`: seconds until they are counted anew.",
    "RateLimit-Policy": "`q`: requests that you and your bots may send in `w` seconds, with all your tokens.",
}
_UNCOUNTED = {401, 406, 411, 413, 415}
"""Refusals before it is known who asks."""
_APPLIED = {
    "Preference-Applied": "`wait`: you were answered when something was new, or when the time was over."
}
_FAULT_HEADERS = {
    401: {"WWW-Authenticate": "RFC 6750; `error` says whether the token is not good."},
    403: {"WWW-Authenticate": "RFC 6750: the `scope` that the token lacks, where it is that."},
    429: {"Retry-After": "Seconds."},
    503: {"Retry-After": "Seconds."},
}


def _header(name: str, told: str) -> dict[str, Any]:
    return {
        "in": "header",
        "name": name,
        "required": False,
        "description": told,
        "schema": {"type": "string"},
    }


_IF_NONE_MATCH = _header(
    "If-None-Match", "The `ETag` of an earlier answer: if nothing is new since, 304 and no body."
)
_MAY_WAIT = ("turns", "matches/{code}/log")
"""The addresses whose views say what they wait for (`lib.waits`)."""
_PREFER = _header(
    "Prefer",
    "`wait=50` (RFC 7240), beside `If-None-Match`: answer when something is new or so many seconds are over.",
)


def _describe(headers: Mapping[str, str]) -> dict[str, Any]:
    return {name: {"description": told, "schema": {"type": "string"}} for name, told in headers.items()}


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document as plain data."""
    made: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema(path_prefix=API_ROOT.strip("/"))))
    fault = Fault.model_json_schema(ref_template="#/components/schemas/{model}")
    made["components"]["schemas"] |= {**fault.pop("$defs"), "Fault": fault}
    made["components"]["responses"] = {
        f"Problem{status}": {
            "description": told,
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Fault"}}},
            "headers": _describe(
                _FAULT_HEADERS.get(status, {}) | (_LIMITS if status not in _UNCOUNTED else {})
            ),
        }
        for status, told in _FAULTS.items()
    }
    made["components"]["responses"]["Unchanged"] = {
        "description": "Nothing is new since the answer whose `ETag` was sent as `If-None-Match`",
        "headers": _describe(_ETAG | _LIMITS),
    }
    for methods in made["paths"].values():
        for method, operation in methods.items():
            is_read = method == "get"
            operation["responses"]["200"]["headers"] = _describe((_ETAG if is_read else {}) | _LIMITS)
            if is_read:
                operation["parameters"].append(_IF_NONE_MATCH)
                operation["responses"]["304"] = {"$ref": "#/components/responses/Unchanged"}
            operation["security"] = [{Token.__name__: [_scopes()[operation["operationId"]]]}]
            for status in _FAULTS:
                if is_read or status not in _OF_READS:
                    operation["responses"][str(status)] = {"$ref": f"#/components/responses/Problem{status}"}
    unchanged = made["components"]["responses"]["Unchanged"]
    for path in _MAY_WAIT:
        operation = made["paths"][f"{API_ROOT}{path}"]["get"]
        operation["parameters"].append(_PREFER)
        operation["responses"]["200"]["headers"] |= _describe(_APPLIED)
        operation["responses"]["304"] = {**unchanged, "headers": unchanged["headers"] | _describe(_APPLIED)}
    made["webhooks"], shapes = describe_hooks()
    made["components"]["schemas"] |= shapes
    return made


@cache
def _scopes() -> dict[str, str]:
    """The scope that each operation requires, by its id."""
    operations = [
        operation
        for router in api._get_bound_routers()
        for view in router.path_operations.values()
        for operation in view.operations
    ]
    return {str(each.operation_id): _scope_of(each) for each in operations}


def _scope_of(operation: Operation) -> str:
    (token,) = operation.auth_callbacks
    assert isinstance(token, Token), "every operation has a scope"
    return token.scope


@cache
def write_document() -> bytes:
    """The OpenAPI document as JSON."""
    return json.dumps(document(), ensure_ascii=False, indent=1).encode()
