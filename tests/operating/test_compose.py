"""`compose.yaml`, as podman-compose and docker compose read it."""

from __future__ import annotations

import yaml

from tests.services.site import ROOT

SERVICES = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
COMPLETED = "service_completed_successfully"


def test_who_ends_before_others_start_needs_nobody() -> None:
    """podman-compose passes each need on to podman, which starts nobody who needs such a container otherwise."""
    ending = {
        name
        for service in SERVICES.values()
        for name, need in dict(service.get("depends_on") or {}).items()
        if need["condition"] == COMPLETED
    }
    assert ending == {"prepare"}
    assert not any(SERVICES[name].get("depends_on") for name in ending)


def test_every_process_of_the_procfile_waits_for_the_tables() -> None:
    names = [line.partition(":")[0] for line in (ROOT / "Procfile").read_text().splitlines()]
    assert {name for name in names if "prepare" not in SERVICES[name]["depends_on"]} == set()


def test_no_service_builds_the_image_for_itself() -> None:
    """podman-compose built it once for each of the seven, all at a time; docker compose looks for a Dockerfile."""
    assert not [name for name, service in SERVICES.items() if "build" in service]
