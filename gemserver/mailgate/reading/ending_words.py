"""Words of signatures, closings and disclaimers below the typed text, by language (`word_table`)."""

from __future__ import annotations

COURTESY = """
en: hi, hello, hey, dear, good morning, good afternoon, good evening, good day, greetings
en: thanks, thank you, thx, many thanks, cheers, good luck, have fun, good game, well played, nice move
en: nice one, good move, sorry, see you, enjoy, have a nice, have a good, have a great, happy new, merry
fr: bonjour, bonsoir, salut, coucou, cher, chère, chers, merci, bonne chance, bonne journée, bonne soirée
fr: bon week-end, bonne partie, bien joué, joli coup, désolé, désolée, amusez-vous, à bientôt, à plus, à demain
de: grüß, grüss, grüezi
de: hallo, moin, servus, guten morgen, guten tag, guten abend, liebe, lieber, liebes, danke, dankeschön, vielen dank
de: viel glück, viel erfolg, viel spaß, gut gespielt, schöner zug, entschuldigung, bis bald, bis dann, bis morgen
de: schönen tag, schönen abend, schönes wochenende, gute partie, tut mir leid
cs: ahoj, dobrý den, děkuji, díky, hodně štěstí
es: hola, buenos días, buenas tardes, gracias, buena suerte
it: ciao, buongiorno, buonasera, grazie, buona fortuna
nl: hoi, goedemorgen, bedankt, dank je, succes
pl: cześć, dzień dobry, dzięki, dziękuję, powodzenia
"""

DEVICE = """
makes: iphon*, ipad*, ipod*, android*, galaxy, samsung*, huawei*, xiaomi, redmi, nokia*, htc, sony
makes: lg, motorola, pixel, oneplus
makes: blackberry*, nexus, wiko, alcatel, aquos, vodafone, orange, ti-85, bouygues, bluebird
programs: outlook, mail, gmail, hotmail, proton*, k-9, windows, bluemail, spark, airmail, mailbox
programs: tuta*, fairemail, edison, yahoo*, aol
programs: typeapp, sparrow, acompli, mailspring, zimbra, roundcube, thunderbird, newton, mymail
programs: polymail, nine, superhuman, canary
en: phone, mobile*, cell, cellphone, smartphone, tablet, device, app, handheld, pc
fr: téléphone, appareil, courriel, courrier, portable
de: handy, mobil*, smartphone, telefon, gerät, tablet, app
cs: zařízení, telefonu, mobilu, mobilního*, pošta
sk: zariadenia, telefónu, mobilu
es: móvil, teléfono, celular, dispositivo, correo
it: cellulare, telefono, dispositivo, posta, smartphone
nl: toestel, apparaat, telefoon, mobiel*
pl: urządzenia, telefonu, poczta, komórk*
pt: celular, telemóvel, telefone, dispositivo
sv: enhet, mobil, surfplatta, e-post
da: enhed, mobil, telefon
fi: puhelim*, laitte*, kännyk*, sähköpost*
ru: телефон*, смартфон*, устройств*, почт*, яндекс*, айфон*, мобильн*
uk: телефон*, пристро*, пошт*
ro: telefon*, dispozitiv*
hu: készülék*, mobil*, telefon*
tr: cihaz*, telefon*
el: συσκευή, κινητό
vi: thiết bị, điện thoại
id: perangkat, ponsel
zh: 设备, 設備, 手机, 手機, 邮箱
ja: 端末, 携帯, スマートフォン
ko: 휴대전화, 기기, 메일
"""

SENT_FROM = """
en: sent from, sent via, sent with, sent using, sent by, sent on, sent through, sent a
en: this email was sent from, from my, get, download
fr: envoyé de, envoyé depuis, envoyé avec, envoyé à partir, envoyé par, envoyé via, envoyé grâce
fr: message envoyé, expédié, provenance
fr: obtenir, obtenez, télécharger, téléchargez
de: gesendet von, gesendet mit, gesendet aus, gesendet über, gesendet via, gesendet per, versendet
de: verschickt, sicher versendet, holen sie sich
de: hol dir, laden sie, von meinem, von meiner, diese nachricht wurde von
cs: odesláno, posláno, napsáno, stáhnout, získejte, odesláno z
sk: odoslané, poslané, získajte
es: enviado, enviada, obtener, obtén, descargar
it: inviato, inviata, ottieni, scarica
nl: verzonden, verstuurd, outlook voor, download, vanuit mijn, van mijn
pl: wysłan*, pobierz, uzyskaj
pt: enviado, enviada, obter, obtenha, baixe
sv: skickat, skickades, skickat från, hämta
da: sendt, hent
no: sendt, hent, skaff deg
fi: lähetetty, hanki
ru: отправлено, скачать, получить
uk: надіслано, відправлено
bg: изпратено
hr: poslano, послато, poslato
ro: trimis, obțineți
et: saadetud
lv: nosūtīts
lt: išsiųsta
el: στάλθηκε, αποστολή
ca: enviat
ar: أرسلت من, أرسل من, تم الإرسال
he: נשלח
fa: ارسال شده
vi: đã gửi, được gửi, gửi từ, tải
id: dikirim
th: ส่งจาก
zh: 发自, 發自, 寄自, 从我的, 從我的, 来自, 來自
"""

SENT_LAST = """
de: gesendet, geschickt, verschickt
nl: verzonden, verstuurd
fi: lähetetty
hu: küldve, küldték, küldöm
tr: gönderildi, gönderilmiştir
et: saadetud
ja: から送信, より送信, から送信されました
ko: 에서 보냄, 에서 전송, 에서 보낸
zh: 发送, 傳送, 发出
hi: भेजा गया
"""

