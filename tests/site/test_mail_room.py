"""The mail room: mails as their readers see them, and answers through the real SMTP receiver."""

from __future__ import annotations

import html
import re
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.receivers import smtp
from gemserver.matches.models import Match, Seat
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user
from tests.site.pages import read

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def match(embedded: Settings) -> Match:
    return make_match(players=[make_user(name) for name in ("ana", "ben", "cy")], now=clock.now())


@pytest.fixture
def seat(match: Match) -> Seat:
    return match.seats.select_related("user").get(is_waiting=True)


@pytest.fixture
def turn(seat: Seat) -> OutboxMessage:
    """The turn mail, sent."""
    delivery.send_queued()
    return OutboxMessage.objects.get(kind="turn")


@pytest.fixture
def receiver(embedded: Settings) -> Iterator[smtp.BackgroundReceiver]:
    running = smtp.BackgroundReceiver(smtp.listen("127.0.0.1", 0))
    embedded.SMTP_PORT = running.port
    yield running
    running.stop()


def reply(turn: OutboxMessage, text: str, **changed: str) -> Any:
    """Fill the reply box with `text` above the quoted mail and send it."""
    client = Client()
    path = f"/mail-room/sent/{turn.pk}/"
    response = client.get(path)
    page = read(response)
    quoted = html.unescape(
        re.search(r"<textarea[^>]*>\n?(.*?)</textarea>", response.content.decode(), re.S)[1]
    )
    form = {name: page.fields[name] for name in ("sender", "to", "subject")}
    return client.post(path, form | {"body": f"{text}\n{quoted}"} | changed)


def test_the_list_shows_every_mail_by_match_newest_first(match: Match, turn: OutboxMessage) -> None:
    page = read(Client().get("/mail-room/"))
    assert f"] GEM {match.code}" in page.text
    assert match.get_absolute_url() in page.links
    letters = [link for link in page.links if "/sent/" in link]
    newest_first = OutboxMessage.objects.order_by("-sent_at", "-pk").values_list("pk", flat=True)
    assert letters == [f"/mail-room/sent/{pk}/" for pk in newest_first]
    assert len(letters) == 3


def test_the_list_can_show_one_mailbox(match: Match, turn: OutboxMessage) -> None:
    page = read(Client().get("/mail-room/", {"to": "ben@example.org"}))
    mails = OutboxMessage.objects.filter(to="ben@example.org")
    assert len([link for link in page.links if "/sent/" in link]) == mails.count()


def test_the_list_says_when_it_is_empty(embedded: Settings) -> None:
    assert "No mail has been sent yet." in read(Client().get("/mail-room/")).text


