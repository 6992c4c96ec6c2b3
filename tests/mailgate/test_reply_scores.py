"""The extractor against public collections of replies, if they are at hand (they are not part of this project)."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gemserver.mailgate import reply

SCORER = Path(__file__).resolve().parents[3] / "shared" / "score_reply.py"

pytestmark = pytest.mark.skipif(not SCORER.exists(), reason="the collections are not beside this checkout")


@pytest.fixture(scope="module")
def rows() -> dict[str, Any]:
    """The scores by set, and those of all sets under `all`."""
    scorer = _load(SCORER)
    names = sorted(path.parent.name for path in scorer.FIX.glob("*/cases.json"))
    extractor = scorer.Extractor("ours", reply.extract_text, reply.extract_html, reply.extract_eml)
    scores, _failures = scorer.score(extractor, names, scorer.FIX)
    return {**scores, "all": scorer.total(scores)}


def test_no_mail_raises_or_hangs(rows: dict[str, Any]) -> None:
    assert rows["all"]["err"] == 0


@pytest.mark.parametrize(
    ("name", "share"), [("all", 0.85), ("email_reply_trimmer", 0.80), ("pbem_clients", 1.0)]
)
def test_enough_replies_are_read_exactly(rows: dict[str, Any], name: str, share: float) -> None:
    assert rows[name]["ex"] / rows[name]["ex_n"] >= share


def test_no_line_of_a_notification_is_executed_and_no_typed_line_lost(rows: dict[str, Any]) -> None:
    assert (rows["pbem_clients"].get("danger", 0), rows["pbem_clients"].get("lostline", 0)) == (0, 0)


def test_a_mail_takes_milliseconds(rows: dict[str, Any]) -> None:
    assert rows["all"]["ms"] < 50


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_reply", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
