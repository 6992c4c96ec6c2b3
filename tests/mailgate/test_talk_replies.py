"""A reply to the mail that carries table talk is talk; whatever might be anything else is not said.

See mail-requirements.md T8.
"""

from __future__ import annotations

import pytest
from django.core.mail import EmailMultiAlternatives

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.matches.actions.talk.say import say
from gemserver.matches.models import ChatMessage, Match, Seat
from gemserver.notify.models import OutboxMessage
from tests.builders import asked, make_match, make_user
from tests.mailgate.posting import codes, one_line, sent_to
from tests.mailgate.replying import outlook_head, quote, receive, reply

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    return make_match(players=[make_user(name) for name in ("ana", "ben", "cy")], now=clock.now())


@pytest.fixture
def seat(match: Match) -> Seat:
    """The seat that is asked; one of the others says something."""
    found = asked(match)
    other = match.seats.select_related("user").exclude(pk=found.pk).order_by("index")[0].user
    assert other
    say(match.pk, other, "Who will win?\nI hope I do", "web:1", now=clock.now())
    OutboxMessage.objects.filter(kind="talk").update(available_at=clock.now())
    return found


@pytest.fixture
def talk(player: User) -> EmailMultiAlternatives:
    return next(mail for mail in sent_to(player) if "Table talk" in str(mail.subject))


def said(player: User) -> list[str]:
    return list(ChatMessage.objects.filter(author=player).order_by("pk").values_list("text", flat=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("Not you!", "Not you!"),
        ("Thanks, good luck to you too", "Thanks, good luck to you too"),
        ("Haha.\n\nWe will see about that; I have plans.", "Haha.\n\nWe will see about that; I have plans."),
        ("On verra bien !", "On verra bien !"),
        ("Nice one.\n\nBest regards,\nAna Novak", "Nice one."),
        ("Nice one.\nAna Novak", "Nice one."),
        ("Nice one, really.\n\nAna Maria Novak\nSenior Engineer\nACME Corp", "Nice one, really."),
        ("Nice one.\n-- \nAna Novak, 1 Main Street", "Nice one."),
        ("Nice one.\n\nSent from my iPhone", "Nice one."),
    ],
)
def test_prose_goes_to_the_table_without_quote_and_signature(
    body: str, text: str, talk: EmailMultiAlternatives, player: User
) -> None:
    row = receive(reply(talk, player.email, body))
    assert said(player) == [text]
    assert codes(row) == ["done"]
    answer = one_line(sent_to(player)[-1])
    assert f"say {' '.join(text.split())[:60]}" in answer
    assert "because your mail answers table talk" in answer
    assert "Only the moderators can take it back" in answer


@pytest.mark.parametrize("level", ["refusals", "none"])
def test_what_was_read_from_prose_is_shown_whatever_is_answered_else(
    level: str, talk: EmailMultiAlternatives, player: User
) -> None:
    User.objects.filter(pk=player.pk).update(receipts=level)
    receive(reply(talk, player.email, "Not you!"))
    assert "say Not you!" in one_line(sent_to(player)[-1])


def test_a_mail_of_ours_below_without_marks_is_not_said(talk: EmailMultiAlternatives, player: User) -> None:
    body = f"Not you!\n\n{outlook_head(talk)}\n{talk.body}"
    receive(reply(talk, player.email, body, quotes=False))
    assert said(player) == ["Not you!"]


def test_words_of_ours_that_no_head_introduces_are_never_said(
    talk: EmailMultiAlternatives, player: User
) -> None:
    turn = next(
        mail for mail in sent_to(player) if "Your turn" in str(mail.subject) or "begins" in str(mail.subject)
    )
    lines = str(turn.body).splitlines()
    own = next(line for line in lines if len(line.split()) > 9 and not line.startswith("--"))
    letter = reply(talk, player.email, f"Look at this\n{own}", quotes=False)
    letter.replace_header(
        "References", f"{turn.extra_headers['Message-ID']} {talk.extra_headers['Message-ID']}"
    )
    row = receive(letter)
    assert said(player) == []
    assert codes(row) == ["talk-or-move"]


def test_a_move_in_notation_is_played_and_the_rest_stays_with_us(
    talk: EmailMultiAlternatives, player: User, match: Match
) -> None:
    row = receive(reply(talk, player.email, "Not you, my dear.\n\nbid 2"))
    assert Match.objects.get().moves.get().text == "bid 2"
    assert said(player) == []
    assert "done" in codes(row)


@pytest.mark.slow
@pytest.mark.parametrize(
    "body", ["I bid 2", "2", "I'll bid three, thanks!", "bit 2", "I bid two.\n\nNice game so far, all"]
)
def test_what_may_be_a_move_is_neither_played_nor_said(
    body: str, talk: EmailMultiAlternatives, player: User
) -> None:
    """It may be a plan, a joke or a sealed bid: its writer chooses."""
    row = receive(reply(talk, player.email, body))
    assert (row.state, codes(row)) == ("refused", ["talk-or-move"])
    assert said(player) == []
    assert Match.objects.get().ply == 0
    assert "begin the line with the word say" in one_line(sent_to(player)[-1])
    if "\n" not in body:
        assert "body=say%20" in str(sent_to(player)[-1].alternatives[0][0])


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        *(
            "Call me: 555 0199 or +1 212 555 0199",
            "Nice.\nmy phone: 0171 1234567 or so",
            "Write to ana@example.net, please",
        ),
        *(
            "See www.example.net for my firm",
            "From: Ben\nSent: today\nHello",
            "Ich bin im Urlaub bis Montag.",
        ),
        *(
            "I am out of the office until Monday.",
            "Je suis absent jusqu'au 3 mai",
            "join the party",
            "stop it, Ben!",
        ),
    ],
)
def test_what_seems_private_or_meant_for_us_is_asked_about(
    body: str, talk: EmailMultiAlternatives, player: User
) -> None:
    row = receive(reply(talk, player.email, body))
    assert (row.state, codes(row)) == ("refused", ["talk-or-move"])
    assert said(player) == []


