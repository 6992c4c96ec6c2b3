"""A game from a package of others, on the server: admitted by its name, played by web and mail, taken away again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import polib
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.template import engines
from django.test import Client
from django.utils import translation
from django.utils.translation import trans_real

from games import registry
from games.record import read_record
from games.replay import replay as replay_record
from gemserver.checks import check_games, require_servable
from gemserver.lib import clock
from gemserver.lib.process.start_checks import require_rules
from gemserver.matches import records
from gemserver.matches.boards import compiled_templates
from gemserver.matches.models import Match, Seat
from gemserver.matches.offered.offered_games import offer_games
from gemserver.matches.words.options import value_words
from tests.builders import asked, make_match, make_user, play, play_to_the_end
from tests.mailgate.posting import codes, one_line, sent_to, write
from tests.strangers import installed, write_game

pytestmark = pytest.mark.django_db

SENTENCE = (
    "In your turn you take as many stones as you like, but from one heap only. "
    "Whoever takes the last stone of all wins."
)
WORDS = "In deinem Zug nimmst du von einem Haufen so viele Steine, wie du willst."


def forget_what_was_read() -> None:
    """Templates and catalogues that this process keeps."""
    compiled_templates.environment.cache_clear()
    for loader in engines["django"].engine.template_loaders:
        loader.reset()
    trans_real._translations.clear()
    trans_real._default = None


@pytest.fixture
def stranger(tmp_path: Path, settings) -> Iterator[str]:
    """The slug of a game that is installed, named in GAMES and offered, with its German sentences."""
    folder = write_game(tmp_path)
    catalogue = polib.POFile()
    catalogue.metadata = {"Content-Type": "text/plain; charset=utf-8"}
    catalogue.append(polib.POEntry(msgid=SENTENCE, msgstr=WORDS))
    catalogue.append(polib.POEntry(msgid="Sign in", msgstr="from the package"))
    catalogue.append(polib.POEntry(msgid="storm", msgstr="Sturm"))
    place = folder / "stone_heaps" / "locale" / "de" / "LC_MESSAGES"
    place.mkdir(parents=True)
    catalogue.save_as_mofile(str(place / "django.mo"))
    settings.LOCALE_PATHS = [*settings.LOCALE_PATHS]
    with installed(folder) as slug:
        settings.GAMES = ["gem", slug]
        offer_games()
        forget_what_was_read()
        yield slug
    forget_what_was_read()


def test_no_page_knows_of_a_game_that_is_only_installed(tmp_path: Path, client: Client) -> None:
    with installed(write_game(tmp_path)) as slug:
        assert client.get(f"/rules/{slug}/").status_code == 404
        assert "Stone heaps" not in client.get("/").content.decode()


def test_it_stands_in_the_lists_with_its_sign_and_its_rules(stranger: str, client: Client) -> None:
    assert "Stone heaps" in client.get("/").content.decode()
    page = client.get(f"/rules/{stranger}/").content.decode()
    assert "Whoever takes the last stone of all wins" in page
    client.force_login(make_user("ana"))
    page = client.get("/tables/new/").content.decode()
    assert "Stone heaps" in page
    assert '<circle cx="28" cy="15"' in page, "its own sign"


def test_it_is_played_on_the_page(stranger: str, client: Client) -> None:
    match = make_match(stranger, [make_user("ana"), make_user("ben")], now=clock.now())
    seat = asked(match)
    assert seat.user
    client.force_login(seat.user)
    page = client.get(match.get_absolute_url()).content.decode()
    assert page.count('<circle cx="') >= 12, "the stones, from the drawing of the package"
    assert "New to this game? Read this first" in page
    assert 'value="take 2 from 1"' in page
    answer = client.post(
        match.get_absolute_url(),
        {"text": "take 2 from 1", "prompt_ply": seat.prompt_ply, "request_id": str(uuid4()), "play": "1"},
    )
    assert answer.status_code == 302
    match.refresh_from_db()
    assert match.ply == 1
    assert "take 2 from 1" in client.get(match.get_absolute_url()).content.decode()


def test_a_practice_match_of_it_is_begun_with_one_press(stranger: str, client: Client) -> None:
    client.force_login(make_user("ana"))
    assert client.get(f"/tables/new/{stranger}/").status_code == 200
    answer = client.post(f"/practice/{stranger}/", {"bot": "easy"}, follow=True)
    assert answer.status_code == 200
    match = Match.objects.get()
    assert (match.game, match.is_running) == (stranger, True)


def test_it_is_played_by_mail(stranger: str) -> None:
    match = make_match(stranger, [make_user("ana"), make_user("ben")], now=clock.now())
    seat = asked(match)
    assert seat.user
    message = sent_to(seat.user)[-1]
    assert "Stone heaps" in str(message.subject)
    assert "Heap 1: o o o" in str(message.body)
    assert "To play, write: take 1 from 1" in one_line(message)
    assert codes(write(seat.user, "take 3 from 2", to=seat.reply_address)) == ["done"]
    match.refresh_from_db()
    assert match.ply == 1


def test_its_sentences_come_in_the_readers_language(stranger: str) -> None:
    """And none of the server's is replaced by one of the package."""
    words = registry.GAMES[stranger].words
    with translation.override("de"):
        assert words.first_turn(translation) == WORDS
        assert translation.gettext("Sign in") != "from the package"
        assert [value_words(value) for value in ("storm", "calm", "yes")] == ["Sturm", "calm", "ja"]


