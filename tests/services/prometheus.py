"""A real Prometheus that reads a site every second, with the rules of `deploy/`, as docs/operating.md says.

It judges at once: alerts do not wait (`for`), and look back for seconds instead of minutes.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import yaml

from tests.services.daemons import unprivileged_user
from tests.services.processes import Process, answers, free_port, wait_for
from tests.services.site import HOST, ROOT

RULES = ROOT / "deploy/prometheus/gemserver.rules.yml"
PATIENCE = 60


class Prometheus:
    """The server, and what it says to a query."""

    def __init__(self, folder: Path, site_port: int, token: str) -> None:
        self.port = free_port()
        data = folder / "prometheus"
        data.mkdir()
        if user := unprivileged_user():
            shutil.chown(data, user)
        (folder / RULES.name).write_text(_impatient(RULES.read_text()))
        configuration = folder / "prometheus.yml"
        configuration.write_text(json.dumps(_configuration(site_port, token)))
        self.process = Process(
            "prometheus",
            [
                "prometheus",
                f"--config.file={configuration}",
                f"--storage.tsdb.path={data}",
                f"--web.listen-address=127.0.0.1:{self.port}",
            ],
            folder,
            user=user,
        )

    def start(self) -> None:
        self.process.start()
        wait_for("Prometheus", lambda: answers(self.port), seconds=PATIENCE, watched=[self.process])

    def ask(self, query: str) -> Sequence[Any]:
        """The samples that the query returns now. Raises HTTPError if Prometheus does not understand it."""
        with urlopen(f"http://127.0.0.1:{self.port}/api/v1/query?{urlencode({'query': query})}") as answer:
            said = json.load(answer)
        assert said["status"] == "success", said
        samples: Sequence[Any] = said["data"]["result"]
        return samples

    def firing(self) -> set[str]:
        """The names of the alerts that fire."""
        samples = self.ask('ALERTS{alertstate="firing"}')
        return {sample["metric"]["alertname"] for sample in samples}


def _impatient(rules: str) -> str:
    rules, waits = re.subn(r"(?m)^( +for:) \w+$", r"\1 0s", rules)
    rules, looks = re.subn(r"\[2m\]", "[3s]", rules)
    assert waits
    assert looks
    return rules


def _configuration(site_port: int, token: str) -> dict[str, Any]:
    """The configuration of docs/operating.md, but for the host, the token and the pace."""
    text = (ROOT / "docs/operating.md").read_text()
    [shown] = re.findall(r"```\n(rule_files:.+?)```", text, re.S)
    configuration: dict[str, Any] = yaml.safe_load(shown)
    [scrape] = configuration["scrape_configs"]
    scrape["scheme"] = "http"
    scrape["authorization"]["credentials"] = token
    # Asked for by its name, which it has no address for.
    scrape["static_configs"] = [{"targets": [f"{HOST}:80"]}]
    scrape["proxy_url"] = f"http://127.0.0.1:{site_port}"
    configuration["global"] = {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
    return configuration
