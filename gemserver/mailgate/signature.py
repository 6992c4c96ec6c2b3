"""What stands below a typed text without belonging to it: signatures, advertising lines of apps, disclaimers, sign-offs."""

from __future__ import annotations

import re

from gemserver.mailgate.text_lines import bare

_DELIMITER = re.compile(r"(?:--|—|–|_{2,}|—{2,}|- -)$")
_RULE = re.compile(r"(?:[-–—_=*~#+•·ᐧ.] ?){2,}$|[—–ᐧ]$")

_DEVICE = (
    r"iphone|ipad|ipod|android|galaxy|samsung|huawei|xiaomi|redmi|mobil|handy|smartphone|smart phone|cell|téléphone|telefon|telefoon|"
    r"teléfono|telefone|móvil|celular|cellulare|puhelim|телефон|смартфон|outlook|mail|courriel|courrier|gmail|proton|k-9|windows|"
    r"blackberry|bluemail|spark|airmail|tuta|fairemail|edison|app\b|phone|tablet|nexus|htc|sony|lg\b|motorola|pixel|oneplus|nokia|"
    r"gerät|appareil|dispositivo|zařízen|zariaden|urządzen|toestel|apparaat|enhed|enhet|laite|устройств|пристро|készülék|cihaz|"
    r"συσκευή|设备|設備|手机|手機|端末|携帯|휴대|기기|thiết bị|perangkat|wiko|alcatel|aquos|vodafone|yandex|яндекс|почт|пошт"
)
_SENT_FIRST = re.compile(
    r"(?:sent (?:from|via|with|using|by|on|through)|from my|sent a|envoyé (?:de|depuis|avec|à partir|par|via|grâce)|"
    r"message envoyé|expédié|provenance|gesendet (?:von|mit|aus|über|via|per)|verschickt|versendet|odesláno|odoslané|posláno|"
    r"enviado|enviada|inviato|inviata|verzonden|verstuurd|wysłan[oey]|skickat|skickades|sendt|отправлено|надіслано|trimis|"
    r"poslano|saadetud|išsiųsta|nosūtīts|изпратено|послато|dikirim|đã gửi|được gửi|发自|發自|寄自|從我的|从我的|στάλθηκε|αποστολή|"
    r"napsáno|get|obtenir|télécharger|téléchargez|hol dir|laden sie|hämta|hent|ottieni|scarica|obtener|obtén|obter|"
    r"download|stáhnout|stiahnuť|pobierz|sicher versendet|secured by|отправлено|lähetetty|vanuit mijn|von meinem|van mijn) ?"
)
_SENT_LAST = re.compile(
    r"(?:gesendet|geschickt|verzonden|küldve|küldték|gönderildi|lähetetty|から送信|より送信|에서 보냄|에서 전송|에서 보낸|发送|傳送|נשלח|saadetud)\W{0,40}$"
)
_FROM_MY = re.compile(r"(?:sent )?from my [\w'’ -]{1,30}[.!]?$")
_SCANNED = re.compile(
    r"(?:virus|vírus|viry|вирус|wirus)\w*.{0,80}(?:avast|avg|norton|eset|kaspersky|avira|mcafee|www\.|antivir)|"
    r"(?:avast|avg|norton|eset|avira)\W.{0,40}(?:virus|vírus|viry)|virus-free|virenfrei|"
    r"(?:checked|scanned) for viruses|zkontrolován\w* na viry|auf viren (?:geprüft|untersucht)|recherche de virus|sans virus"
)
_DISCLAIMER = re.compile(
    r"(?:this|the) (?:e-?mail|message|communication|transmission)\b.{0,120}(?:confidential|intended|privileged|addressee|legally)|"
    r"(?:confidentiality|legal|privacy) (?:notice|disclaimer|note)|disclaimer ?:|(?:important )?notice ?: this|"
    r"diese (?:e-?mail|nachricht)\b.{0,120}(?:vertraulich|bestimmt|geschützt)|"
    r"(?:ce (?:message|courriel|mail|courrier)|cet e-?mail|les informations contenues)\b.{0,160}(?:confidentiel|destin|strictement)|"
    r"(?:tato|tento) (?:zpráva|e-?mail)\b.{0,160}(?:důvěrn|určen)|"
    r"este (?:mensaje|correo|e-?mail)\b.{0,160}(?:confidencial|destin)|esta mensagem\b.{0,160}(?:confidencia|destin)|"
    r"(?:questo messaggio|questa e-?mail|le informazioni contenute)\b.{0,160}(?:riservat|confidenz|destinat)|"
    r"(?:dit bericht|deze e-?mail)\b.{0,160}(?:vertrouwelijk|bestemd)|(?:ta|niniejsza) wiadomość\b.{0,160}(?:poufn|przeznacz)"
)
_CLOSING = re.compile(
    r"(?:(?:with )?(?:best|kind|warm|many|friendly|kindest|warmest)? ?(?:regards|wishes|greetings)|best|all the best|cheers|thanks|"
    r"thank you|many thanks|thx|ta|sincerely|yours(?: sincerely| faithfully| truly)?|ciao|bye|see you|good luck|"
    r"(?:mit )?(?:freundliche\w*|viele\w*|liebe\w*|beste\w*|schöne\w*|herzliche\w*)? ?(?:grüße\w*|grüsse\w*|gruß|gruss)|mfg|lg|vg|danke|tschüss|servus|"
    r"(?:bien )?cordialement|bien à (?:toi|vous)|amicalement|amitiés|salutations|meilleures salutations|bonne (?:journée|soirée)|"
    r"à (?:bientôt|plus|demain)|merci|bises|salut|"
    r"(?:s|se srdečným|s přátelským) pozdravem|(?:hezký|pěkný) (?:den|večer)|zdraví|zdravím|měj se|mějte se|ahoj|čau|díky|děkuji|děkuju|"
    r"s pozdravom|pozdravujem|(?:un )?(?:saludos?|abrazo)|un cordial saludo|atentamente|gracias|(?:cordiali |distinti )?saluti|grazie|"
    r"(?:met )?(?:vriendelijke|hartelijke)? ?groet\w*|mvg|groetjes|bedankt|pozdrawiam|z poważaniem|dzięki|"
    r"(?:com os melhores )?cumprimentos|atenciosamente|abraços?|obrigad[oa]|(?:med )?(?:vänlig|venlig|vennlig|bästa|beste)\w* ?(?:hälsning\w*|hilsen\w*)|"
    r"hälsningar|hilsen|mvh|terveisin|ystävällisin terveisin|kiitos|с уважением|всего доброго|спасибо|з повагою|дякую|üdvözlettel|köszönöm|"
    r"saygılarımla|teşekkürler|με εκτίμηση|ευχαριστώ)[ ,.!:)]*$"
)
_NAME_LIKE = re.compile(r"(?:[/~-]{0,2} ?)?[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,3}[.,!]?$")


