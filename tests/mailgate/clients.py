"""Frames of replies: the lines that mail programs write around the typed text, by client and language."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from textwrap import wrap

NOTICE = """\
-- Reply above this line to play --

It is your turn in GEM M17.
GEM · M17 · you are Ana (seat A)

Ben bids 2.

  A Ana    coins 1 2 3
  B Ben    coins 1 2 .

To play, write:  bid 3
To play, write:  pass

Deadline: Fri 6 Mar 2026 21:14 CET (in 2 d 23 h)
Ref: M17.7.k3f9"""
"""A turn mail of ours, shortened; no line of it is a command."""

NAME = "Gem Server"
ADDRESS = "play+abcdefghijklmnopqrstuvwxyz@play.example.org"

ATTRIBUTIONS = {
    "gmail en": "On Tue, Mar 3, 2026 at 9:14 PM {n} <{a}> wrote:",
    "gmail fr": "Le mar. 3 mars 2026 à 21:14, {n} <{a}> a écrit :",
    "gmail de": "Am Di., 3. März 2026 um 21:14 Uhr schrieb {n} <{a}>:",
    "gmail cs": "út 3. 3. 2026 v 21:14 odesílatel {n} <{a}> napsal:",
    "gmail sk": "ut 3. 3. 2026 o 21:14 {n} <{a}> napísal(a):",
    "gmail es": "El mar, 3 mar 2026 a las 21:14, {n} (<{a}>) escribió:",
    "gmail it": "Il giorno mar 3 mar 2026 alle ore 21:14 {n} <{a}> ha scritto:",
    "gmail pt": "Em ter., 3 de mar. de 2026 às 21:14, {n} <{a}> escreveu:",
    "gmail nl": "Op di 3 mrt 2026 om 21:14 schreef {n} <{a}>:",
    "gmail pl": "wt., 3 mar 2026 o 21:14 {n} <{a}> napisał(a):",
    "gmail sv": "Den tis 3 mars 2026 kl 21:14 skrev {n} <{a}>:",
    "gmail da": "Den tirs. 3. mar. 2026 kl. 21.14 skrev {n} <{a}>:",
    "gmail no": "tir. 3. mar. 2026 kl. 21:14 skrev {n} <{a}>:",
    "gmail fi": "ti 3. maalisk. 2026 klo 21.14 {n} ({a}) kirjoitti:",
    "gmail hu": "{n} <{a}> ezt írta (időpont: 2026. márc. 3., K, 21:14):",
    "gmail ro": "mar., 3 mar. 2026 la 21:14, {n} <{a}> a scris:",
    "gmail hr": "uto, 3. ožu 2026. u 21:14 {n} <{a}> napisao je:",
    "gmail et": "{n} <{a}> kirjutas kuupäeval T, 3. märts 2026 kell 21:14:",
    "gmail lv": "otrd., 2026. g. 3. marts, plkst. 21:14 — lietotājs {n} (<{a}>) rakstīja:",
    "gmail lt": "2026-03-03, an, 21:14 {n} <{a}> rašė:",
    "gmail ru": "вт, 3 мар. 2026 г. в 21:14, {n} <{a}>:",
    "gmail uk": "вт, 3 бер. 2026 р. о 21:14 {n} <{a}> пише:",
    "gmail el": "Στις Τρί 3 Μαρ 2026 στις 9:14 μ.μ., ο/η {n} <{a}> έγραψε:",
    "gmail tr": "{n} <{a}>, 3 Mar 2026 Sal, 21:14 tarihinde şunu yazdı:",
    "gmail he": "\u202bבתאריך יום ג׳, 3 במרץ 2026 ב-21:14 מאת \u202a{n}\u202c <\u202a{a}\u202c>:\u202c",
    "gmail ar": "في الثلاثاء، 3 مارس 2026 في 9:14 م تمت كتابة ما يلي بواسطة {n} <{a}>:",
    "gmail hi": "मंगल, 3 मार्च 2026 को 9:14 pm बजे को {n} <{a}> ने लिखा:",
    "gmail th": "ในวันที่ อ. 3 มี.ค. 2026 เวลา 21:14 {n} <{a}> เขียนว่า:",
    "gmail vi": "Vào Th 3, 3 thg 3, 2026 vào lúc 21:14 {n} <{a}> đã viết:",
    "gmail id": "Pada tanggal Sel, 3 Mar 2026 pukul 21.14 {n} <{a}> menulis:",
    "gmail zh": "{n} <{a}> 于2026年3月3日周二 21:14写道：",
    "gmail ja": "2026年3月3日(火) 21:14 {n} <{a}>:",
    "gmail ko": "2026년 3월 3일 (화) 오후 9:14, {n} <{a}>님이 작성:",
    "apple en": "On 3 Mar 2026, at 21:14, {n} <{a}> wrote:",
    "apple fr": "Le 3 mars 2026 à 21:14, {n} <{a}> a écrit :",
    "apple de": "Am 03.03.2026 um 21:14 schrieb {n} <{a}>:",
    "apple cs": "3. 3. 2026 v 21:14, {n} <{a}>:",
    "apple nl": "Op 3 mrt 2026, om 21:14 heeft {n} <{a}> het volgende geschreven:",
    "apple ja": "2026/03/03 21:14、{n} <{a}>のメール:",
    "thunderbird en": "On 3/3/26 21:14, {n} wrote:",
    "thunderbird fr": "Le 03/03/2026 à 21:14, {n} a écrit :",
    "thunderbird de": "Am 03.03.26 um 21:14 schrieb {n}:",
    "thunderbird cs": "Dne 03. 03. 26 v 21:14 {n} napsal(a):",
    "thunderbird pl": "W dniu 3.03.2026 o 21:14, {n} pisze:",
    "k-9 en": "On March 3, 2026 9:14:02 PM GMT+01:00, {n} <{a}> wrote:",
    "k-9 de": "Am 3. März 2026 21:14:02 MEZ schrieb {n} <{a}>:",
    "proton en": "On Tuesday, March 3rd, 2026 at 9:14 PM, {n} <{a}> wrote:",
    "mutt": "On Tue, Mar 03, 2026 at 09:14:02PM +0100, {n} wrote:",
    "gnus": "{n} <{a}> writes:",
    "zoho": "---- On Tue, 03 Mar 2026 21:14:02 +0100 {n} <{a}> wrote ---",
    "roundcube de": "Am 2026-03-03 21:14, schrieb {n}:",
    "tuta de": "3. März 2026, 21:14 von {a}:",
    "mail.ru": "Вторник, 3 марта 2026, 21:14 +03:00 от {n} <{a}>:",
    "evolution fr": "Le mardi 03 mars 2026 à 21:14 +0100, {n} a écrit :",
    "spark": "On 3. Mar 2026, 21:14 +0100, {n} <{a}>, wrote:",
    "horde de": "Zitat von {n} <{a}>:",
}

LABELS = {
    "en": ("From", "Sent", "To", "Subject"),
    "fr": ("De ", "Envoyé ", "À ", "Objet "),
    "de": ("Von", "Gesendet", "An", "Betreff"),
    "cs": ("Od", "Odesláno", "Komu", "Předmět"),
    "sk": ("Od", "Odoslané", "Komu", "Predmet"),
    "es": ("De", "Enviado", "Para", "Asunto"),
    "it": ("Da", "Inviato", "A", "Oggetto"),
    "nl": ("Van", "Verzonden", "Aan", "Onderwerp"),
    "pl": ("Od", "Wysłano", "Do", "Temat"),
    "pt": ("De", "Enviada em", "Para", "Assunto"),
    "sv": ("Från", "Skickat", "Till", "Ämne"),
    "da": ("Fra", "Sendt", "Til", "Emne"),
    "fi": ("Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe"),
    "hu": ("Feladó", "Elküldve", "Címzett", "Tárgy"),
    "ro": ("De la", "Trimis", "Către", "Subiect"),
    "ru": ("От", "Отправлено", "Кому", "Тема"),
    "uk": ("Від", "Надіслано", "Кому", "Тема"),
    "el": ("Από", "Στάλθηκε", "Προς", "Θέμα"),
    "tr": ("Kimden", "Gönderildi", "Kime", "Konu"),
    "he": ("מאת", "נשלח", "אל", "נושא"),
    "ar": ("من", "تم الإرسال", "إلى", "الموضوع"),
    "th": ("จาก", "ส่ง", "ถึง", "เรื่อง"),
    "ja": ("差出人", "送信日時", "宛先", "件名"),
    "zh": ("发件人", "发送时间", "收件人", "主题"),
    "ko": ("보낸 사람", "보낸 날짜", "받는 사람", "제목"),
    "a language of no list": ("Fwom", "Sant", "Tuu", "Subjekkt"),
}

TITLES = (
    "-----Original Message-----",
    "-------- Original message --------",
    "---------- Forwarded message ---------",
    "-----Message d'origine-----",
    "----- Mail original -----",
    "-----Ursprüngliche Nachricht-----",
    "-------- Weitergeleitete Nachricht --------",
    "-----Původní zpráva-----",
    "---------- Původní e-mail ----------",
    "-------- Пересылаемое сообщение --------",
    "________________________________",
)

APP_LINES = (
    "Sent from my iPhone",
    "Sent from my Galaxy",
    "Envoyé de mon iPhone",
    "Von meinem iPhone gesendet",
    "Odesláno z iPhonu",
    "Inviato da iPhone",
    "Enviado desde mi iPhone",
    "Verstuurd vanaf mijn iPhone",
    "Отправлено с iPhone",
    "Wysłane z iPhone'a",
    "Skickat från min iPhone",
    "Lähetetty iPhonesta",
    "iPhoneから送信",
    "从我的iPhone发送",
    "Get Outlook for iOS<https://aka.ms/o0ukef>",
    "Télécharger Outlook pour Android",
    "Sent with [Proton Mail](https://proton.me/) secure email.",
    "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
    "Odesláno z mého zařízení Android pomocí K-9 Mail. Promiňte mou stručnost.",
)

Frame = Callable[[str, str], str]
"""Typed text and attribution line → body."""


def attribution(client: str) -> str:
    """The line with which a client introduces our notification."""
    return ATTRIBUTIONS[client].format(n=NAME, a=ADDRESS)


def head(language: str, *, moment: str = "Tuesday, 3 March 2026 21:14") -> str:
    """The header fields that Outlook and its like put above an unquoted original."""
    sender, sent, to, subject = LABELS[language]
    return (
        f"{sender}: {NAME} <{ADDRESS}>\n{sent}: {moment}\n{to}: Ana <ana@example.net>\n"
        f"{subject}: [GEM M17] Ana, Ben, Cy"
    )


def quote(text: str, mark: str = "> ") -> str:
    return "\n".join(f"{mark}{line}".rstrip() for line in text.split("\n"))


def _wrapped(line: str) -> str:
    return "\n".join(wrap(line, 62, break_long_words=False, break_on_hyphens=False))


FRAMES: dict[str, Frame] = {
    "above the quote": lambda typed, line: f"{typed}\n\n{line}\n\n{quote(NOTICE)}\n",
    "above the quote, no gap": lambda typed, line: f"{typed}\n{line}\n{quote(NOTICE, '>')}\n",
    "above the quote, line quoted too": lambda typed, line: f"{typed}\n\n{quote(line)}\n>\n{quote(NOTICE)}\n",
    "above the quote, line wrapped": lambda typed, line: f"{typed}\n\n{_wrapped(line)}\n\n{quote(NOTICE)}\n",
    "above the unquoted original": lambda typed, line: f"{typed}\n\n{line}\n\n{NOTICE}\n",
    "above the unquoted original, line wrapped": lambda typed, line: (
        f"{typed}\n\n{_wrapped(line)}\n{NOTICE}\n"
    ),
    "below the quote": lambda typed, line: f"{line}\n{quote(NOTICE)}\n\n{typed}\n",
    "between the quotes": lambda typed, line: (
        f"{line}\n{quote(NOTICE[:99])}\n\n{typed}\n\n{quote(NOTICE[99:])}\n"
    ),
    "above a phone's line": lambda typed, line: (
        f"{typed}\n\nSent from my iPhone\n\n{line}\n\n{quote(NOTICE)}\n"
    ),
    "above a signature": lambda typed, line: (
        f"{typed}\n\n-- \nAna\n+420 777 123 456\n\n{line}\n{quote(NOTICE)}\n"
    ),
}


def every_frame(typed: str) -> Iterator[tuple[str, str]]:
    """The typed text as every client and style would send it: name of the style, and the body."""
    for client in ATTRIBUTIONS:
        for style, frame in FRAMES.items():
            yield f"{client}, {style}", frame(typed, attribution(client))
