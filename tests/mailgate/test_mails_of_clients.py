"""Whole mails as clients send them, each read as the player who wrote it expects."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemserver.mailgate.header import UnreadableMail
from gemserver.mailgate.parse import parse
from gemserver.mailgate.reply import extract_eml, extract_text

EMAILS = Path(__file__).parent / "emails"

READ = {
    "gmail_web_en": ("take SR pay 1 2\nsay Nice one, Ben!", "the text part counts, the quote below does not"),
    "gmail_app_html_only_fr": ("bid 3\nsay Bien joué, à demain !", "a phone that sends HTML only can play"),
    "gmail_web_cs_signature": ("bid 3", "name and phone number are no commands"),
    "apple_mail_de": (
        "invest SR pay 2\nsay Schöner Zug, bis später!",
        "the attribution may itself be quoted",
    ),
    "ios_mail_fr": ("bid 3", "the phone's own line is dropped"),
    "ios_mail_below_its_line_en": ("Pass.", "a move below the quote is found"),
    "thunderbird_flowed_below_de": (
        "bid 3\nsay This is a rather long line of chat which the mail program has to wrap because it is longer "
        "than seventy-two characters",
        "a wrapped line of chat arrives in one piece",
    ),
    "thunderbird_interleaved_cs": ("Hezký tah!\n\nbid 3", "moves between quoted lines are found"),
    "thunderbird_html_only_en": ("pass\n\nsay next time", "HTML paragraphs are lines"),
    "flowed_delsp": ("say abcdefghijklmnopqrstuvwxyz\nbid 3", "a word broken by the client is whole again"),
    "outlook_desktop_en": ("bid 3", "the unquoted original is not executed"),
    "outlook_desktop_fr": ("bid 3", "nor in French"),
    "outlook_desktop_cs": ("bid 3", "nor in Czech, in an old charset"),
    "outlook_web_html_only_de": (
        "bid 3\nsay gut gespielt",
        "the original below Outlook's mark is not executed",
    ),
    "outlook_desktop_html_only_en": ("bid 3", "nor below desktop Outlook's line"),
    "outlook_ios_disclaimer_en": ("pass", "banner and disclaimer of the office are no commands"),
    "k9_de": ("bid 3", "the app's line below the quote is dropped"),
    "proton_html_only_en": ("bid 3", "the app's signature block is dropped"),
    "yahoo_unquoted_en": (" bid 3", "an original without quote marks is not executed"),
    "samsung_cs": ("bid 3", "a title line ends the reply"),
    "seznam_cs": ("bid 3", "so does that of another Czech client"),
    "gmx_de": ("bid 3", "the fields may begin with the date"),
    "gmail_ja": ("bid 3\nsay いい手ですね", "Japanese chat is readable"),
    "mailru_ru": ("пас\npass", "Cyrillic text is readable"),
    "gbk_labelled_gb2312": ("bid 3\nsay 好棋镕", "rare Chinese characters survive a wrong label"),
    "utf8_labelled_ascii": ("bid 3\nsay déjà vu", "accents survive a wrong label"),
    "no_content_type": ("bid 3\nsay à demain", "a bare mail from a script can play"),
    "unknown_charset": ("bid 3", "an unknown charset costs no move"),
    "utf16": ("bid 3\nsay hi", "UTF-16 is read"),
    "empty_text_beside_html": ("bid 3", "an empty text part does not hide the HTML"),
    "text_attachment": ("bid 3", "what an attachment says is never executed"),
    "original_attached": ("bid 3", "nor what an attached mail says"),
    "list_footer": ("bid 3", "nor what a mailing list appends"),
    "pgp_inline": ("bid 3", "armour, signature and dash escapes are removed"),
    "smime_signed": ("bid 3", "a signed mail is read like any other"),
    "forwarded_to_us": ("", "a mail that is only forwarded plays nothing"),
    "quoted_twice": ("bid 3", "one's own earlier commands in the quote are not repeated"),
    "not_quoted_at_all": ("bid 3\nsay see you tomorrow", "no quote is needed"),
    "multipart_without_parts": ("bid 3", "a mail with a wrong boundary is read all the same"),
}


@pytest.mark.parametrize("name", READ)
def test_the_player_finds_the_typed_lines_read(name: str) -> None:
    """mail-requirements.md M3, M4, M5, M7: the right part, charset, wrapping and armour of real clients' mails."""
    expected, noticed = READ[name]
    assert extract_eml((EMAILS / f"{name}.eml").read_bytes()) == expected, noticed


@pytest.mark.parametrize("name", READ)
def test_reading_what_was_read_changes_nothing(name: str) -> None:
    once = extract_eml((EMAILS / f"{name}.eml").read_bytes())
    assert extract_text(once) == once


def test_typography_of_a_phone_is_kept_for_the_reader_of_commands() -> None:
    assert extract_eml((EMAILS / "ios_mail_smart_punctuation.eml").read_bytes()).splitlines() == [
        "\ufeffPlay\u00a0RBR— 1,0 E gem RB W +",
        "play YPY– 4,0 W\u200b",
        "Say “see you”",
    ]


def test_an_encrypted_mail_is_said_to_be_unreadable_but_its_header_is_known() -> None:
    """mail-requirements.md M7."""
    with pytest.raises(UnreadableMail) as refused:
        parse((EMAILS / "encrypted.eml").read_bytes())
    assert refused.value.code == "sealed"
    assert "plain text" in refused.value.sentence
    assert refused.value.mail is not None
    assert refused.value.mail.from_addresses == ("ana@example.net",)


def test_every_mail_kept_here_is_used() -> None:
    others = {"encrypted", "ios_mail_smart_punctuation", "bounce", "complaint", "vacation_notice"}
    assert {path.stem for path in EMAILS.glob("*.eml")} == set(READ) | others
