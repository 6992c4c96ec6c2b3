"""A player's typed text is read exactly, in any program and language (mail-requirements.md Q1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemserver.mailgate.reply import extract_text
from tests.mailgate.clients import (
    APP_LINES,
    ATTRIBUTIONS,
    FRAMES,
    LABELS,
    NOTICE,
    TITLES,
    attribution,
    every_frame,
    head,
    quote,
)

TYPED = "bid 3\nsay nice one"

COMMANDS = (
    "bid 3",
    "pass",
    "Pass.",
    "take SR pay 1 2",
    "invest SR ET pay 2 3 #7",
    "M17: bid 6",
    "silver R3",
    "up to 17 else pass",
    "place rrbg d5 E",
    "play RBR- 1,0 E gem RB W + gem RG 0,0 N",
    "+ play YPY- 4,0 W",
    "trade gems RB RG tiles R-B-",
    "proclaim ruby headstone base",
    "status",
    "resign",
    "resign ab12-cd34",
    "invite ben@example.org cy@example.org",
    "vacation 2026-03-01 2026-03-09",
    "mail digest 08:00",
    "quiet 22-07 Europe/Paris",
    "part three blind mice",
    "say On Tuesday at 21:14 Ben wrote: I win",
    "note From: Ben, 3 March 2026 21:14, ben@example.org wrote:",
    "say Sent from my iPhone",
)


@pytest.mark.slow
@pytest.mark.parametrize("client", ATTRIBUTIONS)
@pytest.mark.parametrize("style", FRAMES)
def test_a_reply_is_read_without_what_the_client_put_around_it(client: str, style: str) -> None:
    assert extract_text(FRAMES[style](TYPED, attribution(client))) == TYPED


@pytest.mark.slow
@given(st.lists(st.sampled_from(COMMANDS), min_size=1, max_size=4), st.data())
def test_no_command_is_taken_for_part_of_the_frame(commands: list[str], data: st.DataObject) -> None:
    typed = "\n".join(commands)
    name, body = data.draw(st.sampled_from(list(every_frame(typed))), label="frame")
    assert extract_text(body) == typed, name


@pytest.mark.parametrize("language", LABELS)
def test_text_below_the_fields_of_an_original_is_not_read(language: str) -> None:
    fields = head(language)
    bold = "\n".join("*" + line.replace(":", ":*", 1) for line in fields.split("\n"))
    spaced = fields.replace("\n", "\n\n") if language in {"en", "fr", "de", "cs"} else fields
    for block in (fields, bold, spaced, f"________________________________\n{fields}"):
        assert extract_text(f"{TYPED}\n\n{block}\n\nbid 9\nresign\n") == TYPED
        assert extract_text(f"{TYPED}\n{block}\nbid 9\nresign\n") == TYPED


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("language", ["en", "cs", "ja"])
def test_text_below_a_title_line_is_not_read(title: str, language: str) -> None:
    assert extract_text(f"{TYPED}\n\n{title}\n{head(language)}\n\nresign") == TYPED
    assert extract_text(f"{TYPED}\n\n> {title}\n{quote(head(language))}\n>\n> resign") == TYPED


@pytest.mark.parametrize("language", LABELS)
def test_a_mail_that_is_only_forwarded_commands_nothing(language: str) -> None:
    """mail-requirements.md T11."""
    assert extract_text(f"---------- Forwarded message ---------\n{head(language)}\n\nresign\n") == ""
    assert extract_text(f"{head(language)}\n\nresign\n") == ""


def test_the_line_above_a_forwarded_mail_needs_no_known_language() -> None:
    assert (
        extract_text(f"{TYPED}\n\nForwadd begynt:\n\n{quote(head('a language of no list'))}\n>\n> resign")
        == TYPED
    )


@pytest.mark.parametrize("line", APP_LINES)
def test_lines_of_phones_and_apps_are_left_out(line: str) -> None:
    assert extract_text(f"{TYPED}\n\n{line}\n") == TYPED
    assert extract_text(f"{line}\n\n{quote(NOTICE)}\n\n{TYPED}\n") == TYPED


def test_a_sentence_about_a_phone_is_no_line_of_a_phone() -> None:
    typed = "say see you\nSent from my desk, is much easier than my phone"
    assert extract_text(typed) == typed
