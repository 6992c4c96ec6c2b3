"""Words that mail programs write above the mail that they quote, by language (`word_table`).

Structure decides first everywhere (`attribution`, `quoted_headers`), so most mails in a language that is missing here
are read all the same.
"""

from __future__ import annotations

WROTE = """
en: wrote, writes, sent
fr: écrit
de: schrieb, schreibt, geschrieben
cs: napsal, napsala, píše
sk: napísal, napísala
es: escribió, escribe
it: scritto, scrive
nl: schreef, schrijft, geschreven
pl: napisał, napisała, pisze
pt: escreveu, escreve
sv: skrev, skriver
fi: kirjoitti
is: skrifaði
ru: написал, написала, пишет, писал, писала
uk: написав, написала, пише
bg: написа, пише
sr: написао, написала, napisao, napisala, je pisao
sl: napisal, je napisal
ro: scris
hu: írta
tr: yazdı, yazdi
el: έγραψε, έγραψαν, γράφει
et: kirjutas
lv: rakstīja, uzrakstīja
lt: rašė, parašė
ca: va escriure, escrigué, ha escrit
eu: idatzi du
gl: escribiu
sq: shkroi
he: כתב, כתבה, מאת
ar: كتب, كتبت, كتبه
fa: نوشت, نوشته
hi: लिखा, ने लिखा
th: เขียน, เขียนว่า
vi: đã viết, viết
id: menulis, ditulis oleh
"""

WROTE_CJK = """
zh: 写道, 寫道
ja: 書きました, のメール, さんが書いた
ko: 작성, 님이 작성
"""

OPENER = """
en: on, at
fr: le
de: am, um
cs: dne, dňa
sk: dňa
es: el
it: il, in data
nl: op
pl: w dniu, dnia
pt: em, no dia, a
sv: den, på, kl.
da: den, d.
fi: klo
ro: în, la, pe
hu: a
ru: в, во
uk: у, в
el: στις, την
vi: vào, vào lúc
id: pada
ca: el dia, el
"""

FROM_LABEL = """
en: from, sender
fr: de, expéditeur, message de
de: von, absender, nachricht von
cs: od, odesílatel
sk: od, odosielateľ
es: de, remitente
it: da, mittente
nl: van, afzender
pl: od, nadawca
pt: de, remetente
sv: från, avsändare
da: fra, afsender
no: fra, avsender
fi: lähettäjä
is: frá
ru: от, от кого, отправитель
uk: від, від кого
bg: от
hr: od, šalje, pošiljatelj
sl: od, pošiljatelj
ro: de la, expeditor
hu: feladó
tr: kimden, gönderen
el: από
et: saatja, kellelt
lv: no
lt: nuo
ca: de
he: מאת
ar: من
fa: از
th: จาก
vi: từ
id: dari
zh: 发件人, 寄件者, 寄件人, 發件人
ja: 差出人, 送信者, from
ko: 보낸사람, 보낸 사람, 보낸이
"""

DATE_LABEL = """
en: date, sent, sent on, sent at
fr: date, envoyé, envoyé le, date d'envoi, date d’envoi
de: datum, gesendet, gesendet am
cs: datum, odesláno
sk: dátum, odoslané
es: fecha, enviado, enviado el, enviada
it: data, inviato
nl: datum, verzonden
pl: data, wysłano
pt: data, enviado, enviada, enviada em, data de envio
sv: datum, skickat, skickades
da: dato, sendt
no: dato, sendt
fi: päivämäärä, päiväys, lähetetty, pvm
is: dagsetning, sent
ru: дата, отправлено
uk: дата, надіслано
bg: дата, изпратено
hr: datum, poslano
sl: datum, poslano
sr: датум, послато
ro: data, trimis, dată
hu: dátum, elküldve, küldve
tr: tarih, gönderildi, gönderilme tarihi
el: ημερομηνία, στάλθηκε, εστάλη
et: kuupäev, saadetud
lv: datums, nosūtīts
lt: data, išsiųsta
ca: data, enviat
he: תאריך, נשלח
ar: تاريخ, التاريخ, تم الإرسال, أُرسلت
fa: تاریخ
th: วันที่, ส่ง
vi: ngày, đã gửi, thời gian
id: tanggal, dikirim
zh: 发送时间, 发送日期, 日期, 時間, 时间, 傳送時間, 寄件日期
ja: 送信日時, 日時, 日付, 送信日
ko: 날짜, 보낸 날짜, 보낸날짜
"""