def is_signature_delimiter(line: str) -> bool:
    """Does the line begin a signature: `-- `, a dash, or a row of underscores alone?"""
    return len(line) < 200 and _DELIMITER.match(bare(line)) is not None


def is_rule(line: str) -> bool:
    """Is the line drawn rather than written: dashes, stars, underscores only?"""
    return len(line) <= 400 and _RULE.match(bare(line)) is not None


def is_app_line(line: str) -> bool:
    """Is the whole line what a phone or app adds: `Sent from my iPhone` in any language?"""
    text = bare(line[:220]).strip("*_()[] ").casefold()
    if not 5 < len(text) < 160:
        return False
    if _FROM_MY.match(text):
        return True
    if not re.search(_DEVICE, text):
        return False
    words = text.split("<", 1)[0].split("(http", 1)[0].split()
    if len(words) > 14:
        return False
    return bool(_SENT_FIRST.match(text) or _SENT_LAST.search(text))


def is_footer(line: str) -> bool:
    """Does a legal disclaimer or the note of a virus scanner begin here?"""
    if len(line) < 18:
        return False
    text = bare(line[:400]).strip("*_ ").casefold()
    return _DISCLAIMER.match(text) is not None or (len(text) < 200 and _SCANNED.search(text) is not None)


def without_closing(lines: list[str]) -> list[str]:
    """The lines without a courteous closing and name at their end (`Best regards,` / `Ana`)."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    at = end - 1
    written = 0
    while at >= 0 and written < 4:
        text = bare(lines[at][:80])
        if text:
            written += 1
            if _CLOSING.match(text.casefold()):
                return lines[:at]
            if not _NAME_LIKE.match(text):
                return lines
        at -= 1
    return lines
