"""`check_mail` against a name server of our own: each fault is named, with advice."""

from __future__ import annotations

import base64
import io
import socket

import dns.resolver
import pytest
from django.core.management import CommandError, call_command

from tests.operating.name_server import Zone, name_server

KEY = '" "'.join([base64.b64encode(bytes(150)).decode(), base64.b64encode(bytes(144)).decode()])
"""Of 2048 bits; in two strings, since one holds 255 characters."""
SHORT_KEY = base64.b64encode(bytes(94)).decode()
SOUND: Zone = {
    ("gem.test", "MX"): ["10 mail.gem.test."],
    ("mail.gem.test", "A"): ["192.0.2.1"],
    ("gem.test", "TXT"): ['"site-verification=1"', '"v=spf1 ip4:192.0.2.0/28 -all"'],
    ("k1._domainkey.gem.test", "TXT"): [f'"v=DKIM1; k=rsa; " "p={KEY}"'],
    ("_dmarc.gem.test", "TXT"): ['"v=DMARC1; p=quarantine"'],
    ("1.2.0.192.in-addr.arpa", "PTR"): ["mail.gem.test."],
}


@pytest.fixture(autouse=True)
def addresses(settings) -> None:
    settings.MAIL_DOMAIN = "gem.test"
    settings.PLAY_ADDRESS = "play@gem.test"
    settings.PLAY_REPLY = "play+{token}@gem.test"
    settings.ACCOUNT_REPLY = "me+{token}@gem.test"
    settings.MAIL_DKIM_SELECTORS = ["k1"]
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = "localhost"


def check(zone: Zone, *arguments: str) -> tuple[str, str]:
    """The command's output, and the error it ends with."""
    output = io.StringIO()
    with name_server(zone) as address:
        try:
            call_command(
                "check_mail", "--domain", "gem.test", "--nameserver", address, *arguments, stdout=output
            )
        except CommandError as error:
            return output.getvalue(), str(error)
    return output.getvalue(), ""


def todo(zone: Zone, *arguments: str) -> str:
    """The only thing to be done, with its advice on the line below."""
    output, error = check(zone, *arguments)
    assert error == "1 thing is to be done.", output
    lines = output.splitlines()
    [place] = [place for place, line in enumerate(lines) if line.startswith("TODO")]
    return " ".join(f"{lines[place]} {lines[place + 1]}".split())


def test_a_machine_without_name_servers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_resolver: object, _file: str) -> None:
        raise dns.resolver.NoResolverConfiguration

    monkeypatch.setattr(dns.resolver.Resolver, "read_resolv_conf", fail)
    with pytest.raises(CommandError, match="names no name server"):
        call_command("check_mail", "--domain", "gem.test")


def test_a_sound_domain_passes() -> None:
    """mail-requirements.md U4."""
    output, error = check(SOUND)
    assert error == "", output
    assert "Everything is as it should be." in output
    assert "mail.gem.test (192.0.2.1)" in output
    assert "TODO" not in output


def test_without_records_everything_is_to_be_done() -> None:
    output, error = check({}, "--address", "192.0.2.1")
    assert error == "5 things are to be done."
    assert output.count("Publish") == 4
    assert "v=spf1 ip4:192.0.2.1 mx -all" in output
    assert "reverse record" in output


MX = ("gem.test", "MX")
TXT = ("gem.test", "TXT")
DKIM = ("k1._domainkey.gem.test", "TXT")
DMARC = ("_dmarc.gem.test", "TXT")
PTR = ("1.2.0.192.in-addr.arpa", "PTR")