TO_LABEL = """
en: to
fr: à, a, pour, destinataire
de: an, empfänger
cs: komu, pro, adresát
sk: komu, pre
es: para, a, destinatario
it: a, per, destinatario
nl: aan, naar, ontvanger
pl: do, odbiorca
pt: para, destinatário
sv: till, mottagare
da: til, modtager
no: til, mottaker
fi: vastaanottaja, kenelle
is: til
ru: кому
uk: кому, до
bg: до
hr: za, prima, primatelj
sl: za
ro: către, catre, la
hu: címzett
tr: kime, alıcı, kime gönderildi
el: προς
et: saaja, kellele
lv: kam
lt: kam
ca: per a, a
he: אל, לכבוד
ar: إلى
fa: به
th: ถึง
vi: đến, tới
id: kepada, ke
zh: 收件人, 收件者
ja: 宛先
ko: 받는사람, 받는 사람, 받는이
"""

SUBJECT_LABEL = """
en: subject
fr: objet, sujet
de: betreff
cs: předmět
sk: predmet
es: asunto
it: oggetto
nl: onderwerp
pl: temat
pt: assunto
sv: ämne
da: emne
no: emne
fi: aihe, otsikko
is: efni
ru: тема
uk: тема
bg: тема, относно
hr: predmet, naslov
sl: zadeva
ro: subiect
hu: tárgy
tr: konu
el: θέμα
et: teema, pealkiri
lv: tēma, temats
lt: tema
ca: assumpte
he: נושא
ar: الموضوع, موضوع
fa: موضوع
th: เรื่อง, หัวเรื่อง
vi: chủ đề, tiêu đề
id: subjek, perihal
zh: 主题, 主旨, 主題
ja: 件名
ko: 제목
"""

OTHER_LABEL = """
en: cc, bcc, reply-to, reply to, importance, priority, attachments
fr: copie à, copie, cci, répondre à, réponse à
de: kopie, antwort an, antworten an, wichtigkeit, anlagen
cs: kopie, odpovědět
sk: kópia
es: responder a
it: ccn, rispondi a, risposta
nl: antwoord aan
pl: dw, odpowiedz do
pt: responder para
sv: kopia, svara till
da: svar til
no: kopi, svar til
fi: kopio, vastaus
ru: копия, ответить
uk: копія
hu: másolat, válaszcím
tr: bilgi, yanıtla
zh: 抄送, 副本
ko: 참조
"""

ORIGINAL = """
en: original message, original e-mail, original mail, forwarded message, reply message, forwarded by
en: replied message
fr: message d'origine, message d’origine, message original, mail original, message transféré
fr: message transmis, message initial
de: original*nachricht, original-nachricht, ursprüngliche*, weitergeleitete nachricht
de: weitergeleitete mail, antwort nachricht
cs: původní zpráva, původní e-mail, původní mail, přeposlaná zpráva, předaná zpráva
sk: pôvodná správa, preposlaná správa
es: mensaje original, mensaje reenviado
it: messaggio originale, messaggio inoltrato, messaggio inviato
nl: oorspronkelijk bericht, origineel bericht, doorgestuurd bericht
pl: wiadomość oryginalna, oryginalna wiadomość, przekazan* wiadomoś*, treść przekazanej wiadomości
pl: wiadomość przekazana
pt: mensagem original, mensagem encaminhada, mensagem reencaminhada
sv: originalmeddelande, ursprungligt meddelande, vidarebefordra* meddelande, vidarebefordrat mejl
da: oprindelig meddelelse, original meddelelse, oprindelig besked, videresendt besked
da: videresendt meddelelse
no: opprinnelig melding, videresendt melding, original melding
fi: alkuperäinen viesti, välitetty viesti, edelleenlähetetty viesti
ru: исходное сообщение, пересылаемое сообщение, пересланное сообщение, оригинальное сообщение
ru: переадресованн* сообщени*
uk: вихідне повідомлення, оригінал* повідомлення, переслане повідомлення, початкове повідомлення
bg: оригинално съобщение, препратено съобщение
hr: izvorna poruka, proslijeđena poruka
sl: izvirno sporočilo, posredovano sporočilo
ro: mesaj original, mesaj redirecționat, mesajul original
hu: eredeti üzenet, továbbított üzenet, továbbított levél
tr: orijinal mesaj, özgün ileti, orijinal ileti, iletilmiş mesaj, iletilen mesaj
el: αρχικό μήνυμα, προωθημένο μήνυμα
et: algne kiri, edastatud kiri
lv: sākotnējais ziņojums, pārsūtīts ziņojums
lt: pradinis laiškas, persiųstas laiškas
ca: missatge original, missatge reenviat
he: הודעה מקורית, הודעה שהועברה
ar: الرسالة الأصلية, رسالة معاد توجيهها
vi: thư gốc, tin nhắn gốc, thư đã chuyển tiếp
id: pesan asli, pesan terusan
zh: 原始邮件, 原始郵件, 转发邮件, 转发的消息, 转发消息, 轉寄郵件, 转发的邮件, 原邮件
ja: 元のメッセージ, 転送メッセージ, 転送されたメッセージ, オリジナルメッセージ
ko: 원본 메시지, 원본 메일, 전달된 메시지
"""

