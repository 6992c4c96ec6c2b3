"""The files in `deploy/` for Prometheus and Grafana, as the tests read them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
RULES_FILE = ROOT / "deploy/prometheus/gemserver.rules.yml"
RULES_TEST_FILE = ROOT / "deploy/prometheus/rules_test.yml"
DASHBOARD_FILE = ROOT / "deploy/grafana/gemserver.json"


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert of the rules file."""

    name: str
    expression: str
    severity: str
    annotations: dict[str, str]


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel of the dashboard, with its queries about any server."""

    title: str
    description: str
    x: int
    y: int
    width: int
    height: int
    queries: tuple[str, ...]


RULES: list[dict[str, Any]] = [
    rule for group in yaml.safe_load(RULES_FILE.read_text())["groups"] for rule in group["rules"]
]
ALERTS = [
    Alert(rule["alert"], rule["expr"], rule["labels"]["severity"], rule["annotations"])
    for rule in RULES
    if "alert" in rule
]
RECORDED = {rule["record"]: str(rule["expr"]) for rule in RULES if "record" in rule}
DASHBOARD: dict[str, Any] = json.loads(DASHBOARD_FILE.read_text())


def _panels() -> Iterator[Panel]:
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        yield Panel(
            panel["title"],
            panel.get("description", ""),
            place["x"],
            place["y"],
            place["w"],
            place["h"],
            tuple(target["expr"].replace("$instance", ".+") for target in panel.get("targets", [])),
        )


PANELS = list(_panels())


def selectors(expression: str) -> list[str]:
    """The series that a query reads, such as `up{job="gemserver"}`, without ranges."""
    return re.findall(r"\b(?:up|gemserver[a-z_:]+)(?:\{[^}]*\})?", expression)


def metrics(expression: str) -> set[str]:
    """The names of the server's metrics that a query reads; those of recorded rules are resolved."""
    names = {selector.partition("{")[0] for selector in selectors(expression)} - {"up"}
    return {metric for name in names for metric in (metrics(RECORDED[name]) if name in RECORDED else {name})}
