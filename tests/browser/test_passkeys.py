"""A passkey in a real browser, whose DevTools stand in for the device: added, used to sign in, removed."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.test_looks import folder, picture
from tests.builders import make_user

pytestmark = pytest.mark.django_db(transaction=True)

__all__ = ("folder",)

DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def with_device(window: BrowserContext, page: Page, **changed: object) -> str:
    """Give the page's browser a device that keeps passkeys; returns its number, by which `obey` is told."""
    tools = window.new_cdp_session(page)
    tools.send("WebAuthn.enable")
    made = tools.send("WebAuthn.addVirtualAuthenticator", {"options": {**DEVICE, **changed}})
    return str(made["authenticatorId"])


def sign_in_by_password(page: Page) -> None:
    page.goto("/accounts/login/")
    page.fill("[name=login]", "ana")
    page.fill("[name=password]", "password")
    page.click("form[action='/accounts/login/'] button")
    expect(page.locator(".own-name")).to_be_visible()


def test_a_passkey_is_added_signs_in_and_is_removed(
    window: BrowserContext, complaints: list[str], folder: Path
) -> None:
    make_user("ana")
    page = window.new_page()
    with_device(window, page)
    sign_in_by_password(page)
    page.goto("/you/")
    page.get_by_role("link", name="Passkeys").click()
    page.get_by_role("link", name="Add a passkey").click()
    expect(page.locator("#passkey-unable")).to_be_hidden()
    picture(page, "new-passkey", folder)
    page.get_by_label("Name").fill("laptop")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.locator("#messages")).to_contain_text("The passkey laptop signs you in from now on.")
    picture(page, "passkeys", folder)

    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("alert")).to_have_text("This device has a passkey for your account already.")

    page.locator("header summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.goto("/accounts/login/?next=/time/")
    picture(page, "sign-in", folder)
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url("**/time/")
    expect(page.locator(".own-name")).to_have_text("ana")

    page.goto("/you/passkeys/")
    page.get_by_role("button", name="Remove").click()
    expect(page.locator("#messages")).to_contain_text("The passkey laptop is removed")
    page.locator("header summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.goto("/accounts/login/")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.locator("#messages")).to_contain_text("This passkey is not known here.")
    assert complaints == []


def test_a_device_without_passkeys_leaves_the_page_as_it_is(window: BrowserContext) -> None:
    make_user("ana")
    page = window.new_page()
    with_device(window, page, hasResidentKey=False)
    page.goto("/accounts/login/")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.locator("#passkey-failed")).to_have_text(
        "No passkey was used. Try again, or sign in another way."
    )


def test_under_a_number_for_an_address_the_page_says_why_there_is_no_button(
    window: BrowserContext, live_server: object
) -> None:
    page = window.new_page()
    page.goto(str(live_server).replace("localhost", "127.0.0.1") + "/accounts/login/")
    expect(page.locator("#passkey-unable")).to_be_visible()
    expect(page.get_by_role("button", name="Sign in with a passkey")).to_be_hidden()
