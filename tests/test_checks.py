"""Each unsafe configuration is refused under its own id, and a sound one passes."""

from __future__ import annotations

import ast
import os
import re
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured

from gemserver.checks import (
    check_broker,
    check_configuration,
    check_rules_versions,
    check_sending,
    require_servable,
)
from gemserver.lib.process import env
from gemserver.matches.models import Match
from tests.builders import make_match, make_table
from tests.services.certificates import make_certificate

ROOT = Path(__file__).resolve().parent.parent
LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

SOUND = {
    "MODE": "production",
    "PRODUCTION": True,
    "SECRET_KEY": LETTERS,
    "MAIL_KEY": LETTERS[::-1],
    "ALLOWED_HOSTS": ["play.example.org"],
    "CELERY_BROKER_URL": "redis://127.0.0.1:6379/0",
    "DATABASE_URL": "postgres://gem:secret@127.0.0.1/gem",
    "MAIL_DOMAIN": "play.example.org",
    "PLAY_REPLY": "play+{token}@play.example.org",
    "ACCOUNT_REPLY": "me+{token}@play.example.org",
    "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
    "MAIL_AUTH": "normal",
    "SITE_URL": "https://play.example.org",
    "BEHIND_PROXY": True,
    "ALLAUTH_TRUSTED_PROXY_COUNT": 1,
    "EMAIL_HOST_PASSWORD": "",
    "EMAIL_HOST": "localhost",
    "EMAIL_USE_TLS": False,
    "EMAIL_USE_SSL": False,
}
RELAY = {"EMAIL_HOST": "relay.example.org", "EMAIL_HOST_PASSWORD": "secret"}
MAILBOX = {"IMAP_HOST": "imap.example.org", "IMAP_PASSWORD": "secret", "IMAP_TLS": "yes"}
OLD = LETTERS[5:] + LETTERS[:5]
SES = {"ANYMAIL": {"WEBHOOK_SECRET": "name:a-long-enough-password"}, "MAIL_WEBHOOKS": ["amazon_ses"]}

