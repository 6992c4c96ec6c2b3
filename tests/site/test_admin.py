"""The admin: readable for moderators, without anything hidden of a running match."""

from __future__ import annotations

import pytest
from django.test import Client

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches import replay
from gemserver.matches.models import Match, Move, Seat
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user, play, play_to_the_end
from tests.mailgate.letters import letter
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def moderator() -> Client:
    return signed_in(make_user("mod", is_staff=True, is_superuser=True))


@pytest.fixture
def match() -> Match:
    return make_match(players=[make_user(name) for name in ("ana", "ben", "cy")], now=clock.now())


@pytest.fixture
def seat(match: Match) -> Seat:
    return match.seats.select_related("user").get(is_waiting=True)


def receive(seat: Seat, text: str, **fields: str) -> InboundEmail:
    assert seat.user is not None
    row = ingest(letter(seat, text, **fields), seat.user.email, seat.reply_address, "smtp", {})
    processing.process_stored()
    delivery.send_queued()
    row.refresh_from_db()
    return row


def every_page(client: Client, match: Match) -> dict[str, str]:
    """All lists and detail pages about matches and mails."""
    paths = ["/admin/", "/admin/matches/match/", f"/admin/matches/match/{match.pk}/change/"]
    paths += ["/admin/inbox/inboundemail/", "/admin/notify/outboxmessage/", "/admin/accounts/user/"]
    paths += [
        f"/admin/inbox/inboundemail/{pk}/change/" for pk in InboundEmail.objects.values_list("pk", flat=True)
    ]
    paths += [
        f"/admin/notify/outboxmessage/{pk}/change/"
        for pk in OutboxMessage.objects.values_list("pk", flat=True)
    ]
    found = {}
    for path in paths:
        response = client.get(path)
        assert response.status_code == 200, path
        found[path] = response.content.decode()
    return found


@pytest.mark.slow
def test_the_secrets_of_a_running_match_are_on_no_page(moderator: Client, match: Match, seat: Seat) -> None:
    receive(seat, "bid 3\nthe secret of my heart")
    match.refresh_from_db()
    hidden_cards = replay.position(match).piles[-1]
    for path, text in every_page(moderator, match).items():
        assert match.server_part not in text, path
        assert replay.seed(match) not in text, path
        assert match.position not in text, path
        assert "secret of my heart" not in text, path
        assert not [card for card in hidden_cards if f'"{card}"' in text], path
        for each in match.seats.all():
            assert each.token not in text, path
            assert str(each.token_hash) not in text, path


def test_a_match_is_shown_with_seats_and_moves(moderator: Client, match: Match, seat: Seat) -> None:
    play(match, seat.index, "bid 3")
    page = read(moderator.get(f"/admin/matches/match/{match.pk}/change/"))
    assert match.commitment in page.text
    assert "bid 3" in page.text
    assert f"{seat.name} bids 3." in page.text
    assert "hidden while the match runs" in page.text
    assert match.get_absolute_url() in page.links


def test_a_move_that_lies_face_down_is_hidden_until_it_is_shown(
    moderator: Client, match: Match, seat: Seat
) -> None:
    play(match, seat.index, "bid 1")
    events = [{"kind": "bid", "seat": seat.index, "data": {"amount": 987654321}, "audience": [seat.index]}]
    Move.objects.update(text="pick 987654321", events=events, is_sealed=True)
    url = f"/admin/matches/match/{match.pk}/change/"
    assert "987654321" not in moderator.get(url).content.decode()
    Match.objects.update(status=Match.Status.FINISHED)
    assert "pick 987654321" in moderator.get(url).content.decode()


@pytest.mark.slow
def test_the_secret_is_shown_when_the_match_is_over(moderator: Client, match: Match) -> None:
    match = play_to_the_end(match, now=clock.now())
    text = moderator.get(f"/admin/matches/match/{match.pk}/change/").content.decode()
    assert match.server_part in text
    assert match.position not in text