FORWARD_BEGINS = """
en: begin forwarded message, forwarded message
fr: début du message réexpédié, début du message transféré
de: anfang der weitergeleiteten nachricht, anfang der weitergeleiteten e-mail
cs: začátek přeposílané zprávy, začátek přeposlané zprávy
sk: začiatok preposlanej správy
es: inicio del mensaje reenviado
it: inizio messaggio inoltrato
nl: begin doorgestuurd bericht
pl: początek przekazywanej wiadomości
pt: início da mensagem reencaminhada, início da mensagem encaminhada, começo da mensagem encaminhada
sv: vidarebefordrat mejl, vidarebefordrat brev
da: start på videresendt besked
no: videresendt melding
fi: välitetty viesti alkaa
ru: начало переадресованного сообщения, начало пересылаемого сообщения
uk: початок листа, початок переадресованого повідомлення
hr: započni proslijeđenu poruku
ro: începe mesajul redirecționat
hu: továbbított levél kezdete
tr: i̇leti başlangıcı, ileti başlangıcı
el: έναρξη προωθημένου μηνύματος
ca: comença el missatge reenviat
he: תחילת ההודעה שהועברה
ar: بدء الرسالة المعاد توجيهها
vi: bắt đầu thư được chuyển tiếp
id: mulai pesan diteruskan
zh: 下面是被转发的邮件, 開始轉寄郵件
ja: 転送されたメッセージ
ko: 전달된 메시지 시작
"""

MARKER = """
en: reply above this line, type your reply above, write your reply above, please reply above
en: reply above the line
fr: répondez au-dessus de cette ligne, répondre au-dessus de cette ligne
fr: écrivez au-dessus de cette ligne, au-dessus de cette ligne
de: oberhalb dieser zeile, oberhalb dieser linie, über dieser zeile, über dieser linie
cs: nad tímto řádkem, nad tento řádek, nad touto čárou, nad tuto čáru
sk: nad týmto riadkom, nad tento riadok, nad touto čiarou
es: encima de esta línea, sobre esta línea, arriba de esta línea
it: sopra questa riga, sopra questa linea, sopra a questa riga, al di sopra di questa riga
nl: boven deze regel, boven deze lijn
pl: nad tym wierszem, powyżej tej linii, nad tą linią, powyżej tego wiersza
pt: acima desta linha, acima dessa linha
sv: ovanför den här raden, ovanför denna rad, ovanför linjen
da: over denne linje, over denne linie
no: over denne linjen
fi: tämän rivin yläpuol*
ru: выше этой строки, над этой строкой, выше этой линии
uk: вище цього рядка, над цим рядком
hu: e sor fölé, a vonal fölé, e fölé a sor fölé, a sor fölé
tr: bu satırın üst*
el: πάνω από αυτή
zh: 此行之上, 此行以上, 在此行上
ja: この行より上, この行の上
ko: 이 줄 위, 이 선 위
"""
