"""A stranger who uses up the attempts for an account is stopped; its owner still gets in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.test import Client

from gemserver.accounts.models import User
from gemserver.notify.models import OutboxMessage
from gemserver.site.account.attempts import COOKIE
from tests.builders import make_user

pytestmark = pytest.mark.django_db

ADDRESS, PASSWORD = "ana@example.org", "correct horse battery"
CODE, CONFIRM, RESET = "/accounts/login/code/", "/accounts/login/code/confirm/", "/accounts/password/reset/"
HOME = "198.51.100.1"
WRONG = "Name or address and password do not belong together."
TOO_MANY = "Too many wrong passwords."
TOO_MANY_MAILS = "Too many mails were asked for."


@pytest.fixture(autouse=True)
def _limits(settings) -> Iterator[None]:
    """The real limits by the hour, with a ceiling of 30 wrong passwords, because a hundred take long."""
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    settings.ACCOUNT_RATE_LIMITS = {
        action: ",".join(rate for rate in rates.split(",") if "/h/" in rate)
        for action, rates in settings.ACCOUNT_RATE_LIMITS.items()
    } | {"login_failed_anywhere": "30/h/key"}
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def ana() -> User:
    user = make_user("ana")
    user.set_password(PASSWORD)
    user.save()
    return user


def browser(network: str = HOME) -> Client:
    return Client(headers={"X-Forwarded-For": network})


def answer(client: Client, path: str, form: dict[str, str]) -> str:
    """`on` after a redirect, else the page with the error."""
    response = client.post(path, form)
    return "on" if response.status_code == 302 else response.content.decode()


def enter(client: Client, password: str = PASSWORD, name: str = ADDRESS) -> str:
    return answer(client, "/accounts/login/", {"login": name, "password": password})


def ask_for_code(client: Client) -> str:
    client.cookies.pop("sessionid", None)  # a session that waits for a code is not sent another
    return answer(client, CODE, {"email": ADDRESS})


def ask_for_link(client: Client) -> str:
    return answer(client, RESET, {"email": ADDRESS})


def confirm(client: Client) -> bool:
    """True if the last code that was mailed signs in."""
    code = OutboxMessage.objects.filter(to=ADDRESS).latest("pk").data["secret"]["code"]
    client.post(CONFIRM, {"code": code})
    return client.get("/you/").status_code == 200


def until_stopped(ask: Callable[[], str], words: str, most: int) -> int:
    """The number of attempts before these words appear."""
    return next(number for number in range(most + 1) if words in ask())


def everywhere(ask: Callable[[Client], str], words: str, each: int) -> None:
    """Let strangers from many networks use up all attempts."""
    for number in range(200):
        stranger = f"192.0.2.{number}"
        if until_stopped(partial(_ask_from, stranger, ask), words, each) == 0:
            return
    pytest.fail("no ceiling was reached")


def _ask_from(network: str, ask: Callable[[Client], str]) -> str:
    return ask(browser(network))


def guess(client: Client) -> str:
    return enter(client, "wrong")


def known_browser(network: str = HOME) -> Client:
    """A browser in which Ana has signed in and out."""
    client = browser(network)
    assert enter(client) == "on"
    client.post("/accounts/logout/")
    assert client.get("/you/").status_code == 302
    return client


def test_a_stranger_uses_up_their_own_codes_and_not_the_owners(ana: User) -> None:
    stranger, owner = browser("192.0.2.1"), browser()
    assert until_stopped(lambda: ask_for_code(stranger), TOO_MANY_MAILS, 20) == 10
    assert until_stopped(lambda: ask_for_code(browser("192.0.2.1")), TOO_MANY_MAILS, 20) == 0
    assert ask_for_code(owner) == "on"
    assert confirm(owner)


def test_a_stranger_uses_up_their_own_links_to_a_new_password(ana: User) -> None:
    assert until_stopped(lambda: ask_for_link(browser("192.0.2.1")), TOO_MANY_MAILS, 20) == 10
    assert ask_for_link(browser()) == "on"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ana", ADDRESS])
def test_a_stranger_uses_up_their_own_wrong_passwords(ana: User, name: str) -> None:
    def ask(network: str) -> str:
        return enter(browser(network), "wrong", name)

    assert until_stopped(lambda: ask("192.0.2.1"), TOO_MANY, 40) == 20
    assert TOO_MANY in enter(browser("192.0.2.1"), name=name), "not even with the right one"
    assert WRONG in ask(HOME)
    assert enter(browser(), name=name) == "on"


@pytest.mark.slow
def test_strangers_everywhere_have_no_more_than_the_ceiling(ana: User) -> None:
    everywhere(ask_for_code, TOO_MANY_MAILS, 20)
    assert OutboxMessage.objects.filter(to=ADDRESS).count() == 30
    assert TOO_MANY_MAILS in ask_for_link(browser())
    everywhere(guess, TOO_MANY, 40)
    assert TOO_MANY in guess(browser())


@pytest.mark.slow
def test_when_all_codes_are_used_up_the_password_still_signs_in(ana: User) -> None:
    everywhere(ask_for_code, TOO_MANY_MAILS, 20)
    assert enter(browser()) == "on"


@pytest.mark.slow
def test_when_all_passwords_are_used_up_the_page_shows_the_way_by_code(ana: User) -> None:
    everywhere(guess, TOO_MANY, 40)
    owner = browser()
    page = enter(owner)
    assert TOO_MANY in page
    assert CODE in page
    assert ask_for_code(owner) == "on"
    assert confirm(owner)


@pytest.mark.slow
def test_a_known_browser_signs_in_when_strangers_have_used_everything_up(ana: User) -> None:
    owner = known_browser()
    everywhere(ask_for_code, TOO_MANY_MAILS, 20)
    everywhere(guess, TOO_MANY, 40)
    owner.defaults["HTTP_X_FORWARDED_FOR"] = "203.0.113.77"
    assert enter(owner) == "on"
    owner.post("/accounts/logout/")
    assert ask_for_code(owner) == "on"
    assert confirm(owner)


@pytest.mark.slow
def test_who_came_in_by_a_code_has_a_known_browser_too(ana: User) -> None:
    owner = browser()
    ask_for_code(owner)
    assert confirm(owner)
    owner.post("/accounts/logout/")
    everywhere(ask_for_code, TOO_MANY_MAILS, 20)
    assert ask_for_code(owner) == "on"


@pytest.mark.slow
def test_a_known_browser_has_limits_of_its_own(ana: User) -> None:
    owner = known_browser()
    assert until_stopped(lambda: guess(owner), TOO_MANY, 40) == 20
    assert until_stopped(lambda: ask_for_code(owner), TOO_MANY_MAILS, 20) == 10
    assert enter(browser()) == "on", "others in the same network have tries of their own"


@pytest.mark.slow
def test_a_browser_is_known_to_each_account_that_signed_in_there_and_to_no_other(ana: User) -> None:
    ben = make_user("ben")
    ben.set_password(PASSWORD)
    ben.save()
    shared = known_browser("192.0.2.200")
    assert enter(shared, name="ben") == "on"
    shared.post("/accounts/logout/")
    strangers = browser("192.0.2.200")
    assert enter(strangers, name="ben") == "on"
    strangers.post("/accounts/logout/")
    everywhere(guess, TOO_MANY, 40)
    assert TOO_MANY in enter(strangers)
    assert enter(shared) == "on"


@pytest.mark.slow
def test_a_cookie_that_somebody_made_up_or_changed_counts_for_nothing(ana: User) -> None:
    value = known_browser().cookies[COOKIE].value
    everywhere(guess, TOO_MANY, 40)
    for forged in ("", "x", f'["1",[{ana.pk}]]', value[:-1] + ("a" if value[-1] != "a" else "b")):
        stranger = browser()
        stranger.cookies[COOKIE] = forged
        assert TOO_MANY in enter(stranger)


def test_the_cookie_is_kept_from_scripts_and_other_sites(ana: User) -> None:
    cookie = known_browser().cookies[COOKIE]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert cookie["max-age"] == 400 * 86_400


@pytest.mark.slow
def test_tries_for_a_name_do_not_tell_whose_it_is(ana: User) -> None:
    for _ in range(21):
        enter(browser(), "wrong", "ana")
    assert WRONG in enter(browser(), "wrong", ADDRESS)


@pytest.mark.slow
def test_a_right_password_is_not_counted(ana: User) -> None:
    for _ in range(25):
        assert enter(browser()) == "on"


@pytest.mark.slow
def test_letters_with_the_same_capital_give_nobody_more_tries(ana: User) -> None:
    """PostgreSQL finds a name by its capitals: `ſissi` and `sıssi` sign in to the account of `sissi`."""
    everywhere(lambda client: enter(client, "wrong", "\u017fissi"), TOO_MANY, 40)
    for same in ("sissi", "s\u0131ssi", "SISSI"):
        assert TOO_MANY in enter(browser(), "wrong", same)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Zo\u00eb", "Stra\u00dfe"])
def test_a_browser_is_known_to_a_name_with_any_letters(name: str, ana: User) -> None:
    User.objects.filter(pk=ana.pk).update(username=name)
    owner = known_browser()
    everywhere(lambda client: enter(client, "wrong", name), TOO_MANY, 40)
    assert TOO_MANY in enter(browser(), PASSWORD, name)
    assert enter(owner, PASSWORD, name) == "on"


@pytest.mark.parametrize("is_new", [False, True])
def test_many_tries_of_a_code_at_once_are_not_taken_for_three(is_new: bool, ana: User) -> None:
    """All read the session before any has written its count of wrong codes there."""
    stranger = browser()
    if is_new:
        stranger.post("/accounts/signup/", {"email": "zoe@example.org", "username": "zoe", "password1": ""})
    else:
        ask_for_code(stranger)
    confirmed = "/accounts/confirm-email/" if is_new else CONFIRM
    session = stranger.session
    before = dict(session)
    address = "zoe@example.org" if is_new else ADDRESS
    code = OutboxMessage.objects.filter(to=address).latest("pk").data["secret"]["code"]
    for number in range(3):
        assert stranger.post(confirmed, {"code": f"BCDF-GHJ{'KLM'[number]}"}).status_code in (200, 302)
        session = stranger.session
        session.clear()
        session.update(before)
        session.save()
    stranger.post(confirmed, {"code": code})
    assert stranger.get("/you/").status_code == 302


def test_a_code_signs_in_nobody_who_has_given_up_its_address(ana: User) -> None:
    """Whoever still reads the mail there may be why it was given up; allauth would send a code to prove it again."""
    other = EmailAddress.objects.create(user=ana, email="new@example.org", verified=True)
    late = browser()
    assert ask_for_code(late) == "on"
    ana.emailaddress_set.filter(email=ADDRESS).delete()
    other.set_as_primary()
    assert not confirm(late)
    last = OutboxMessage.objects.filter(to=ADDRESS).latest("pk").data["secret"]["code"]
    late.post("/accounts/confirm-email/", {"code": last})
    assert late.get("/you/").status_code == 302
    assert list(ana.emailaddress_set.values_list("email", flat=True)) == [other.email]


def test_a_code_signs_in_nobody_whose_account_is_erased(ana: User) -> None:
    late = browser()
    assert ask_for_code(late) == "on"
    ana.delete()
    assert not confirm(late)