UNSOUND: list[tuple[Zone, str]] = [
    ({MX: ["0 ."]}, "Remove the empty MX record"),
    ({MX: ["10 mail.gem.test.", "20 gone.gem.test."]}, "Publish an A or AAAA record for gone.gem.test."),
    ({TXT: ['"something else"']}, 'Publish `gem.test. TXT "v=spf1 ip4:192.0.2.1 mx -all"`'),
    ({TXT: ['"v=spf1 mx -all"', '"v=spf1 a -all"']}, "Make one record of them"),
    ({TXT: ['"v=spf1 ip4:198.51.100.0/24 -all"']}, "Add ip4:192.0.2.1"),
    ({TXT: ['"v=spf1 -all"']}, "Add ip4:192.0.2.1"),
    ({TXT: ['"v=spf1 mx +all"']}, "lets everybody send in your name"),
    ({TXT: ['"v=spf1 mx ?all"']}, "lets everybody send in your name"),
    ({TXT: ['"v=spf1 mx"']}, "lets everybody send in your name"),
    ({TXT: ['"v=spf1 ipv4:192.0.2.1 -all"']}, "Unknown mechanism found: ipv4:192.0.2.1"),
    ({TXT: ['"v=spf1 ip4:192.0.2.300 -all"']}, "Invalid IP4 address: ip4:192.0.2.300"),
    ({TXT: ['"v=spf1 include:gone.test -all"']}, "No valid SPF record for included domain: gone.test"),
    ({TXT: ['"v=spf1 include:gem.test -all"']}, "include has trivial recursion"),
    (
        {TXT: ['"v=spf1 include:s0.test -all"']}
        | {(f"s{n}.test", "TXT"): [f'"v=spf1 include:s{n + 1}.test -all"'] for n in range(12)},
        "Too many DNS lookups",
    ),
    ({DKIM: ['"something"']}, "k1._domainkey.gem.test: none Publish"),
    ({DKIM: [f'"p={KEY}"', f'"k=rsa; p={KEY}"']}, "Leave one key"),
    ({DKIM: ['"v=DKIM1; p="']}, "The key is revoked"),
    ({DKIM: ['"v=DKIM1; p=!!!"']}, "The key is damaged"),
    ({DKIM: [f'"v=DKIM1; p={SHORT_KEY}"']}, "too short"),
    ({DMARC: ['"something"']}, "Publish `_dmarc.gem.test."),
    ({DMARC: ['"v=DMARC1; p=none"', '"v=DMARC1; p=reject"']}, "Make one record of them"),
    ({DMARC: ['"v=DMARC1; rua=mailto:a@gem.test"']}, "Say `p=none`"),
    ({PTR: ["elsewhere.gem.test."]}, "Publish an address record of elsewhere.gem.test for 192.0.2.1"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("changes", "expected"), UNSOUND)
def test_what_is_wrong_is_named_with_what_to_do(changes: Zone, expected: str) -> None:
    """mail-requirements.md U4."""
    assert expected in todo({**SOUND, **changes})


GOOD: list[Zone] = [
    {TXT: ['"v=spf1 a:mail.gem.test ~all"']},
    {TXT: ['"v=spf1 mx/24//64 -all"']},
    {
        TXT: ['"V=SPF1 include:_spf.relay.test -all"'],
        ("_spf.relay.test", "TXT"): ['"v=spf1 ip4:192.0.2.1 -all"'],
    },
    {TXT: ['"v=spf1 redirect=_spf.relay.test"'], ("_spf.relay.test", "TXT"): ['"v=spf1 ip4:192.0.2.1 -all"']},
    {TXT: ['"v=spf1 exists:%{i}.list.test mx exp=why.gem.test -all"']},
    {
        DKIM: [],
        ("k1._domainkey.gem.test", "CNAME"): ["k1.relay.test."],
        ("k1.relay.test", "TXT"): [f'"p={KEY}"'],
    },
    {DKIM: [f'"v=DKIM1; k=ed25519; p={base64.b64encode(bytes(32)).decode()}"']},
    {DMARC: ['"v=DMARC1; p=none"']},
]


@pytest.mark.parametrize("changes", GOOD)
def test_other_sound_records_pass(changes: Zone) -> None:
    output, error = check({**SOUND, **changes})
    assert error == "", output


def test_a_policy_of_the_parent_domain_counts() -> None:
    zone = {key: value for key, value in SOUND.items() if key != DMARC}
    zone = {(name.replace("gem.test", "play.gem.test"), kind): value for (name, kind), value in zone.items()}
    zone[("play.gem.test", "MX")] = ["10 mail.play.gem.test."]
    zone[PTR] = ["mail.play.gem.test."]
    zone[("_dmarc.gem.test", "TXT")] = ['"v=DMARC1; p=reject"']
    output, _ = check(zone, "--domain", "play.gem.test")
    assert "ok   DMARC    _dmarc.gem.test" in output


def test_without_a_selector_signing_is_to_be_done(settings) -> None:
    settings.MAIL_DKIM_SELECTORS = []
    assert "MAIL_DKIM_SELECTORS" in todo(SOUND)
    assert check(SOUND, "--selector", "k1")[1] == ""


def test_a_relay_needs_no_reverse_record_of_ours(settings) -> None:
    settings.EMAIL_HOST = "smtp.relay.test"
    zone = {key: value for key, value in SOUND.items() if key != PTR}
    output, error = check(zone)
    assert (error, "PTR" in output) == ("", False)


def test_an_address_of_another_domain_is_named(settings) -> None:
    settings.PLAY_REPLY = "play+{token}@other.test"
    assert "PLAY_REPLY play+{token}@other.test Set it to an address of gem.test" in todo(SOUND)


def test_a_name_server_that_is_away_is_no_missing_record(settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gemserver.operating.mail_dns.LIFETIME", 0.3)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        with pytest.raises(CommandError, match=r"The DNS cannot be asked.*Try again later"):
            call_command("check_mail", "--nameserver", f"127.0.0.1:{silent.getsockname()[1]}")


@pytest.mark.parametrize("nameserver", ["ns.example.org", "127.0.0.1:dns", "127.0.0.1:0", "::1:x"])
def test_a_name_server_that_is_no_address_is_refused_with_a_sentence(nameserver: str) -> None:
    with pytest.raises(CommandError, match="write ADDRESS or ADDRESS:PORT"):
        call_command("check_mail", "--nameserver", nameserver)