@pytest.mark.slow
def test_mails_are_readable_once_their_match_is_over_with_addresses_blotted_out(
    moderator: Client, match: Match, seat: Seat
) -> None:
    row = receive(seat, f"bid 3\nmy address is {seat.reply_address}", Subject="pass")
    url = f"/admin/inbox/inboundemail/{row.pk}/change/"
    before = moderator.get(url).content.decode()
    assert "my address is" not in before
    assert '<div class="readonly">pass</div>' not in before
    assert "play+…@gem.localhost" in before
    assert "In-Reply-To" not in before
    play_to_the_end(match, now=clock.now())
    after = moderator.get(url).content.decode()
    assert "my address is play+…@gem.localhost" in after
    assert '<div class="readonly">pass</div>' in after
    assert seat.token not in after


def test_a_subject_of_our_own_making_is_shown(moderator: Client, match: Match, seat: Seat) -> None:
    """Without its bracket, in which the writer can have put a move."""
    row = receive(seat, "bid 3", Subject=f"Re: [bid 3] GEM {match.code}")
    page = moderator.get(f"/admin/inbox/inboundemail/{row.pk}/change/").content.decode()
    assert f'<div class="readonly">GEM {match.code}</div>' in page
    assert "[bid 3]" not in page


@pytest.mark.parametrize(
    "question",
    [
        *("matches/match/?server_part__startswith=a", "matches/match/?position__contains=SR"),
        *("matches/match/?seats__token_hash__startswith=a", "matches/match/?moves__text=pass"),
        *("inbox/inboundemail/?envelope_to__contains=a", "inbox/inboundemail/?subject__contains=bid"),
        *("inbox/inboundemail/?raw__isnull=False", "notify/outboxmessage/?data__contains=1"),
        "notify/outboxmessage/?rendered__isnull=False",
    ],
)
def test_hidden_columns_cannot_be_asked_for_in_the_address(
    moderator: Client, match: Match, question: str
) -> None:
    response = moderator.get(f"/admin/{question}")
    assert response.status_code == 400


@pytest.mark.slow
def test_filters_and_search_work(moderator: Client, match: Match, seat: Seat) -> None:
    receive(seat, "bid 3")
    found = {
        "matches/match/?status__exact=running&q=ana": match.code,
        "inbox/inboundemail/?state__exact=done&q=example.org": match.code,
        "notify/outboxmessage/?kind=turn&q=example.org": "turn",
    }
    for question, expected in found.items():
        response = moderator.get(f"/admin/{question}")
        assert response.status_code == 200
        assert expected in response.content.decode()
    assert match.code not in read(moderator.get("/admin/inbox/inboundemail/?q=bid")).text


@pytest.mark.slow
def test_searching_mails_does_not_look_at_what_is_hidden(moderator: Client, match: Match, seat: Seat) -> None:
    row = receive(seat, "bid 3", Subject="pass")
    for word in ("pass", seat.token[:8], "bid"):
        response = moderator.get("/admin/inbox/inboundemail/", {"q": word})
        assert f"/admin/inbox/inboundemail/{row.pk}/" not in response.content.decode(), word


def test_nothing_can_be_changed_here(moderator: Client, match: Match, seat: Seat) -> None:
    row = receive(seat, "bid 3")
    for path in (f"matches/match/{match.pk}", f"inbox/inboundemail/{row.pk}"):
        for action in ("change", "delete"):
            assert moderator.post(f"/admin/{path}/{action}/", {"status": "finished"}).status_code == 403
        assert moderator.get(f"/admin/{path.rpartition('/')[0]}/add/").status_code == 403
    match.refresh_from_db()
    assert match.is_running


def test_players_have_no_admin(match: Match) -> None:
    response = signed_in(User.objects.get(username="ana")).get("/admin/matches/match/")
    assert response.status_code == 302


def test_nothing_that_can_only_be_read_has_help_on_how_to_fill_it_in(
    moderator: Client, match: Match, seat: Seat
) -> None:
    """Which is written for programmers, in English."""
    play(match, seat.index, "bid 1", now=clock.now())
    receive(seat, "help")
    for path, page in every_page(moderator, match).items():
        assert "help-tooltip" not in page, path
        assert "helptext" not in page, path


def test_breadcrumbs_speak_the_moderators_language(moderator: Client, match: Match) -> None:
    User.objects.update(language="fr")
    trail = moderator.get("/admin/matches/match/").content.decode().partition('class="breadcrumbs"')[2]
    assert "Parties</a>" in trail.partition("</div>")[0]
