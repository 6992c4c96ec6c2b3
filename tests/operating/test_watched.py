"""The alerts and the dashboard that operators copy: they read what is served, and each alert leads to a page."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache

import pytest
import yaml
from django.core.management import call_command
from prometheus_client.parser import text_string_to_metric_families

from gemserver.matches import uptime
from gemserver.matches.timing import DOWNTIME_LIMIT
from gemserver.operating import alarms
from gemserver.operating.alarms import (
    MAIL_LIMIT,
    MOST_TASKS,
    OLDEST_BACKUP,
    OTHERS,
    OVERDUE_LIMIT,
    SCHEDULER,
    WAIT_LIMIT,
)
from gemserver.operating.exposition import expose
from gemserver.operating.gauges import measure
from gemserver.operating.models import Incident
from gemserver.schedule import WAITING
from tests.builders import NOON, make_match, make_user
from tests.operating.watched import (
    ALERTS,
    DASHBOARD,
    PANELS,
    RECORDED,
    ROOT,
    RULES_FILE,
    RULES_TEST_FILE,
    Alert,
    Panel,
    metrics,
    selectors,
)

RUNBOOKS = ROOT / "docs/runbooks"
EXPRESSIONS = [*(alert.expression for alert in ALERTS), *RECORDED.values()]
QUERIES = [query for panel in PANELS for query in panel.queries]
needs_promtool = pytest.mark.skipif(not shutil.which("promtool"), reason="needs Debian's prometheus")

ALERT_OF = {
    Incident.Kind.SCHEDULER: "GemserverSchedulerStandsStill",
    Incident.Kind.MAIL: "GemserverMailStandsStill",
    Incident.Kind.OUTBOX: "GemserverOutboxGrows",
    Incident.Kind.INBOX: "GemserverInboxGrows",
    Incident.Kind.DEADLINES: "GemserverDeadlinesMissed",
    Incident.Kind.QUEUE: "GemserverTasksPileUp",
    Incident.Kind.BROKER: "GemserverBrokerDown",
    Incident.Kind.GAME: "GemserverGameFailed",
    Incident.Kind.BACKUP: "GemserverNoBackup",
}
BY_NAME = {alert.name: alert for alert in ALERTS}

every_alert = pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert.name)


@pytest.mark.slow
@needs_promtool
def test_prometheus_takes_the_rules_and_they_say_what_their_tests_expect() -> None:
    for what, path in (("check", RULES_FILE), ("test", RULES_TEST_FILE)):
        command = ["promtool", what, "rules", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_is_seen_to_fire_in_the_tests_of_the_rules() -> None:
    tests = yaml.safe_load(RULES_TEST_FILE.read_text())["tests"]
    seen = {
        case["alertname"] for test in tests for case in test.get("alert_rule_test", []) if case["exp_alerts"]
    }
    for test in tests:
        for case in test.get("promql_expr_test", []):
            labels = " ".join(sample["labels"] for sample in case["exp_samples"])
            seen |= set(re.findall(r'alertname="(\w+)"', labels))
    assert seen == set(BY_NAME)


def test_every_trouble_that_the_server_tells_of_has_its_alert_at_the_same_limit() -> None:
    assert set(ALERT_OF) == {alarm.kind for alarm in (SCHEDULER, *OTHERS)} | {
        Incident.Kind.BROKER,
        Incident.Kind.BACKUP,
    }
    for kind, limit in {
        Incident.Kind.SCHEDULER: DOWNTIME_LIMIT.total_seconds(),
        Incident.Kind.MAIL: MAIL_LIMIT.total_seconds(),
        Incident.Kind.OUTBOX: WAIT_LIMIT.total_seconds(),
        Incident.Kind.INBOX: WAIT_LIMIT.total_seconds(),
        Incident.Kind.DEADLINES: OVERDUE_LIMIT.total_seconds(),
        Incident.Kind.QUEUE: MOST_TASKS,
        Incident.Kind.BACKUP: OLDEST_BACKUP.total_seconds(),
    }.items():
        assert f"> {limit:.0f}\n" in BY_NAME[ALERT_OF[kind]].expression.partition("unless")[0] + "\n", kind
    assert f">= {WAITING}\n" in BY_NAME["GemserverQueueFull"].expression


@cache
def _served() -> dict[str, set[tuple[str, str]]]:
    """The names of the metrics with the labels and values of their samples."""
    text = expose(measure(NOON)).decode()
    return {
        family.name: {label for sample in family.samples for label in sample.labels.items()}
        for family in text_string_to_metric_families(text)
    }


@pytest.mark.django_db
def test_every_figure_that_rules_and_dashboard_read_is_served() -> None:
    uptime.watch(NOON)
    alarms.note_backup(NOON, is_made=True)
    served = _served()
    missing = {name for text in (*EXPRESSIONS, *QUERIES) for name in metrics(text) - set(served)}
    assert missing == set()
    unknown = {
        selector
        for text in (*EXPRESSIONS, *QUERIES)
        for selector in selectors(text)
        for label, sign, wanted in re.findall(r'(\w+)(=~?)"([^"]*)"', selector)
        if label not in ("job", "instance")
        for name in metrics(selector)
        for value in (wanted.split("|") if sign == "=~" else [wanted])
        if (label, value) not in served[name]
    }
    assert unknown == set()


@pytest.mark.django_db
def test_the_dashboard_shows_every_figure() -> None:
    uptime.watch(NOON)
    assert set(_served()) - {name for query in QUERIES for name in metrics(query)} == {
        "gemserver_outbox_untried"
    }


@every_alert
def test_an_alert_says_how_bad_it_is_what_it_is_and_where_to_read_on(alert: Alert) -> None:
    assert alert.severity in ("critical", "warning")
    assert set(alert.annotations) == {"summary", "description", "runbook_url"}
    assert len(alert.annotations["summary"]) <= 60
    assert alert.annotations["runbook_url"].endswith(f"/runbooks/{alert.name}.md")


@every_alert
def test_the_page_of_an_alert_says_what_players_notice_where_to_look_what_to_do_and_when_it_is_over(
    alert: Alert,
) -> None:
    text = (RUNBOOKS / f"{alert.name}.md").read_text()
    assert text.startswith(f"# {alert.name}\n")
    assert re.findall(r"^\*\*(.+?)\*\*", text, re.M) == ["For players", "Look", "Do", "Over"]
    assert f"*{alert.severity}*" in text
    assert len(text.splitlines()) <= 60


@pytest.mark.django_db
def test_the_page_of_missed_deadlines_names_the_match_that_waits(capsys: pytest.CaptureFixture[str]) -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")])
    [command] = re.findall(
        r"^gemctl manage shell -c '(.+?)'$",
        (RUNBOOKS / "GemserverDeadlinesMissed.md").read_text(),
        re.M | re.S,
    )
    call_command("shell", command=command)
    assert match.code in capsys.readouterr().out


def test_every_page_belongs_to_an_alert_and_stands_in_the_index_with_its_severity() -> None:
    assert {path.stem for path in RUNBOOKS.glob("*.md")} == {*BY_NAME, "README"}
    rows = re.findall(r"^\| \[(\w+)\]\((\w+)\.md\) \| (\w+) \|", (RUNBOOKS / "README.md").read_text(), re.M)
    assert rows == [(alert.name, alert.name, alert.severity) for alert in ALERTS]


def test_the_dashboard_can_be_imported_for_any_prometheus() -> None:
    datasource, server = DASHBOARD["templating"]["list"]
    assert (datasource["type"], datasource["query"], DASHBOARD["uid"]) == (
        "datasource",
        "prometheus",
        "gemserver",
    )
    assert server["name"] == "instance"
    assert DASHBOARD["id"] is None  # or Grafana would look for one of its own
    uses = {"type": "prometheus", "uid": f"${{{datasource['name']}}}"}
    for panel in DASHBOARD["panels"]:
        if panel["type"] != "row":
            assert panel["datasource"] == uses
            assert [target["datasource"] for target in panel["targets"]] == [uses] * len(panel["targets"])
            assert panel["targets"]
            assert all(
                "$instance" in target["expr"] or "ALERTS" in target["expr"] for target in panel["targets"]
            )
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)


def test_no_panel_of_the_dashboard_covers_another() -> None:
    taken: dict[tuple[int, int], Panel] = {}
    for panel in PANELS:
        assert panel.x + panel.width <= 24
        for place in (
            (x, y)
            for x in range(panel.x, panel.x + panel.width)
            for y in range(panel.y, panel.y + panel.height)
        ):
            assert place not in taken, (panel.title, taken[place].title)
            taken[place] = panel
    rows = [panel["title"] for panel in DASHBOARD["panels"] if panel["type"] == "row"]
    assert rows == ["Troubles", "Play", "Mail", "Workers"]
