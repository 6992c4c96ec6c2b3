"""The pages for people who write programs: the API's document laid out, and worked examples. Plain HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from gemserver.accounts.tokens import SCOPES
from gemserver.api.document import document
from gemserver.api.examples import EXAMPLES


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object, or one parameter: its name, its type in words, what it means."""

    name: str
    kind: str
    about: SafeString
    required: bool


@dataclass(frozen=True, slots=True)
class Address:
    """One method of one address; addresses of the same `group` stand together."""

    group: str
    method: str
    path: str
    summary: str
    about: SafeString
    parameters: list[Member]
    body: str
    answer: str
    scope: str
    ident: str


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of object that is sent or answered."""

    name: str
    about: SafeString
    members: list[Member]


def show_guide(request: HttpRequest) -> HttpResponse:
    """Lay the document out."""
    made = document()
    context = {
        "about": _mark_code(made["info"]["description"].strip()),
        "groups": [
            (name, list(addresses))
            for name, addresses in groupby(_list_addresses(made), lambda address: address.group)
        ],
        "shapes": [_read_shape(name, shape) for name, shape in sorted(made["components"]["schemas"].items())],
        "scopes": list(SCOPES.items()),
        "rate": settings.API_RATE,
    }
    return render(request, "api/guide.html", context)


def show_examples(request: HttpRequest) -> HttpResponse:
    """Show the examples with this server's address."""
    shown = [(example.words, example.curl(settings.SITE_URL)) for example in EXAMPLES]
    return render(request, "api/examples.html", {"examples": shown})


def _list_addresses(made: Mapping[str, Any]) -> Iterator[Address]:
    for path, methods in made["paths"].items():
        for method, operation in methods.items():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            answered = operation["responses"]["200"]["content"]["application/json"]["schema"]
            yield Address(
                group=operation["tags"][0].capitalize(),
                method=method.upper(),
                path=path,
                summary=operation["summary"],
                about=_mark_code(operation.get("description", "")),
                parameters=[
                    Member(
                        parameter["name"],
                        f"{parameter['in']}, {_say_kind(parameter['schema'])}",
                        _mark_code(parameter.get("description", "")),
                        parameter["required"],
                    )
                    for parameter in operation["parameters"]
                    if parameter["name"] != "If-None-Match"  # which every GET takes
                ],
                body=_name_of(body.get("schema", {})),
                answer=_name_of(answered),
                scope=operation["security"][0]["Token"][0],
                ident=operation["operationId"],
            )


def _read_shape(name: str, shape: Mapping[str, Any]) -> Shape:
    required = shape.get("required", ())
    members = [
        Member(member, _say_kind(given), _mark_code(given.get("description", "")), member in required)
        for member, given in shape.get("properties", {}).items()
    ]
    return Shape(name, _mark_code(shape.get("description", "")), members)


def _mark_code(text: str) -> SafeString:
    """The text as HTML, with what stands between backticks as code."""
    parts = enumerate(re.split(r"`([^`]+)`", text))
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", part) if n % 2 else part,) for n, part in parts)
    )


def _name_of(schema: Mapping[str, Any]) -> str:
    """The name of the object that a schema refers to."""
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _say_kind(schema: Mapping[str, Any]) -> str:
    """The type of a value in a few words, such as `list of Turn` or `string or null`."""
    if "$ref" in schema:
        return _name_of(schema)
    if "anyOf" in schema:
        return " or ".join(_say_kind(each) for each in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(f"“{value}”" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_say_kind(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("const") or schema.get("type") or "anything")
