"""Personal tokens: made once, shown once, asked about at each request."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.test import Client

from gemserver.accounts.bans import ban_user
from gemserver.accounts.models import PersonalToken, User
from gemserver.accounts.tokens import SCOPES, write_ticket
from gemserver.inbox.erasure import erase
from gemserver.lib import clock
from gemserver.lib.text.redaction import redact, redact_log
from gemserver.matches.actions.people.make_token import MOST_TOKENS, make_token
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.refusal import Refused
from tests.api.programs import Program, code_of, token_of
from tests.builders import make_match, make_user
from tests.site.pages import read_main, signed_in

pytestmark = pytest.mark.django_db


def test_a_token_is_shown_once_and_kept_nowhere(ana: User) -> None:
    browser = signed_in(ana)
    made = browser.post("/you/tokens/", {"name": "bot", "scopes": ["read", "play"], "days": "30"})
    text = next(word for word in read_main(made).text.split() if word.startswith("gem_"))
    assert "gem_" not in read_main(browser.get("/you/tokens/")).text
    row = PersonalToken.objects.get()
    assert (row.name, row.scopes) == ("bot", "read play")
    assert text.removeprefix("gem_") not in str(PersonalToken.objects.values())
    assert Program(text).get("turns").status_code == 200
    assert "bot" in read_main(browser.get("/you/tokens/")).text


def test_a_revoked_token_is_good_for_nothing(ana: User) -> None:
    program = Program.of(ana)
    assert program.get("account").status_code == 200
    browser = signed_in(ana)
    browser.post("/you/tokens/", {"revoke": ana.personal_tokens.get().name})
    gone = program.get("account")
    assert (gone.status_code, code_of(gone)) == (401, "wrong-token")
    assert gone["WWW-Authenticate"].startswith("Bearer")


def test_the_account_scope_asks_for_a_fresh_sign_in(ana: User) -> None:
    form = {"name": "bot", "scopes": ["read", "account"], "days": "30"}
    browser = signed_in(ana)
    asked = browser.post("/you/tokens/", form)
    assert asked["Location"].startswith("/accounts/reauthenticate/")
    assert not PersonalToken.objects.exists()
    shown = browser.post(asked["Location"], {"password": "password"})
    assert PersonalToken.objects.get().scopes == "read account"
    assert "gem_" in shown.content.decode(), "what was sent before is carried out"


def test_a_refused_form_keeps_what_was_typed(ana: User) -> None:
    token_of(ana)
    name = ana.personal_tokens.get().name
    refused = signed_in(ana).post("/you/tokens/", {"name": name, "scopes": ["talk"], "days": "365"})
    assert refused.status_code == 422
    assert f'value="{name}"' in refused.content.decode()
    assert ana.personal_tokens.count() == 1


@pytest.mark.parametrize(
    ("page", "form"),
    [
        ("/you/tokens/", {"name": "bot", "days": "30"}),
        ("/you/bots/", {"name": ""}),
        ("/you/channels/", {"do": "hook", "name": ""}),
    ],
)
def test_what_is_missing_is_said_beside_its_field_alone(ana: User, page: str, form: dict[str, str]) -> None:
    refused = signed_in(ana).post(page, form)
    assert refused.status_code == 422
    text = refused.content.decode()
    alert, _, below = text.partition('role="alert">')[2].partition("</p>")
    assert alert == "Something is missing or cannot be; it is marked below."
    assert "This field is required." in below


def test_nobody_has_tokens_without_end(ana: User) -> None:
    for _ in range(MOST_TOKENS):
        token_of(ana)
    with pytest.raises(Refused, match="too-many-tokens"):
        make_token(ana, "more", ["read"], days=None, now=clock.now())


@pytest.mark.parametrize(
    ("scope", "path", "body"),
    [
        ("play", "matches/{code}/move", {"text": "bid 1", "prompt_ply": 1}),
        ("play", "tables", {"game": "gem"}),
        ("talk", "matches/{code}/say", {"text": "hello"}),
        ("account", "account/vacation", {"first": "2100-01-01", "last": "2100-01-02"}),
    ],
)
def test_a_token_does_what_its_scopes_say(players: list[User], scope: str, path: str, body: object) -> None:
    match = make_match(players=players)
    path = path.format(code=match.code)
    others = [each for each in SCOPES if each != scope]
    refused = Program.of(players[0], *others).post(path, body)
    assert (refused.status_code, code_of(refused)) == (403, "scope")
    assert refused.json()["scope"] == scope
    allowed = Program.of(players[0], scope).post(path, body)
    assert allowed.status_code != 403, allowed.content


def test_a_token_ends_on_its_day(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    program = Program(token_of(ana, days=30))
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(days=29))
    assert program.get("turns").status_code == 200
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(days=31))
    assert code_of(program.get("turns")) == "wrong-token"


def test_a_banned_account_is_told_why(ana: User) -> None:
    program = Program.of(ana)
    ban_user(ana, "You cheated. Write to us.", now=clock.now())
    shut = program.get("turns")
    assert (shut.status_code, code_of(shut)) == (403, "banned")
    assert shut.json()["detail"] == "You cheated. Write to us."


def test_requests_are_counted_for_each_person(
    ana: User, ben: User, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment)  # all within one minute
    settings.API_RATE = 3
    program, other = Program.of(ana), Program.of(ben)
    left = [program.get("turns")["RateLimit"] for _ in range(3)]
    assert [part.split(";")[1] for part in left] == ["r=2", "r=1", "r=0"]
    late = program.get("turns")
    assert (late.status_code, code_of(late)) == (429, "too-many-requests")
    assert 1 <= int(late["Retry-After"]) <= 60
    assert late["RateLimit-Policy"] == '"owner";q=3;w=60'
    assert other.get("turns").status_code == 200


def test_requests_of_a_person_and_their_bots_share_one_limit(
    ana: User, ben: User, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment)
    settings.API_RATE = 3
    bot, own, again = Program.of(open_bot(ana, "botty", now=moment)), Program.of(ana), Program.of(ana)
    assert [program.get("turns").status_code for program in (bot, own, again, bot)] == [200, 200, 200, 429]
    assert Program.of(open_bot(ben, "another", now=moment)).get("turns").status_code == 200
    moment += timedelta(minutes=1)
    assert own.get("turns").status_code == 200


def test_a_new_token_or_bot_begins_no_new_count(
    ana: User, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment)
    settings.API_RATE = 2
    bot = open_bot(ana, "botty", now=moment)
    assert [Program.of(account).get("turns").status_code for account in (bot, ana)] == [200, 200]
    PersonalToken.objects.all().delete()
    erase(bot, now=moment)
    other = open_bot(ana, "another", now=moment)
    assert [Program.of(account).get("turns").status_code for account in (ana, other)] == [429, 429]


def test_wrong_tokens_are_limited_and_hold_up_no_right_one(ana: User) -> None:
    cache.clear()
    wrong = Program("gem_" + "a" * 26)
    assert {wrong.get("turns").status_code for _ in range(31)} == {401, 429}
    assert Program.of(ana).get("turns").status_code == 200
    cache.clear()


@pytest.mark.parametrize(
    "sent", ["", "Bearer", "Basic YTpi", "Bearer x", "Bearer gem_\u00e4", "gem_" + "a" * 26]
)
def test_anything_else_is_no_token(sent: str) -> None:
    cache.clear()
    answer = Client().get("/api/v1/turns", headers={"Authorization": sent} if sent else {})
    assert answer.status_code == 401
    assert code_of(answer) in ("no-token", "wrong-token")


@pytest.mark.parametrize("scheme", ["Token", "Basic", "gemserver"])
def test_a_good_token_under_another_scheme_is_told_which_to_send(scheme: str, ana: User) -> None:
    answer = Client().get("/api/v1/turns", headers={"Authorization": f"{scheme} {token_of(ana)}"})
    assert (answer.status_code, code_of(answer)) == (401, "no-token")
    assert "Authorization: Bearer" in answer.json()["detail"], "a new token would not help"


def test_the_day_of_the_last_use_is_written_once_a_day(ana: User) -> None:
    program = Program.of(ana)
    assert ana.personal_tokens.get().used_on is None
    program.get("turns")
    assert ana.personal_tokens.get().used_on == clock.now().date()


def test_tokens_are_hidden_in_talk_and_logs(players: list[User]) -> None:
    text = token_of(players[0])
    assert text not in redact(f"my token is {text}!")
    assert text.removeprefix("gem_") not in redact_log(f"Authorization: Bearer {text} and {text}")
    match = make_match(players=players)
    Program(text).post(f"matches/{match.code}/say", {"text": f"use {text}"})
    assert "gem_…" in match.messages.get().text


def test_the_link_of_a_mail_leads_its_player_to_the_page(ana: User, ben: User) -> None:
    path = f"/you/tokens/new/{write_ticket(ana, 'bot')}/"
    assert 'value="bot"' in signed_in(ana).get(path).content.decode()
    assert signed_in(ben).get(path).status_code == 404
    assert Client().get(path)["Location"].startswith("/accounts/login/")
    assert not PersonalToken.objects.exists()
    made = signed_in(ana).post(path, {"name": "bot", "scopes": ["read"], "days": "90"})
    assert "gem_" in made.content.decode()


def test_an_erased_account_takes_its_tokens_along() -> None:
    dee = make_user("dee")
    program = Program.of(dee)
    dee.delete()
    assert code_of(program.get("turns")) == "wrong-token"


def test_the_export_lists_tokens_without_what_they_are(ana: User) -> None:
    from gemserver.site.account.export import collect

    token_of(ana, "read")
    (shown,) = collect(ana, clock.now())["tokens"]
    assert set(shown) == {"name", "scopes", "created_at", "expires_at", "used_on"}
