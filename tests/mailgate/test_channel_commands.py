"""Channels by mail: listed and chosen there; no mail names an address."""

from __future__ import annotations

import pytest

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.people.add_channel import add_hook
from gemserver.matches.actions.people.change_channel import told_by
from gemserver.notify.models import Channel
from tests.mailgate.posting import codes, one_line, sent_to, write

pytestmark = pytest.mark.django_db


def test_channels_are_listed_and_chosen_by_mail(ana: User) -> None:
    ana.receipts = User.Receipts.NONE
    ana.save()
    assert codes(write(ana, "notify")) == ["done"]
    assert "comes by mail. You can be told by: mail." in one_line(sent_to(ana)[-1])
    add_hook(
        ana, Channel.Kind.SLACK, "Our club", url="https://hooks.example.org/services/mark", now=clock.now()
    )
    assert codes(write(ana, "notify by our CLUB")) == ["done"]
    assert "comes by Our club from now on" in one_line(sent_to(ana)[-1])
    assert told_by(ana) == "Our club"
    write(ana, "notify")
    assert "You can be told by: mail, Our club." in one_line(sent_to(ana)[-1])
    assert codes(write(ana, "notify by mail")) == ["done"]
    assert told_by(ana) == "mail"
    assert codes(write(ana, "notify by telegram")) == ["no-such-channel"]
    assert "hooks.example.org" not in "".join(str(mail.message()) for mail in sent_to(ana))
