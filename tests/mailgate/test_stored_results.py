"""Results of lines are kept as JSON, and told from it when a receipt is written, or a moderator looks."""

from __future__ import annotations

import json

from django.utils import translation

from games.contract import GameError
from gemserver.inbox.results import LineResult


def test_a_reason_within_a_refusal_is_kept_and_translated_with_it() -> None:
    reason = GameError("option-twice", "Option {name} stands twice. Leave one out.", name="pace")
    refusal = GameError(
        "line",
        "line {line}: {kind} ({code}): {reason}",
        line=3,
        kind="illegal",
        code="bad",
        reason=reason.message,
    )
    result = LineResult("record", "refused", "line", refusal.message)
    kept = LineResult.from_json(json.loads(json.dumps(result.to_json())))
    assert kept == result
    with translation.override("de"):
        assert kept.sentence == "Zeile 3: illegal (bad): Die Option pace steht zweimal da. Lass eine weg."