def test_long_lists_have_pages(match: Match, turn: OutboxMessage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gemserver.site.mailroom.listing.PAGE", 2)
    first = read(Client().get("/mail-room/"))
    older = next(link for link in first.links if "before=" in link)
    second = read(Client().get(f"/mail-room/{older}"))
    shown = [link for page in (first, second) for link in page.links if "/sent/" in link]
    assert len(shown) == len(set(shown)) == 3
    assert not any("before=" in link for link in second.links)
    for no_number in ("x", "9" * 5000):
        assert Client().get("/mail-room/", {"before": no_number}).status_code == 200


def test_a_mail_is_shown_with_headers_and_reply_box(seat: Seat, turn: OutboxMessage) -> None:
    page = read(Client().get(f"/mail-room/sent/{turn.pk}/?show=text"))
    assert turn.message_id in page.text
    assert "To play, write: bid 3" in page.text
    assert page.fields["sender"] == turn.to
    assert page.fields["to"] == seat.reply_address
    assert page.fields["subject"].startswith("Re: [The match begins: bid (")
    assert "> To play, write: bid 3" in page.text
    source = read(Client().get(f"/mail-room/sent/{turn.pk}/?show=source"))
    assert "Content-Type: multipart/" in source.text


def test_the_html_part_stands_in_a_sandbox_with_its_pictures(turn: OutboxMessage) -> None:
    response = Client().get(f"/mail-room/sent/{turn.pk}/html/")
    body = response.content.decode()
    policy = response["Content-Security-Policy"]
    assert policy.startswith("sandbox allow-top-navigation-by-user-activation; default-src 'none'")
    assert "allow-scripts" not in policy
    assert "allow-same-origin" not in policy
    assert response["X-Frame-Options"] == "SAMEORIGIN"
    assert 'src="data:image/png;base64,' in body
    assert "cid:" not in body
    page = Client().get(f"/mail-room/sent/{turn.pk}/")
    assert 'sandbox="allow-top-navigation-by-user-activation"' in page.content.decode()
    assert "frame-src 'self'" in page["Content-Security-Policy"]


def test_a_ready_reply_in_the_mail_opens_the_reply_box(turn: OutboxMessage) -> None:
    body = Client().get(f"/mail-room/sent/{turn.pk}/html/").content.decode()
    links = [html.unescape(link) for link in re.findall(r'href="([^"]*)"', body)]
    ready = next(link for link in links if "bid%203" in link)
    assert ready.startswith(f"/mail-room/sent/{turn.pk}/?body=bid%203%20%23")
    opened = Client().get(ready.removesuffix("#reply")).content.decode()
    assert re.search(r"<textarea[^>]*>\s*bid 3 #\d", opened)


def test_a_reply_goes_through_the_receiver_and_plays(
    receiver: smtp.BackgroundReceiver, match: Match, seat: Seat, turn: OutboxMessage
) -> None:
    response = reply(turn, "bid 2\n")
    row = InboundEmail.objects.get()
    assert response.url == f"/mail-room/received/{row.pk}/"
    assert (row.source, row.envelope_to, row.state) == ("smtp", seat.reply_address, "stored")
    assert b"In-Reply-To: " + turn.message_id.encode() in bytes(row.raw)
    assert match.moves.count() == 0
    waiting = Client().get(response.url)
    assert "The server is about to read it." in read(waiting).text

    before = Client().get(f"{response.url}progress/").content
    processing.process_stored()
    delivery.send_queued()
    assert match.moves.get(ply=1).text == "bid 2"
    assert Client().get(f"{response.url}progress/").content != before
    page = read(Client().get(response.url))
    assert "read and answered" in page.text
    assert "OK: bid 2" in page.text
    listed = read(Client().get("/mail-room/"))
    assert response.url in listed.links


def test_a_refused_reply_shows_why(
    receiver: smtp.BackgroundReceiver, match: Match, turn: OutboxMessage
) -> None:
    response = reply(turn, "bid 77\n")
    processing.process_stored()
    delivery.send_queued()
    page = read(Client().get(response.url))
    assert "read, nothing carried out" in page.text
    assert "77 is more than you can pay" in page.text
    assert match.moves.count() == 0


def test_a_new_mail_goes_to_the_lobby(
    receiver: smtp.BackgroundReceiver, match: Match, turn: OutboxMessage
) -> None:
    page = read(Client().get("/mail-room/new/"))
    assert page.fields["to"] == "play@gem.localhost"
    form = {"sender": "ana@example.org", "to": page.fields["to"], "subject": "Hello", "body": "help"}
    response = Client().post("/mail-room/new/", form)
    assert response.url == f"/mail-room/received/{InboundEmail.objects.get().pk}/"


def test_an_address_that_nobody_has_is_refused_by_the_receiver(
    receiver: smtp.BackgroundReceiver, turn: OutboxMessage
) -> None:
    response = reply(turn, "bid 2\n", to="nobody@gem.localhost")
    page = read(response)
    assert response.status_code == 503
    assert "The server takes no mail for nobody@gem.localhost." in page.text
    assert "bid 2" in page.text
    assert not InboundEmail.objects.exists()


def test_a_receiver_that_does_not_answer_is_said_clearly(embedded: Settings, turn: OutboxMessage) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        embedded.SMTP_PORT = unused.getsockname()[1]
    response = reply(turn, "bid 2\n")
    assert response.status_code == 503
    page = read(response)
    assert f"The mail receiver at 127.0.0.1:{embedded.SMTP_PORT} does not answer." in page.text
    assert "bid 2" in page.text


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [{"sender": "nobody"}, {"to": ""}, {"sender": "a@b.org\nBcc: x@y.org"}])
def test_a_mail_without_proper_addresses_is_not_sent(turn: OutboxMessage, wrong: dict[str, str]) -> None:
    assert reply(turn, "bid 2\n", **wrong).status_code == 422


def test_a_subject_cannot_bring_headers_of_its_own(
    receiver: smtp.BackgroundReceiver, turn: OutboxMessage
) -> None:
    reply(turn, "bid 2\n", subject="Hello\r\nX-Other: 1")
    assert b"\r\nX-Other" not in bytes(InboundEmail.objects.get().raw)


def test_the_list_names_no_kind_of_mail_in_a_word_of_the_code(turn: OutboxMessage) -> None:
    """The subject says what a mail is about."""
    page = read(Client().get("/mail-room/", headers={"Accept-Language": "de"})).text
    assert turn.to in page
    assert f"{turn.to}: {turn.kind}" not in page
