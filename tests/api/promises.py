"""The promises to programs: a line for each parameter and member of the API's document.

`python -m tests.api.promises` writes it into `promised.json`, against which the tests hold the document.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("promised.json")
Promise = dict[str, dict[str, dict[str, str]]]
"""By operation, by part (`scope`, `sent`, `answered`), by the name of a member: its types, with `!` if it is sure."""


def read_promise(document: Mapping[str, Any]) -> Promise:
    """Read what a document promises: `sent` needs no more than this, `answered` has no less."""
    return {
        f"{method.upper()} {path}": _read_operation(operation, document["components"]["schemas"])
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def _read_operation(operation: Mapping[str, Any], shapes: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    sent = {
        f"{each['in']} {each['name']}": _types(each["schema"], shapes, each.get("required", False), True)
        for each in operation["parameters"]
    }
    if "requestBody" in operation:
        body = operation["requestBody"]["content"]["application/json"]["schema"]
        sent |= {f"body{name}": types for name, types in _walk(body, shapes, True)}
    answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
    (scopes,) = (next(iter(each.values())) for each in operation["security"])
    return {
        "scope": dict.fromkeys(scopes, ""),
        "sent": sent,
        "answered": dict(_walk(answer, shapes, False)),
    }


def _walk(schema: Mapping[str, Any], shapes: Mapping[str, Any], is_sent: bool) -> Iterator[tuple[str, str]]:
    """All members below, by their path, such as `.turns[].match`."""
    for each in _alternatives(schema, shapes):
        for name, found in each.get("properties", {}).items():
            yield f".{name}", _types(found, shapes, name in each.get("required", ()), is_sent)
            yield from ((f".{name}{rest}", types) for rest, types in _walk(found, shapes, is_sent))
        if "items" in each:
            yield from ((f"[]{rest}", types) for rest, types in _walk(each["items"], shapes, is_sent))


def _types(schema: Mapping[str, Any], shapes: Mapping[str, Any], is_sure: bool, is_sent: bool) -> str:
    """The JSON types that it may have; of what is sent also each value of a list of values."""
    found = {"!"} if is_sure else set()
    for each in _alternatives(schema, shapes):
        if is_sent and "enum" in each:
            found |= {f"={value}" for value in each["enum"]}
        else:
            found.add(each.get("type", "any"))
    return " ".join(sorted(found))


def _alternatives(schema: Mapping[str, Any], shapes: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "$ref" in schema:
        yield from _alternatives(shapes[schema["$ref"].rpartition("/")[2]], shapes)
    elif "anyOf" in schema:
        for each in schema["anyOf"]:
            yield from _alternatives(each, shapes)
    else:
        yield schema


def find_broken(promised: Promise, now: Promise) -> Iterator[str]:
    """Each promise that the document of now does not keep, as a sentence."""
    for operation, parts in promised.items():
        if operation not in now:
            yield f"{operation} is gone"
            continue
        kept = now[operation]
        if parts["scope"] != kept["scope"]:
            yield f"{operation} takes another scope"
        for name, types in parts["sent"].items():
            if name not in kept["sent"]:
                yield f"{operation} takes no {name} any more"
            elif lost := set(types.split()) - set(kept["sent"][name].split()) - {"!"}:
                yield f"{operation} refuses {sorted(lost)} as {name}"
        for name, types in kept["sent"].items():
            if (
                "!" in types
                and "!" not in parts["sent"].get(name, "")
                and not _is_inside_new(name, parts["sent"])
            ):
                yield f"{operation} now wants {name}"
        for name, types in parts["answered"].items():
            if name not in kept["answered"]:
                yield f"{operation} answers no {name} any more"
            elif "!" in types and "!" not in kept["answered"][name]:
                yield f"{operation} may leave {name} out"
            elif new := set(kept["answered"][name].split()) - set(types.split()) - {"!"}:
                yield f"{operation} answers {sorted(new)} as {name}"


def _is_inside_new(name: str, promised: Mapping[str, str]) -> bool:
    """True for a member of an optional object that is itself new."""
    parent = name.rpartition(".")[0]
    return "." in parent and parent.removesuffix("[]") not in promised


def main() -> None:
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    from gemserver.api.document import document  # needs the settings

    lines = json.dumps(read_promise(document()), indent=1, sort_keys=True)
    FILE.write_text(lines + "\n")


if __name__ == "__main__":
    main()