UNSOUND = [
    ("E001", {"MODE": "productoin"}),
    ("E002", {"PLAY_REPLY": "play@play.example.org"}),
    ("E002", {"PLAY_REPLY": "play+{token}{token}@play.example.org"}),
    ("E002", {"PLAY_REPLY": "play+{token}"}),
    ("E002", {"PLAY_REPLY": f"{'p' * 39}{{token}}@play.example.org"}),
    ("E002", {"ACCOUNT_REPLY": f"me+{{token}}@{'x.' * 120}org"}),
    ("E002", {"BOUNCE_REPLY": "b@play.example.org"}),
    ("E034", {"HOOK_HOSTS": ["10.0.0.1/8"]}),
    ("E034", {"HOOK_HOSTS": ["matrix.lan:8448", "matrix.lan:port"]}),
    ("E035", {"VAPID_KEY": "a" * 20}),
    ("E035", {"VAPID_KEY_FALLBACKS": ["no key"]}),
    ("E003", {"SECRET_KEY": ""}),
    ("E003", {"SECRET_KEY": LETTERS[:49]}),
    ("E003", {"SECRET_KEY": "abcd" * 20}),
    ("E004", {"MAIL_KEY": ""}),
    ("E004", {"MAIL_KEY": "short"}),
    ("E004", {"MAIL_KEY": LETTERS}),
    ("E030", {"AUDIT_KEY": "short"}),
    ("E030", {"AUDIT_KEY": LETTERS}),
    ("E030", {"AUDIT_KEY": LETTERS[::-1]}),
    ("E003", {"AUDIT_KEY": LETTERS[3:] + LETTERS[:3], "SECRET_KEY": ""}),
    ("E005", {"ALLOWED_HOSTS": []}),
    ("E005", {"ALLOWED_HOSTS": ["*"]}),
    ("E006", {"CELERY_BROKER_URL": ""}),
    ("E006", {"CELERY_BROKER_URL": "memory://localhost/"}),
    ("E006", {"CELERY_BROKER_URL": "sentinel://127.0.0.1:26379/0"}),
    ("E007", {"DATABASE_URL": "sqlite:////srv/db.sqlite3"}),
    ("E008", {"MAIL_DOMAIN": "gem.localhost"}),
    *(
        ("E009", {"EMAIL_BACKEND": f"django.core.mail.backends.{name}.EmailBackend"})
        for name in ("console", "locmem")
    ),
    *(
        ("E009", {"EMAIL_BACKEND": f"django.core.mail.backends.{name}.EmailBackend"})
        for name in ("dummy", "filebased")
    ),
    ("E009", {"EMAIL_BACKEND": "anymail.backends.test.EmailBackend"}),
    ("E008", {"MAIL_DOMAIN": "https://play.example.org"}),
    ("E008", {"MAIL_DOMAIN": "play.example.org."}),
    ("E036", {"PLAY_ADDRESS": "play"}),
    ("E036", {"OPERATORS": ["olga@example.org", "olga"]}),
    ("E010", {"MAIL_AUTH": "off"}),
    ("E010", {"MAIL_AUTH": "stirct"}),
    ("E011", {"SITE_URL": "http://play.example.org"}),
    ("E011", {"SITE_URL": "https://play.example.org/gem"}),
    ("E011", {"SITE_URL": "https://olga:secret@play.example.org"}),
    ("E011", {"SITE_URL": "https://play.example.org:99999"}),
    ("E016", {"CLOCK_OFFSET": 3600}),
    ("E020", {"METRICS_TOKEN": "a"}),
    ("E020", {"METRICS_TOKEN": "abab" * 20}),
    ("E021", {"SITE_URL": "https://play.example.com"}),
    ("E021", {"SITE_URL": "https://play.example.org.evil.example"}),
    ("E022", {"CLAIM_SECONDS": 5}),
    ("E022", {"CLAIM_SECONDS": 79}),
    ("E022", {"EMAIL_TIMEOUT": 31}),
    ("E023", RELAY),
    ("E023", MAILBOX | {"IMAP_TLS": "none"}),
    ("E023", MAILBOX | {"IMAP_TLS": "perhaps"}),
    ("E024", SES | {"SES_TOPICS": []}),
    ("E025", {"SECRET_KEY_FALLBACKS": ["short"]}),
    ("E025", {"MAIL_KEY_FALLBACKS": ["short"]}),
    ("E025", {"MAIL_KEY_FALLBACKS": [LETTERS[::-1]]}),
    ("E025", {"MAIL_KEY_FALLBACKS": [LETTERS]}),
    ("E025", {"SECRET_KEY_FALLBACKS": [OLD], "MAIL_KEY_FALLBACKS": [OLD]}),
    ("E026", {"ALLAUTH_TRUSTED_PROXY_COUNT": 0}),
    ("E026", {"BEHIND_PROXY": False}),
    ("E038", {"LEGAL_DIR": "/nonexistent"}),
    ("E038", {"LEGAL_DIR": str(ROOT / "docs")}),
]

SOUND_AS_WELL: list[dict[str, object]] = [
    {"METRICS_TOKEN": LETTERS[:20]},
    {"ALLOWED_HOSTS": [".example.org"], "SITE_URL": "https://play.example.org:8443"},
    {"CLAIM_SECONDS": 80},
    RELAY | {"EMAIL_USE_TLS": True},
    RELAY | {"EMAIL_USE_SSL": True},
    RELAY | {"EMAIL_HOST": "127.0.0.1"},
    RELAY | {"EMAIL_HOST": "localhost"},
    dict.fromkeys(("PLAY_REPLY", "ACCOUNT_REPLY"), "{token}@play.example.org"),
    {
        "PLAY_ADDRESS": "gem@bücher.example",
        "MAIL_DOMAIN": "bücher.example",
        "OPERATORS": ["o.l+ga@example.org"],
    },
    MAILBOX,
    MAILBOX | {"IMAP_TLS": "starttls"},
    MAILBOX | {"IMAP_HOST": "localhost", "IMAP_TLS": "none"},
    SES | {"SES_TOPICS": ["arn:aws:sns:eu-west-1:1:mail"]},
    {"MAIL_KEY_FALLBACKS": [OLD], "SECRET_KEY_FALLBACKS": [OLD[::-1]]},
    {"BEHIND_PROXY": False, "ALLAUTH_TRUSTED_PROXY_COUNT": 0},
    {"ALLAUTH_TRUSTED_PROXY_COUNT": 2},
]