@pytest.mark.parametrize(
    "body", ["say Not you!\nMy number is none of your business", "note Ben is nervous", "help me\nhelp"]
)
def test_with_a_command_it_is_read_as_ever(body: str, talk: EmailMultiAlternatives, player: User) -> None:
    receive(reply(talk, player.email, body))
    assert said(player) == (["Not you!"] if body.startswith("say") else [])


def test_prose_in_answer_to_any_other_mail_is_never_said(talk: EmailMultiAlternatives, player: User) -> None:
    turn = next(mail for mail in sent_to(player) if mail is not talk)
    receive(reply(turn, player.email, "Not you!"))
    fresh = reply(talk, player.email, "Not you either!")
    del fresh["In-Reply-To"], fresh["References"]
    receive(fresh)
    assert said(player) == []


def test_nobody_else_talks_by_a_mail_that_was_not_theirs(
    talk: EmailMultiAlternatives, player: User, match: Match
) -> None:
    ben = match.seats.select_related("user").exclude(user=player).order_by("index")[0]
    assert ben.user
    letter = reply(talk, ben.user.email, "Not you!")
    receive(letter)
    letter.replace_header("To", ben.reply_address)
    letter.replace_header("Message-ID", "<again@mail.example.com>")
    receive(letter)
    assert said(ben.user) == ["Who will win?\nI hope I do"]
    assert said(player) == []


def test_without_the_token_in_the_address_nothing_is_said(
    talk: EmailMultiAlternatives, player: User, match: Match
) -> None:
    letter = reply(talk, player.email, "Not you!")
    letter.replace_header("To", "play@gem.localhost")
    letter.replace_header("Subject", f"Re: [Table talk] GEM {match.code}")
    receive(letter, dmarc="pass")
    assert said(player) == []


@pytest.mark.parametrize(
    "subject", ["Automatic reply: talk", "Abwesenheitsnotiz: talk", "Réponse automatique : talk"]
)
def test_a_note_of_absence_says_nothing_to_the_table(
    subject: str, talk: EmailMultiAlternatives, player: User
) -> None:
    letter = reply(talk, player.email, f"I will read your mail on Monday.\n\n{quote(talk)}", quotes=False)
    letter.replace_header("Subject", subject)
    assert receive(letter).code == "automatic:subject"
    assert said(player) == []


NOTES_OF_ABSENCE = [
    "Thank you for your email. I am currently not in the office and have no access to e-mail.",
    "I am travelling and have limited access to my emails.\n\nIn my absence please write to the club.",
    "Hello,\nI'm taking a few days off and will reply on my return.",
    "Your message has been received and will be answered in order of receipt.",
    "For urgent matters, call the front desk. I am back in the office on 6 July.",
    "Vielen Dank für Ihre Nachricht. Am 7. Juli bin ich wieder für Sie da.",
    "Guten Tag,\nich befinde mich zurzeit nicht im Hause. Ihre E-Mail wird nicht weitergeleitet.",
    "In dringenden Fällen wenden Sie sich bitte an die Zentrale.",
    "Während meiner Abwesenheit vertritt mich die Zentrale.",
    "Merci pour votre message. Je ne suis pas au bureau cette semaine.",
    "Bonjour,\nen mon absence, vous pouvez contacter l’accueil.",
    "Votre message a bien été reçu et sera traité dans les meilleurs délais.",
    "Je suis actuellement en déplacement, avec un accès limité à ma messagerie.",
]


@pytest.mark.parametrize("body", NOTES_OF_ABSENCE)
def test_a_note_of_absence_that_nothing_else_betrays_is_not_said(
    body: str, talk: EmailMultiAlternatives, player: User
) -> None:
    """Neither a field of its header nor its subject says that a machine wrote it."""
    row = receive(reply(talk, player.email, body))
    assert (row.state, codes(row)) == ("refused", ["talk-or-move"])
    assert said(player) == []


@pytest.mark.parametrize(
    "body",
    [
        "I'm back! What did I miss?",
        "No urgent matters here, take your time.",
        "Danke für die Nachricht, ich bin wieder da.",
        "Bien reçu, merci !",
        "Thank you for your message, that was kind.",
        "Ich kann erst wieder am Montag ziehen.",
    ],
)
def test_what_people_say_of_being_there_is_talk(
    body: str, talk: EmailMultiAlternatives, player: User
) -> None:
    receive(reply(talk, player.email, body))
    assert said(player) == [body]


def test_it_is_said_once_however_often_the_mail_is_read(talk: EmailMultiAlternatives, player: User) -> None:
    row = receive(reply(talk, player.email, "Not you!"))
    InboundEmail.objects.filter(pk=row.pk).update(state="stored", claimed_until=None, results=[])
    processing.process_stored()
    assert said(player) == ["Not you!"]