CLOSING = """
en: regards, best regards, kind regards, warm regards, many regards, kindest regards
en: with kind regards, best wishes, kind wishes, best
en: all the best, cheers, thanks, thank you, many thanks, thx, sincerely, yours sincerely
en: yours truly, yours faithfully, yours, bye
en: see you, good luck, greetings, ciao
fr: cordialement, bien cordialement, bien à toi, bien à vous, amicalement, amitiés, salutations
fr: meilleures salutations, bises, merci
fr: bonne journée, bonne soirée, à bientôt, à plus, à demain, salut, sincèrement
de: grüße, gruß, gruss, grüsse, viele grüße, viele grüsse, liebe grüße, beste grüße, schöne grüße
de: herzliche grüße, freundliche grüße
de: mit freundlichen grüßen, mit freundlichem gruß, freundliche grüsse, mit besten grüßen, mfg, lg
de: vg, danke, tschüss, servus, bis bald
cs: s pozdravem, se srdečným pozdravem, s přátelským pozdravem, hezký den, pěkný den, hezký večer
cs: zdraví, zdravím, měj se, mějte se
cs: ahoj, čau, díky, děkuji, děkuju
sk: s pozdravom, pozdravujem, ďakujem, vďaka
es: saludos, un saludo, un cordial saludo, un abrazo, abrazos, atentamente, gracias
it: saluti, cordiali saluti, distinti saluti, grazie, a presto
nl: groet, groeten, met vriendelijke groet, met vriendelijke groeten, vriendelijke groeten
nl: hartelijke groet, mvg, groetjes, bedankt
pl: pozdrawiam, z poważaniem, dzięki, serdecznie pozdrawiam
pt: cumprimentos, com os melhores cumprimentos, atenciosamente, abraço, abraços, obrigado, obrigada
sv: hälsningar, vänliga hälsningar, med vänlig hälsning, med vänliga hälsningar, bästa hälsningar
sv: mvh, tack
da: hilsen, venlig hilsen, med venlig hilsen, mvh, tak, kh
no: vennlig hilsen, med vennlig hilsen, takk
fi: terveisin, ystävällisin terveisin, terv, kiitos
ru: с уважением, всего доброго, спасибо
uk: з повагою, дякую
hr: lijep pozdrav, srdačan pozdrav, pozdrav, hvala
ro: cu stimă, mulțumesc, cu respect
hu: üdvözlettel, köszönöm, üdv
tr: saygılarımla, teşekkürler, iyi günler
el: με εκτίμηση, ευχαριστώ
ca: salutacions, gràcies
vi: trân trọng, cảm ơn
"""

SCANNED = """
en: checked for viruses, scanned for viruses, virus-free, avast antivirus, avg antivirus
en: has been scanned, no virus found
fr: recherche de virus, sans virus, absence de virus, logiciel antivirus
de: auf viren geprüft, auf viren untersucht, virenfrei
cs: zkontrolován na viry, zkontrolována na viry, antivirovým programem, zkontroloval na viry
sk: skontrolovaný na vírusy, skontrolovaná na vírusy
es: libre de virus, analizado en busca de virus, comprobado que este correo
it: privo di virus, controllato per individuare virus
nl: gecontroleerd op virussen, virusvrij
pl: sprawdzona pod kątem wirusów, nie zawiera wirusów
pt: livre de vírus, verificado quanto a vírus
sv: söktes igenom efter virus, fritt från virus
ru: проверено на вирусы, без вирусов
hu: vírusmentes
"""

AWAY = """
en: automatic reply, auto reply, auto-reply, autoreply, out of office, out of the office, out-of-office, ooo:
en: automatic response, automated reply, automated response, auto response, auto-response, autoresponse, autoresponder
en: auto:, [auto-reply], [auto reply], [out of office], vacation reply, vacation response, vacation message
en: vacation notice, vacation auto, away from my mail, away from my email, away from my e-mail, away from the office
en: i am out of the, i'm out of the, i am away, i'm away, currently out of, currently away, away message, away notice
fr: réponse automatique, absence du bureau, message d'absence, notification d'absence, avis d'absence
fr: réponse d'absence, réponse automatisée, message automatique, absent du bureau, absente du bureau
fr: absent(e) du bureau, hors du bureau, je suis absent, actuellement absent
de: abwesenheitsnotiz, abwesenheit, automatische antwort, automatische abwesenheit, automatische rückantwort
de: automatische e-mail, automatische email, automatische nachricht, automatische rückmeldung, autom. antwort
de: ich bin abwesend, bin abwesend, ich bin nicht im büro, nicht im büro, ich bin im urlaub, bin im urlaub
de: außer haus, urlaubsnotiz, urlaubsbenachrichtigung, urlaubsabwesenheit
cs: automatická odpověď, mimo kancelář, nepřítomnost
sk: automatická odpoveď, mimo kancelárie
es: respuesta automática, fuera de la oficina
it: risposta automatica, fuori sede
nl: automatisch antwoord, afwezig
pl: odpowiedź automatyczna, autoodpowiedź
pt: resposta automática
sv: autosvar, automatiskt svar
da: autosvar, automatisk svar
no: autosvar, automatisk svar
fi: automaattinen vastaus
ru: автоматический ответ, автоответ
uk: автоматична відповідь
hu: automatikus válasz
tr: otomatik yanıt
zh: 自动回复
ja: 自動応答, 自動返信
ko: 자동 회신
"""