@pytest.fixture
def configured(settings):
    """Apply the sound production configuration with some changes."""

    def configure(**changes: object) -> None:
        for name, value in (SOUND | changes).items():
            setattr(settings, name, value)

    return configure


def ids() -> list[str]:
    return [str(message.id).removeprefix("gemserver.") for message in check_configuration(None)]


def test_a_sound_production_configuration_passes(configured) -> None:
    configured()
    assert ids() == []
    require_servable()


@pytest.mark.parametrize("changes", SOUND_AS_WELL)
def test_other_sound_configurations_pass(configured, changes: dict[str, object]) -> None:
    configured(**changes)
    assert ids() == []


@pytest.mark.parametrize(("expected", "changes"), UNSOUND)
def test_an_unsafe_configuration_is_refused(configured, expected: str, changes: dict[str, object]) -> None:
    configured(**changes)
    assert ids() == [expected]
    with pytest.raises(ImproperlyConfigured, match=expected):
        require_servable()


POSTMARK = "anymail.backends.postmark.EmailBackend"


@pytest.mark.parametrize(
    ("said", "changes"),
    [
        ("POSTMARK_SERVER_TOKEN", {"EMAIL_BACKEND": POSTMARK, "ANYMAIL": {}}),
        ("nowhere", {"EMAIL_BACKEND": "nowhere.EmailBackend"}),
        ("mutually exclusive", {"EMAIL_USE_TLS": True, "EMAIL_USE_SSL": True}),
    ],
)
def test_a_deploy_is_told_when_no_mail_could_be_sent(
    configured, said: str, changes: dict[str, object]
) -> None:
    configured(**changes)
    [message] = check_sending(None)
    assert message.id == "gemserver.E037"
    assert said in message.msg
    configured(EMAIL_BACKEND=POSTMARK, ANYMAIL={"POSTMARK_SERVER_TOKEN": "a token"}, EMAIL_USE_SSL=False)
    assert check_sending(None) == []


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("rediss://127.0.0.1/0?ssl_ca_certs=/nonexistent.pem", "/nonexistent.pem"),
        (f"rediss://127.0.0.1/0?ssl_ca_certs={ROOT / 'README.md'}", "README.md"),
        ("rediss://127.0.0.1/0?ssl_certfile=/nonexistent.pem", "/nonexistent.pem"),
        ("rediss://127.0.0.1/0?ssl_ca_cert=/nonexistent.pem", "ssl_ca_cert"),
        ("redis://127.0.0.1/0?ssl_ca_certs=/nonexistent.pem", "ssl_ca_certs"),
        ("redis://127.0.0.1/gem", "its database is no number"),
    ],
)
def test_a_deploy_is_told_when_no_redis_could_be_asked(configured, url: str, said: str) -> None:
    configured(CELERY_BROKER_URL=url, CELERY_BROKER_USE_SSL=use_ssl(url))
    [message] = check_broker(None)
    assert message.id == "gemserver.E039"
    assert said in message.msg


def test_a_redis_with_a_certificate_of_ones_own_passes(configured, tmp_path: Path) -> None:
    url = f"rediss://gem:secret@127.0.0.1:6379/3?ssl_ca_certs={make_certificate(tmp_path, 'localhost')}"
    configured(CELERY_BROKER_URL=url, CELERY_BROKER_USE_SSL=use_ssl(url))
    assert check_broker(None) == []
    configured(CELERY_BROKER_URL="redis://:secret@127.0.0.1", CELERY_BROKER_USE_SSL=None)
    assert check_broker(None) == []


