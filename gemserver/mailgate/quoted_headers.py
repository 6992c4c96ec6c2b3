"""The head of an unquoted original: `From: / Sent: / To: / Subject:` in any language, and the title line above it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gemserver.mailgate.text_lines import bare

_KNOWN = {
    "from": "from, von, de, da, van, od, fra, från, lähettäjä, от, від, от кого, kimden, từ, 发件人, 寄件者, 寄件人, 差出人, 보낸사람, "
    "보낸 사람, dari, de la, expéditeur, remitente, mittente, absender, afzender, feladó, nadawca, odesílatel, odosielateľ, "
    "sender, מאת, من, saatja, nuo, no, šalje, pošiljatelj, frá, gönderen, message de, message du, nachricht von, από",
    "date": "date, sent, sent on, sent at, datum, gesendet, gesendet am, envoyé, envoyé le, date d'envoi, odesláno, data, fecha, "
    "enviado, enviado el, enviada em, enviada, inviato, verzonden, wysłano, skickat, sendt, dato, lähetetty, päivämäärä, "
    "päiväys, отправлено, дата, надіслано, küldve, dátum, elküldve, gönderildi, gönderilme tarihi, tarih, odoslané, dátum, "
    "ημερομηνία, στάλθηκε, ngày, đã gửi, 发送时间, 发送日期, 日期, 傳送時間, 寄件日期, 送信日時, 日時, 日付, 날짜, 보낸 날짜, 보낸날짜, dikirim, "
    "tanggal, trimis, saadetud, kuupäev, išsiųsta, nosūtīts, poslano, נשלח, تاريخ, تم الإرسال, изпратено, послато",
    "to": "to, an, à, a, aan, komu, till, til, vastaanottaja, кому, до, kime, προς, đến, tới, 收件人, 收件者, 宛先, 받는사람, 받는 사람, "
    "kepada, para, către, destinataire, destinatario, címzett, do, adresát, pre, saaja, kam, za, prima, alıcı, אל, إلى, odbiorca, "
    "mottagare, empfänger, ontvanger",
    "subject": "subject, betreff, objet, oggetto, asunto, assunto, onderwerp, předmět, predmet, temat, ämne, emne, aihe, otsikko, "
    "тема, konu, tárgy, θέμα, chủ đề, tiêu đề, 主题, 主旨, 件名, 제목, subjek, perihal, subiect, pealkiri, teema, tema, temats, efni, "
    "נושא, الموضوع, относно, naslov",
    "other": "cc, ccn, bcc, cci, kopie, copie, copie à, copia, kopia, kopi, kopio, копия, копія, reply-to, reply to, répondre à, "
    "antwort an, antworten an, rispondi a, risposta, responder a, 抄送, 副本, 참조, importance, wichtigkeit, attachments, anlagen",
}
_CATEGORY = {word: category for category, words in _KNOWN.items() for word in words.split(", ")}
_LABEL = re.compile(
    r"[*_]{0,3}(?P<label>[^\W\d_][^\W\d_'’./-]*(?:[ '’./-][^\W\d_]+){0,3}) ?[*_]{0,3} ?[:：](?P<rest>.*)$"
)
_ADDRESS = re.compile(r"[^\s<>@:]{1,64}@[^\s<>@]{1,190}")
_MOMENT = re.compile(
    r"(?<!\d)\d{1,2}[:.h]\d{2}(?!\d)|(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,2}[-./] ?\d{1,2}[-./] ?\d{2,4}"
)
_TITLE = re.compile(
    r"\W{0,3}?(?P<left>[-_=—–]{2,}) ?(?P<title>[^\W\d_][^\d]{2,60}?) ?(?P<right>[-_=—–]{2,})(?P<rest>.*)$"
)
_ORIGINAL = re.compile(
    r"origin|forward|weitergeleitet|transf|réexpéd|inoltrat|reenviad|encaminhad|doorgestuur|vidare|videre|přeposlan|preposlan|"
    r"přepos|przekaz|пересл|пересил|původn|pôvodn|nachricht|meddel|mensaje|mensagem|bericht|messag|zpráv|správ|wiadomo|сообщен|"
    r"повідомл|besked|melding|viesti|üzenet|ileti|e-?mail|mail original|原始|转发|轉寄|転送|元のメ|전달|원본|mesaj|reply message|tin nhắn"
)
_BEGIN = re.compile(
    r"(?:begin forwarded message|anfang der weitergeleiteten|début du message|inizio messaggio|inicio del mensaje|"
    r"começo da mensagem|begin doorgestuurd|vidarebefordrat brev|start på videresendt|začátek přeposlané|"
    r"początek przekazywanej|начало переадрес|转发的邮件|転送されたメッセージ|forwarded message)"
)
MAX_FIELDS = 12


def header_block_length(lines: Sequence[str], at: int, *, titled: bool = False) -> int:
    """How many lines from `at` on are the header fields of an original message; 0 when no such block begins there.

    Language-independent: three `Word: value` lines, one with an address and one with a moment; fewer when the words
    are known in some language, or when a title line stands above (`titled`).
    """
    if not _label(lines[at]):
        return 0
    seen: set[str] = set()
    fields, wrapped, end, position = 0, 0, at, at
    has_address = has_moment = False
    while position < len(lines) and fields < MAX_FIELDS:
        line = bare(lines[position][:500])
        label = _label(line)
        if label is not None and not (fields and end < position and label[0] not in _CATEGORY):
            fields, wrapped = fields + 1, 0
            seen.add(_CATEGORY.get(label[0], ""))
        elif not line and position == end and fields:
            position += 1
            continue
        elif line and position == end and wrapped < 2 and _label_within(lines, position + 1):
            wrapped += 1
        else:
            break
        has_address = has_address or bool(_ADDRESS.search(line))
        has_moment = has_moment or bool(_MOMENT.search(line))
        position += 1
        end = position
    seen.discard("")
    return end - at if _is_block(fields, seen, has_address, has_moment, titled) else 0


def is_title(line: str, following: Sequence[str]) -> bool:
    """Is this `-----Original Message-----` or its like, in any language?

    A title without a known word counts only when a header block begins within the next three lines.
    """
    text = bare(line[:500]).strip("*> ").casefold()
    if len(text) > 90 and not text.startswith("--------"):
        return False
    if _BEGIN.match(text) and len(text) < 60:
        return True
    found = _TITLE.match(text)
    if found is None:
        return False
    if _ORIGINAL.search(found["title"]) and (len(found["left"]) > 2 or not found["rest"]):
        return len(found["left"]) + len(found["right"]) >= 6
    if found["rest"] or len(found["left"]) < 4:
        return False
    heads = [position for position, text in enumerate(following[:3]) if text.strip()]
    return bool(heads) and header_block_length(following, heads[0], titled=True) > 0


def _is_block(fields: int, seen: set[str], has_address: bool, has_moment: bool, titled: bool) -> bool:
    if titled:
        return fields >= 2 and ("from" in seen or "date" in seen or has_address)
    if fields >= 3 and has_address and has_moment:
        return True
    if len(seen - {"other"}) >= 3:
        return True
    return fields >= 2 and len(seen - {"other"}) >= 2 and has_address and (has_moment or "from" in seen)


def _label(line: str) -> tuple[str, str] | None:
    text = bare(line[:500])
    found = _LABEL.match(text)
    if found is None or len(found["label"]) > 26:
        return None
    label, rest = found["label"].casefold(), found["rest"]
    if not rest or rest[0] in " *_" or label in _CATEGORY or "：" in text[: found.end("label") + 3]:
        return (label, rest) if not rest.startswith("//") else None
    return None


def _label_within(lines: Sequence[str], at: int) -> bool:
    return any(_label(line) is not None for line in lines[at : at + 2])
