"""Recognises text below the typed part that does not belong to it: signatures, app lines, disclaimers, closings."""

from __future__ import annotations

from collections.abc import Callable

from gemserver.lib.text.patterns import Pattern
from gemserver.mailgate.reading.ending_words import CLOSING, DEVICE, SCANNED, SENT_FROM, SENT_LAST
from gemserver.mailgate.reading.text_lines import bare, folded
from gemserver.mailgate.reading.word_table import any_of

_DELIMITER = Pattern(r"(?:--|—|–|_{2,}|—{2,})$")
_RULE = Pattern(r"(?:[-–—_=*~#+•·ᐧ.] ?){2,}$|[—–ᐧ]$")
_DEVICE = Pattern(rf"(?<!\w){any_of(DEVICE)}(?!\w)|iphone|ipad|android|手机|手機|端末|携帯|휴대|메일")
_TARGET = Pattern(r"<|\(http|\]\(")
_SENT_FROM = Pattern(rf"{any_of(SENT_FROM)}(?!\w)|(?:发自|發自|寄自|从我的|從我的)")
_SENT_LAST = Pattern(rf"{any_of(SENT_LAST)}\W{{0,40}}$")
_SENT_WITH = Pattern(
    r"(?:from my |sent from |sent via |sent with |envoyé (?:avec|depuis|via) |gesendet (?:mit|von|über) "
    r"|odesláno (?:z|pomocí) |enviado (?:desde|con|do) |inviato (?:da|con) |verzonden (?:met|vanaf) |skickat från )"
    r"[^.,:!?]{2,30}[.!]?$"
)
"""A short line that names no known device, and still can be nothing else."""

_SENTENCE = Pattern(
    r", (?!please|excuse|sorry|pardon|so |veuillez|merci|bitte|prosím|por favor|scusa|omlouv)"
)
_MARKS = Pattern("[\u0300-\u036f\u064b-\u0652\u0610-\u061a]")
_SCANNED = Pattern(any_of(SCANNED))
_SCANNER = Pattern(r"avast|avg|norton|eset|kaspersky|avira|mcafee")
_DISCLAIMER = Pattern(
    r"(?:this|the) (?:e-?mail|message|communication|transmission)\b.{0,120}"
    r"(?:confidential|intended (?:only|solely|for)|privileged|addressee|legally)"
    r"|(?:confidentiality|legal|privacy) (?:notice|disclaimer|note)|disclaimer ?:|(?:important )?notice ?: this"
    r"|diese (?:e-?mail|nachricht)\b.{0,120}(?:vertraulich|bestimmt|geschützt)"
    r"|(?:ce (?:message|courriel|mail|courrier)|cet e-?mail)\b.{0,160}(?:confidentiel|destin|strictement)"
    r"|(?:tato|tento) (?:zpráva|e-?mail)\b.{0,160}(?:důvěrn|určen)"
    r"|(?:este (?:mensaje|correo|e-?mail)|esta mensagem)\b.{0,160}(?:confiden|destin)"
    r"|(?:questo messaggio|questa e-?mail|le informazioni contenute)\b.{0,160}(?:riservat|confidenz|destinat)"
    r"|(?:dit bericht|deze e-?mail)\b.{0,160}(?:vertrouwelijk|bestemd)"
    r"|(?:ta|niniejsza) wiadomość\b.{0,160}(?:poufn|przeznacz)"
    r"|(?:if|should) you\b.{0,60}(?:(?:received?|receiving|got) .{0,60}(?:in error|by mistake|by accident)"
    r"|(?:not|not be) the (?:intended|named|right) (?:recipient|addressee))"
    r"|(?:falls|wenn|sollten|sollte)\b.{0,80}(?:nicht für sie bestimmt|irrtümlich|versehentlich|fälschlich"
    r"|nicht (?:der|die) (?:beabsichtigte|richtige|vorgesehene|adressat|empfänger))"
    r"|(?:si|au cas où) (?:vous|ce message|ce courriel)\b.{0,80}(?:par erreur|pas (?:le|la|un) destinataire)"
    r"|(?:reply|text|send|write) .?stop.? to (?:opt out|unsubscribe|cancel|end)"
    r"|(?:please )?(?:ignore|excuse|forgive|pardon) (?:any |the |my |all )?"
    r"(?:typos?|typing|brevity|spelling|auto.?correct)"
    r"|(?:bitte )?(?:tipp|rechtschreib|schreib)fehler\b.{0,40}(?:entschuldig|ignorier|verzeih)"
    r"|(?:bitte )?(?:entschuldig|verzeih)\w{0,4} .{0,20}(?:tipp|rechtschreib|schreib)fehler"
    r"|(?:merci d.|veuillez |désolé.{0,6} (?:pour|de) )(?:excuser )?.{0,12}(?:fautes|coquilles)"
)
_CLOSING = Pattern(any_of(CLOSING) + r"[ ,.!:)]*$")
_NAME = Pattern(r"[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,3}[.,!]?$")
_DASHED_NAME = Pattern(r"-[^\W\d_]\w*(?: [^\W\d_]\w*){1,2}$")


def is_signature_delimiter(line: str) -> bool:
    """True if the line begins a signature: `-- `, a dash, or a row of underscores alone."""
    return len(line) < 200 and _DELIMITER.match(bare(line)) is not None


def is_rule(line: str) -> bool:
    """True if the line is drawn rather than written: dashes, stars, underscores only."""
    return len(line) <= 400 and _RULE.match(bare(line)) is not None


def is_app_line(line: str) -> bool:
    """True if a phone or app wrote the whole line: `Sent from my iPhone` in any language."""
    text = _MARKS.sub("", folded(line[:220]).strip("*_()[]<> "))
    if not 5 < len(text) < 160 or _SENTENCE.search(text):
        return False
    if _SENT_WITH.match(text) and len(text.split()) <= 7:
        return True
    if len(_TARGET.split(text, maxsplit=1)[0].split()) > 14 or not _DEVICE.search(text):
        return False
    return bool(_SENT_FROM.match(text) or _SENT_LAST.search(text))


def is_footer(line: str) -> bool:
    """True if a legal disclaimer or the note of a virus scanner begins here."""
    if len(line) < 18:
        return False
    text = folded(line[:400]).strip("*_ ")
    return _DISCLAIMER.match(text) is not None or (len(text) < 200 and _is_scanners(text))


def _is_scanners(text: str) -> bool:
    if _SCANNED.search(text):
        return True
    at = text.find("virus")
    return at >= 0 and _SCANNER.search(text, at) is not None


def without_closing(lines: list[str], is_command: Callable[[str], bool]) -> list[str]:
    """The lines without a courteous closing and name at their end (`Best regards,` / `Ana`).

    Only below other text: a mail that begins with thanks has its commands after them. A name for which `is_command` is
    true stays: `Pass` below `Thanks`.
    """
    written = 0
    for at in range(len(lines) - 1, -1, -1):
        text = bare(lines[at][:80])
        if not text:
            continue
        written += 1
        if _CLOSING.match(folded(text)):
            return lines[:at] if any(map(bare, lines[:at])) else lines
        if written > 2 or not text[:1].isupper() or not _NAME.match(text) or is_command(text):
            break
    return lines


def without_dashed_name(lines: list[str]) -> list[str]:
    """The lines without a last one like `-Ana Novak`, set apart by an empty line."""
    if len(lines) > 2 and not bare(lines[-2]) and _DASHED_NAME.match(bare(lines[-1])):
        return lines[:-1]
    return lines
