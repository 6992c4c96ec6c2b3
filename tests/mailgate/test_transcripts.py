"""Whole conversations: the mails of `transcripts/NAME*.eml` go in, and the result is `NAME.txt`, to the letter.

`X-Scene` names the situation (`scenes.py`), `X-Proof` what the receiver could prove. `pytest
tests/mailgate/test_transcripts.py --write-transcripts` rewrites the expected mails; read the difference before it is
committed.
"""

from __future__ import annotations

import re
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest
from django.core import mail

from gemserver.inbox.models import InboundEmail
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.notify import delivery
from tests.mailgate.scenes import Scene, open_scene
from tests.masks import HEX_DIGITS, mask
from tests.quick import one_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("counted_anew")]

FOLDER = Path(__file__).parent / "transcripts"
NAMES = sorted({path.name.split(".")[0] for path in FOLDER.glob("*.eml")})

_MASKS = (
    (re.compile(r"\+[a-z2-7]{26}@"), "+TOKEN@"),
    (re.compile(r"(?<=/invitations/)\d+(?=/)"), "NUMBER"),
    (re.compile(r"/[a-z2-7]{26}/"), "/TOKEN/"),
    (re.compile(r"/mail/held/\d+/[a-z2-7]{10}/"), "/mail/held/PAGE/"),
    (re.compile(r"Ref: \d+\.(\d+)\.(\d+)\.[a-z2-7]{10}"), r"Ref: MATCH.\1.\2.MAC"),
    *HEX_DIGITS,
    (re.compile(r"(?<=confirm )[a-z2-7]{5}-[a-z2-7]{5}"), "CODE"),
    (re.compile(r"(?<=resign )[a-z2-7]{5}-[a-z2-7]{5}"), "CODE"),
    (re.compile(r"(?<=The code:  )[a-z2-7]{5}-[a-z2-7]{5}"), "CODE"),
    (re.compile(r"\(in [^()]{1,40}\)"), "(in SOME TIME)"),
)


@pytest.mark.slow
@pytest.mark.parametrize("name", one_in(2, NAMES))
def test_transcript(
    name: str, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config, settings: Any
) -> None:
    settings.MAIL_AUTH = "normal"
    conversation = _converse(name, monkeypatch)
    expected = FOLDER / f"{name}.txt"
    if pytestconfig.getoption("--write-transcripts", default=False):
        expected.write_text(conversation, encoding="utf-8")
    assert conversation == expected.read_text(encoding="utf-8")


def test_there_are_enough_of_them() -> None:
    assert len(NAMES) >= 40
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(NAMES), "none is left over"


def _converse(name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    scene: Scene | None = None
    told: list[str] = []
    for path in sorted(FOLDER.glob(f"{name}.*eml")) or [FOLDER / f"{name}.eml"]:
        template = path.read_text(encoding="utf-8")
        if scene is None:
            scene = open_scene(
                message_from_bytes(template.encode(), policy=policy.default)["X-Scene"], monkeypatch
            )
        before = len(mail.outbox)
        row = _receive(scene, template)
        delivery.send_queued()
        scene.wait(timedelta(minutes=2))  # mails about talk collect it for a minute
        delivery.send_queued()
        told.append(_verdict(path.name, row))
        told += [_shown(message) for message in mail.outbox[before:]]
    text = mask(_MASKS, "\n".join(told))
    assert scene
    return re.sub(rf"\b{scene.match.code}\b", "M17", text) if scene.match else text


def _receive(scene: Scene, template: str) -> InboundEmail:
    placeholders = scene.placeholders()
    raw = re.sub(r"@([A-Z]{2,9})@", lambda found: placeholders[found[1]], template).encode()
    header = message_from_bytes(raw, policy=policy.default)
    auth = {"dmarc": header["X-Proof"]} if header["X-Proof"] else {}
    sender = str(header["From"]).partition("<")[2].rstrip(">") or str(header["From"])
    row = ingest(raw, "" if header["X-Null"] else sender, str(header["To"]), "smtp", auth)
    processing.process_stored()
    row.refresh_from_db()
    return row


def _verdict(name: str, row: InboundEmail) -> str:
    lines = [f"=== {name}: {row.state}{f' ({row.code})' if row.code else ''}"]
    for result in row.results:
        code = f" ({result['code']})" if result["code"] else ""
        lines.append(f"    {result['outcome']}{code}: {result['line']}")
    return "\n".join(lines) + "\n"


def _shown(message: mail.EmailMessage) -> str:
    names = ("Auto-Submitted",)
    fields = [f"To: {', '.join(message.to)}", f"Reply-To: {', '.join(message.reply_to)}"]
    fields += [f"Subject: {message.subject}", *(f"{name}: {message.extra_headers[name]}" for name in names)]
    return "\n".join(["--- mail", *fields, "", str(message.body)])