def use_ssl(url: str) -> dict[str, object] | None:
    return {"ssl_cert_reqs": ssl.CERT_REQUIRED} if url.startswith("rediss://") else None


def test_a_longest_reply_address_within_the_limits_passes(configured) -> None:
    configured(PLAY_REPLY=f"{'p' * 38}{{token}}@play.example.org", ACCOUNT_REPLY=f"{{token}}@{'x' * 223}.org")
    assert ids() == []
    configured(ACCOUNT_REPLY=f"{{token}}@{'x' * 224}.org")
    assert ids() == ["E002"]


def test_the_rules_are_for_production_only(configured) -> None:
    configured(MODE="test", PRODUCTION=False, SECRET_KEY="short", EMAIL_BACKEND="locmem")
    assert ids() == []


def test_the_embedded_mode_is_not_served_by_a_web_server(configured) -> None:
    configured(MODE="embedded", PRODUCTION=False, EMBEDDED=True)
    with pytest.raises(ImproperlyConfigured, match="make play"):
        require_servable()


def test_matches_whose_rules_are_gone_are_refused(db) -> None:
    finished, running, table = make_match(bots=2), make_match(bots=2), make_table(seats=2)
    assert check_rules_versions(None, databases=["default"]) == []
    Match.objects.filter(pk=finished.pk).update(rules_version=98, status=Match.Status.FINISHED)
    assert check_rules_versions(None, databases=["default"]) == []
    Match.objects.filter(pk=running.pk).update(rules_version=99)
    Match.objects.filter(pk=table.pk).update(game="gone", rules_version=1)
    messages = check_rules_versions(None, databases=["default"])
    assert [message.id for message in messages] == ["gemserver.E012"] * 2
    assert "version 99 of gem" in messages[0].msg + messages[1].msg


def test_the_database_is_left_alone_unless_asked_for(db) -> None:
    Match.objects.filter(pk=make_match(bots=2).pk).update(rules_version=99)
    assert check_rules_versions(None, databases=None) == []
    assert "gemserver.E012" not in [message.id for message in run_checks()]
    assert "gemserver.E012" in [message.id for message in run_checks(databases=["default"])]


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=clean | environment,
        capture_output=True,
        text=True,
        check=False,
    )


PRODUCTION_ENVIRONMENT = {
    "SECRET_KEY": LETTERS,
    "MAIL_KEY": LETTERS[::-1],
    "ALLOWED_HOSTS": "play.example.org",
    "DATABASE_URL": "postgres://gem:secret@127.0.0.1:1/gem",
    "REDIS_URL": "redis://127.0.0.1:6379/0",
    "MAIL_DOMAIN": "play.example.org",
    "SITE_URL": "https://play.example.org",
}


