"""The page with help is found from every page and tells what the mail `help` tells."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import Settings

from gemserver.mailgate.lines.commands import COMMAND_WORDS
from tests.builders import make_user
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db


def test_help_names_every_command_of_mails(settings: Settings) -> None:
    settings.PLAY_ADDRESS = "play@gems.example"
    text = read(Client().get("/help/")).text
    assert "play@gems.example" in text
    for word in COMMAND_WORDS - {"end", "stop", "confirm"}:
        assert word in text, word


@pytest.mark.parametrize("path", ["/", "/tables/", "/fair-play/", "/accounts/login/", "/nothing/"])
def test_help_is_found_on_every_page(path: str) -> None:
    for client in (Client(), signed_in(make_user("ana"))):
        assert 'href="/help/"' in client.get(path, follow=True).content.decode()
