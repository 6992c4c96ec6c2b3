"""Content of a mail beside its commands: closings, disclaimers and attachments; and the words for the player."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.matches.models import Match, Seat
from tests.mailgate.letters import receive
from tests.mailgate.posting import codes, one_line, sent_to, write

pytestmark = pytest.mark.django_db

CHATTER = ["It rains here.", "How is your dog?", "Mine is well.", "We bake a cake.", "Do call me."]


class TestAfterTheLastCommand:
    """mail-requirements.md T5: after five lines about other things no more commands are expected."""

    def test_five_lines_of_chatter_end_the_reading(self, seat: Seat, player: User) -> None:
        row = write(player, "\n".join(["bid 1", *CHATTER, "vacation off", "pass"]), to=seat.reply_address)
        assert [result["line"] for result in row.results] == ["bid 1", *CHATTER, ""]
        assert codes(row)[0] == "done"
        assert codes(row)[-1] == "stopped"
        assert "Five lines in a row were no commands" in one_line(sent_to(player)[-1])

    def test_four_do_not(self, seat: Seat, player: User) -> None:
        row = write(player, "\n".join(["bid 1", *CHATTER[:4], "say Bye"]), to=seat.reply_address)
        assert codes(row)[-1] == "done"

    def test_a_refused_command_among_them_is_a_command(self, seat: Seat, player: User) -> None:
        lines = ["bid 1", *CHATTER[:3], "undo", *CHATTER[:3], "say Bye"]
        assert codes(write(player, "\n".join(lines), to=seat.reply_address))[-1] == "done"

    def test_any_number_may_stand_above_the_first_command(self, seat: Seat, player: User) -> None:
        row = write(player, "\n".join([*CHATTER, *CHATTER, "bid 1"]), to=seat.reply_address)
        assert codes(row)[-1] == "done"


class TestAttachments:
    """mail-requirements.md M6, threat 12: they are never opened; a player who wrote nothing else is told so."""

    @staticmethod
    def receive(seat: Seat, text: str) -> InboundEmail:
        assert seat.user
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = seat.user.email, seat.reply_address, "My move"
        mail["Message-ID"] = "<attached@client.example.org>"
        mail.set_content(text)
        mail.add_attachment("bid 1\n", filename="move.txt")
        mail.add_attachment(b"PK\x03\x04", maintype="application", subtype="zip", filename="bomb.zip")
        return receive(seat, mail.as_bytes())

    def test_a_move_in_an_attachment_is_not_played(self, match: Match, seat: Seat, player: User) -> None:
        row = self.receive(seat, "My move is attached.\n")
        assert codes(row)[-1] == "attachment"
        assert match.moves.count() == 0
        assert "Attachments are not opened." in one_line(sent_to(player)[-1])

    def test_beside_a_command_they_are_not_worth_a_word(self, seat: Seat, player: User) -> None:
        assert codes(self.receive(seat, "bid 2\n")) == ["done"]
        assert "Attachments" not in one_line(sent_to(player)[-1])


def test_who_sends_an_encrypted_mail_is_asked_for_a_plain_one(match: Match, seat: Seat, player: User) -> None:
    """mail-requirements.md M7: the header tells the player, and the answer shows the state of the match."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = player.email, seat.reply_address, "My move"
    mail["Message-ID"] = "<sealed@client.example.org>"
    mail.set_content("-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n")
    row = receive(seat, mail.as_bytes())
    assert (row.state, row.code) == ("unreadable", "sealed")
    receipt = one_line(sent_to(player)[-1])
    assert "NOT read" in receipt
    assert "Please send it again as plain text." in receipt
    assert match.moves.count() == 0


@pytest.mark.parametrize(
    "footer",
    [
        "If you have received this message in error, please disregard it.",
        "If you are not the intended recipient, please ignore and delete this e-mail.",
        "Should you have received this e-mail by mistake, please ignore it.",
        "Falls diese Mail nicht für Sie bestimmt ist, ignorieren Sie sie bitte.",
        "Sollten Sie diese Nachricht irrtümlich erhalten haben, vergessen Sie sie bitte.",
        "Si vous n'êtes pas le destinataire, veuillez ignorer ce message.",
        "Si ce message vous est parvenu par erreur, merci de l'oublier.",
        "Please ignore typos, sent from my phone.",
        "Please excuse brevity and spelling!",
        "Tippfehler bitte ignorieren, vom Handy geschrieben.",
        "Veuillez excuser les fautes, écrit sur mon téléphone.",
        "Reply STOP to opt out",
    ],
)
def test_a_footer_that_a_mail_server_adds_takes_no_move_back(footer: str, seat: Seat, player: User) -> None:
    row = write(player, f"bid 1\n\n{footer}", to=seat.reply_address)
    assert codes(row)[0] == "done"
    row = write(player, f"say Hello\n\nBen\n{footer}", to=seat.reply_address)
    assert codes(row)[0] == "done"


@pytest.mark.parametrize(
    "line", ["Ignore that.", "Forget it, if you can.", "If you don't mind, ignore that."]
)
def test_a_player_who_takes_a_move_back_is_heard_all_the_same(line: str, seat: Seat, player: User) -> None:
    assert "done" not in codes(write(player, f"bid 1\n\n{line}", to=seat.reply_address))