@pytest.mark.slow
def test_the_deploy_checks_pass_for_the_documented_environment() -> None:
    result = run("manage.py", "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION_ENVIRONMENT)
    assert result.returncode == 0, result.stderr


@pytest.mark.slow
def test_an_empty_environment_is_not_served() -> None:
    result = run("-c", "import gemserver.wsgi")
    assert result.returncode != 0
    assert "SECRET_KEY" in result.stderr


@pytest.mark.slow
def test_the_web_server_refuses_an_unsafe_environment() -> None:
    result = run(
        "-c", "import gemserver.wsgi", **PRODUCTION_ENVIRONMENT | {"SITE_URL": "http://play.example.org"}
    )
    assert "gemserver.E011" in result.stderr


@pytest.mark.slow
def test_the_web_server_waits_for_the_files_of_its_pages(tmp_path: Path) -> None:
    """Without them every page was a 500."""
    environment = PRODUCTION_ENVIRONMENT | {"STATIC_ROOT": str(tmp_path / "static")}
    result = run("-c", "import gemserver.wsgi", **environment)
    assert result.returncode != 0
    assert f"not in {tmp_path / 'static'} (STATIC_ROOT)" in result.stderr
    assert run("manage.py", "collectstatic", "--noinput", **environment).returncode == 0
    assert run("-c", "import gemserver.wsgi", **environment).returncode == 0


NUMBERS = {
    **dict.fromkeys(
        ("SWEEP_SECONDS", "CLAIM_SECONDS", "EMAIL_TIMEOUT", "MAIL_RAW_DAYS", "IMAP_POLL_SECONDS"), "0"
    ),
    **dict.fromkeys(("SMTP_PORT", "EMAIL_PORT", "IMAP_PORT"), "65536"),
    **dict.fromkeys(
        (
            "MAIL_RATE_ADDRESS",
            "MAIL_RATE_SENDER",
            "SIGN_UP_RATE",
            "AT_BOARD_SECONDS",
            "MAIL_RATE_CONNECTIONS",
            "MAIL_CONNECTIONS_PER_HOST",
        ),
        "-1",
    ),
    **dict.fromkeys(("HSTS_SECONDS", "PROXY_COUNT", "WORKER_CONCURRENCY"), "-1"),
    "MAIL_KEPT_DAYS": "-1",
    "MAIL_SIZE_LIMIT": "9999",
    "VACATION_DAYS": "367",
    "API_RATE": "0",
    "CLOCK_OFFSET": "1e3",
    **dict.fromkeys(("WEB_CONCURRENCY", "WEB_THREADS", "PORT"), "0"),
    **dict.fromkeys(("WAITING_PORT", "WAITING_THREADS", "WAITING_MOST"), "0"),
    **dict.fromkeys(("WAITING_PER_TOKEN", "WAITING_PER_ADDRESS"), "0"),
}


@pytest.mark.slow
def test_every_number_has_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each variable that is a number is refused by its name when it is out of its range."""
    sources = {path: (ROOT / path).read_text() for path in ("gemserver/settings.py", "gemserver/gunicorn.py")}
    named = {name for text in sources.values() for name in re.findall(r"""env\.number\(\s*['"](\w+)""", text)}
    assert named == set(NUMBERS)
    for name, value in NUMBERS.items():
        source = next(
            path for path, text in sources.items() if re.search(rf"""env\.number\(\s*['"]{name}['"]""", text)
        )
        calls = [
            node
            for node in ast.walk(ast.parse(sources[source]))
            if isinstance(node, ast.Call) and ast.unparse(node).startswith(f"env.number('{name}'")
        ]
        monkeypatch.setenv(name, value)
        with pytest.raises(ImproperlyConfigured, match=f"^{name}='{value}': write a whole number"):
            eval(ast.unparse(calls[0]), {"env": env, "PRODUCTION": True, "BEHIND_PROXY": True})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value"), [("SWEEP_SECONDS", "0"), ("PROXY_COUNT", "11"), ("EMAIL_PORT", "\u0663")]
)
def test_a_number_out_of_range_is_not_served(name: str, value: str) -> None:
    result = run("-c", "import gemserver.wsgi", **PRODUCTION_ENVIRONMENT | {name: value})
    assert result.returncode != 0
    assert f"{name}={value!r}: write a whole number" in result.stderr


@pytest.mark.slow
def test_static_files_can_be_collected_without_secrets(tmp_path) -> None:
    environment = {
        "GEMSERVER_MODE": "production",
        "STATIC_ROOT": str(tmp_path),
        "SECRET_KEY": "for the build alone",
    }
    result = run("manage.py", "collectstatic", "--noinput", **environment)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "staticfiles.json").exists()


def test_no_two_checks_share_an_id() -> None:
    """An id names one rule: operators look it up, and may silence it."""
    tree = ast.parse((ROOT / "gemserver" / "checks.py").read_text(encoding="utf-8"))
    rules = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Rule"
    ]
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    used = [sorted(set(re.findall(r"gemserver\.E\d+", ast.unparse(node)))) for node in (*rules, *functions)]
    ids = [each for found in used for each in found]
    assert len(ids) > 25
    assert sorted(ids) == sorted(set(ids))