def test_bots_play_it_to_the_end_and_the_record_replays(stranger: str) -> None:
    match = play_to_the_end(make_match(stranger, bots=2))
    assert match.is_over
    assert replay_record(read_record(records.record_text(match))).refusal is None


def take_away(settings, slug: str) -> None:
    settings.GAMES = [name for name in settings.GAMES if name != slug]
    offer_games()
    forget_what_was_read()


def test_no_server_starts_while_a_match_needs_rules_that_are_gone(stranger: str, settings) -> None:
    """A game that is taken away, or replaced by other rules, in the middle of a match."""
    running, over = make_match(stranger, bots=2), play_to_the_end(make_match(stranger, bots=2))
    require_rules()
    Match.objects.filter(pk=running.pk).update(rules_version=2)
    with pytest.raises(ImproperlyConfigured, match="version 2 of stone_heaps"):
        require_rules()
    Match.objects.filter(pk=running.pk).update(rules_version=1)
    take_away(settings, stranger)
    with pytest.raises(ImproperlyConfigured, match="which no package"):
        require_rules()
    Match.objects.filter(pk=running.pk).update(status=Match.Status.CANCELLED)
    require_rules()
    assert Match.objects.get(pk=over.pk).is_over


def test_no_server_starts_with_a_game_that_is_not_installed(settings) -> None:
    kept = dict(registry.GAMES)
    settings.GAMES = ["gem", "chess"]
    offer_games()
    try:
        assert [error.id for error in check_games(None)] == ["gemserver.E031"]
        assert list(registry.GAMES) == ["gem"]
        with pytest.raises(ImproperlyConfigured, match="chess"):
            require_servable()
    finally:
        settings.GAMES = list(kept)
        offer_games()
    assert check_games(None) == []


@pytest.mark.slow
def test_what_is_over_keeps_its_result_and_its_record_without_the_game(
    stranger: str, settings, client: Client
) -> None:
    ana, ben = make_user("ana"), make_user("ben")
    match = make_match(stranger, [ana, ben])
    while Match.objects.get(pk=match.pk).is_running:
        seat = Seat.objects.get(match=match, is_waiting=True)
        play(match, seat.index, registry.GAMES[stranger].rules.write(first_move(match)))
    before = client.get(f"/m/{match.code}/record.match").content.decode()
    assert "Result:" in before
    take_away(settings, stranger)
    page = client.get(match.get_absolute_url()).content.decode()
    assert "Stone heaps" in page
    assert "not offered here any more" in page
    assert client.get(f"/m/{match.code}/record.match").content.decode() == before
    client.force_login(ana)
    for address in (
        "/",
        "/matches/",
        f"/players/{ana.username}/",
        match.get_absolute_url(),
        f"/m/{match.code}/deal/",
    ):
        assert client.get(address).status_code in (200, 404), address
    assert "Stone heaps" in client.get(f"/players/{ana.username}/").content.decode()
    assert client.get(f"/m/{match.code}/ply/1/").status_code == 404


def first_move(match: Match) -> object:
    from gemserver.matches import replay

    match = Match.objects.get(pk=match.pk)
    state = replay.position(match)
    [seat] = match.rules.waiting_on(state)
    return next(match.rules.legal_moves(state, seat))
