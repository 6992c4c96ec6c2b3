"""Django settings, read from the environment (`docs/operating.md` lists the variables).

GEMSERVER_MODE is `production` (default), `embedded` (set by `manage.py` when there is no DATABASE_URL) or `test`.
"""

from __future__ import annotations

from pathlib import Path
from ssl import CERT_REQUIRED

from gemserver.lib.process import env
from gemserver.lib.process.log_setup import LEVELS, configuration
from gemserver.lib.process.secret import stored_secret
from gemserver.mail_kinds import KINDS
from gemserver.schedule import QUEUES, ROUTES, schedule

BASE_DIR = Path(__file__).resolve().parent.parent
MODE = env.text("GEMSERVER_MODE", "production")
PRODUCTION = MODE == "production"
EMBEDDED = MODE == "embedded"
TESTING = MODE == "test"

VAR_DIR = Path(env.text("GEMSERVER_VAR", str(BASE_DIR / "var")))
"""State of the embedded server and of tests; never used in production."""

# --- Secrets and hosts ---------------------------------------------------------------------------

SECRET_KEY = env.text("SECRET_KEY") if PRODUCTION else stored_secret(VAR_DIR / "secret-key")
SECRET_KEY_FALLBACKS = env.words("SECRET_KEY_FALLBACKS")
"""Earlier keys, under which sessions and links for a new password are still valid."""
MAIL_KEY = env.text("MAIL_KEY", SECRET_KEY)
"""Key of reply tokens and Message-IDs; apart from SECRET_KEY so that either can be changed alone."""
MAIL_KEY_FALLBACKS = env.words("MAIL_KEY_FALLBACKS")
"""Earlier keys, whose addresses and links in players' mailboxes are still valid (`operating.mail_key`)."""
AUDIT_KEY, AUDIT_KEY_FALLBACKS = env.text("AUDIT_KEY"), env.words("AUDIT_KEY_FALLBACKS")
"""Key of the audit log, by default SECRET_KEY; and former keys, with which old entries are checked."""

DEBUG = False
LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS") if PRODUCTION else [*LOOPBACK_HOSTS]
if TESTING:
    ALLOWED_HOSTS.append("testserver")
CSRF_FAILURE_VIEW = "gemserver.accounts.signed_out.refuse_without_token"
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")
SITE_URL = env.text("SITE_URL", "http://localhost:8000").rstrip("/")
"""Address of the site; every link in a mail begins with it."""

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
SECURE_SSL_REDIRECT = PRODUCTION and env.flag("SSL_REDIRECT", True)
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_HSTS_SECONDS = env.number("HSTS_SECONDS", 31_536_000) if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = PRODUCTION and env.flag("HSTS_SUBDOMAINS", True)
SECURE_HSTS_PRELOAD = PRODUCTION and env.flag("HSTS_PRELOAD", False)
# Joining the browsers' preload list binds the whole domain for years: a decision for its owner, not a default.
SILENCED_SYSTEM_CHECKS = ["security.W021"]
BEHIND_PROXY = env.flag("BEHIND_PROXY", PRODUCTION)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
ALLAUTH_TRUSTED_PROXY_COUNT = env.number("PROXY_COUNT", 1 if BEHIND_PROXY else 0, most=10)
"""Number of our proxies that append to `X-Forwarded-For` (`lib.client_address`)."""
ALLAUTH_RATE_LIMIT_IPV6_PREFIX = 64
"""Limits count the network: whoever has one IPv6 address has 2⁶⁴ of them."""
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# --- Applications --------------------------------------------------------------------------------

INSTALLED_APPS = [
    "gemserver",
    "gemserver.accounts",
    "gemserver.notify",
    "gemserver.clubs",
    "gemserver.matches",
    "gemserver.ratings",
    "gemserver.events",
    "gemserver.archive",
    "gemserver.study",
    "gemserver.puzzles",
    "gemserver.inbox",
    "gemserver.mailgate",
    "gemserver.operating",
    "gemserver.moderation",
    "gemserver.site",
    "gemserver.moderation.admin_config.ModerationAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "django_htmx",
]
ANYMAIL = env.prefixed("ANYMAIL_")
if ANYMAIL:
    # The application only checks these settings; its webhooks and mail backends work without it.
    INSTALLED_APPS += ["anymail"]

MIDDLEWARE = [
    "gemserver.lib.web.request_log.log_requests",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "gemserver.lib.web.compression.Compression",
    "gemserver.lib.web.csp.content_security_policy",
    "gemserver.lib.web.storable_text.RefuseUnstorableText",
    "gemserver.lib.web.cookieless.forget_cookies",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "gemserver.accounts.middleware.tell_of_bans",
    "gemserver.accounts.middleware.reader_preferences",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "allauth.usersessions.middleware.UserSessionsMiddleware",
    "gemserver.accounts.signed_out.keep_what_was_typed",
    "gemserver.lib.web.not_allowed.page_for_not_allowed",
    "gemserver.matches.broken_games.BrokenGames",
    "gemserver.lib.web.busy.BusyDatabase",
]

ROOT_URLCONF = "gemserver.urls"
WSGI_APPLICATION = "gemserver.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [
                        "django.template.loaders.filesystem.Loader",
                        "gemserver.matches.boards.game_templates.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "gemserver.accounts.context.site",
                "gemserver.site.news.reader_turns",
            ],
        },
    }
]
FORM_RENDERER = "gemserver.site.form_fields.Renderer"

# --- Data ----------------------------------------------------------------------------------------

DATABASE_URL = env.text("DATABASE_URL", f"sqlite:///{VAR_DIR / 'db.sqlite3'}")
DATABASES = {"default": env.database(DATABASE_URL)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
if PRODUCTION:
    # Limits count for all processes together, and not in Redis: without the cache nobody could sign in.
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.db.DatabaseCache",
            "LOCATION": "operating_cache",
            "OPTIONS": {"MAX_ENTRIES": 1_000_000},
        }
    }

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = Path(env.text("STATIC_ROOT", str(BASE_DIR / "staticfiles"))) if PRODUCTION else None
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = not PRODUCTION
WHITENOISE_ROOT = BASE_DIR / "static" / "root"
"""Files at addresses without `/static/`, where others look for them: `robots.txt`, `favicon.ico`."""

# --- People --------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["gemserver.accounts.backends.AccountBackend"]
SESSION_ENGINE = "gemserver.accounts.sessions"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "gemserver.site.account.entrance.AccountAdapter"
ACCOUNT_USERNAME_VALIDATORS = "gemserver.accounts.names.NAME_VALIDATORS"
ACCOUNT_LOGIN_METHODS = {"email", "username"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "username*", "password1"]
"""Without a password one signs in by a code sent by mail."""
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = True
# allauth offers to change the address only if the first was nobody's; `site.account.sign_up` has a way of its own.
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_CHANGE = False
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT = ACCOUNT_LOGIN_TIMEOUT = 3600
"""Seconds in which the code must come back; some mail servers hold a stranger's first mail for half an hour."""
ACCOUNT_LOGIN_BY_CODE_ENABLED = True
ACCOUNT_LOGIN_BY_CODE_SUPPORTS_RESEND = True
ACCOUNT_LOGIN_BY_CODE_TIMEOUT = 900
ACCOUNT_FORMS = {
    "login": "gemserver.site.account.forms.SignInForm",
    "signup": "gemserver.site.account.forms.SignUpForm",
    "add_email": "gemserver.site.account.forms.OtherAddressForm",
    "request_login_code": "gemserver.site.account.forms.CodeForm",
    "reset_password": "gemserver.site.account.forms.NewPasswordForm",
    "confirm_login_code": "gemserver.site.account.forms.SignInCodeForm",
    "confirm_email_verification_code": "gemserver.site.account.forms.AddressCodeForm",
}
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_RATE_LIMITS = {
    "practice": "30/h/ip",
    "signup": "10/m/ip,60/h/ip",
    "confirm_email": "1/10s/key,10/h/key",
    "manage_email": "10/m/user,30/d/user",
    "login_failed": "10/m/ip,5/5m/key,20/h/key",
    "login_failed_anywhere": "100/h/key",
    "request_login_code": "20/m/ip,3/m/key,10/h/key",
    "reset_password": "20/m/ip",
    "new_password": "5/m/key,10/h/key",
    "passkey_begun": "60/m/ip,600/h/ip",
    "passkey_failed": "10/m/ip,60/h/ip",
    "code_tried": "3/h/key",
    "mail_to_address": "30/h/key",
    "wrong_token": "30/m/ip,300/h/ip",
    "hint": "240/d/ip",
    "review": "40/d/ip",
    "export": "5/d/key",
}
"""Matches begun by strangers, personal tokens that nobody has, what bots are asked (as much as four accounts may),
addresses that somebody says are theirs, each of which gets a mail, files of all that is stored about a person; and,
beside allauth's own bounds, wrong passwords and passkeys, tries of one code, and mails sent to an address that may not
be the sender's.
`site.account.attempts` defines the keys: the client and the name it gives; for `login_failed_anywhere` and
`mail_to_address`, which hold up no browser that the account knows, the name alone."""
MFA_ADAPTER = "gemserver.site.account.passkey_adapter.PasskeyAdapter"
MFA_SUPPORTED_TYPES = ["webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
"""Passkeys are another way in, never a second factor (docs/decisions/accounts.md)."""
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if PRODUCTION else "http"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("fr", "Français"), ("de", "Deutsch")]
"""Languages with a complete catalogue; a half-translated page is worse than an English one."""
LOCALE_PATHS = [BASE_DIR / "locale", BASE_DIR / "games" / "locale"]
FORMAT_MODULE_PATH = "gemserver.lib.formats"
TIME_ZONE = "UTC"
USE_TZ = True

# --- Mail ----------------------------------------------------------------------------------------

MAIL_DOMAIN = env.text("MAIL_DOMAIN", "gem.localhost")
PLAY_ADDRESS = env.text("PLAY_ADDRESS", f"play@{MAIL_DOMAIN}")
"""The lobby: From of every mail; mail to it is read too."""
PLAY_REPLY = env.text("PLAY_REPLY", f"play+{{token}}@{MAIL_DOMAIN}")
"""Address of one seat; `{token}` is its reply token."""
ACCOUNT_REPLY = env.text("ACCOUNT_REPLY", f"me+{{token}}@{MAIL_DOMAIN}")
"""Address of one account: settings and unsubscribing."""
BOUNCE_REPLY = env.text("BOUNCE_REPLY", f"b+{{token}}@{MAIL_DOMAIN}")
"""Envelope sender of one mail, so that a returned mail says which one it was (VERP)."""
DEFAULT_FROM_EMAIL = SERVER_EMAIL = f"Gem server <{PLAY_ADDRESS}>"
EMAIL_SUBJECT_PREFIX = ""
EMAIL_TIMEOUT = env.number("EMAIL_TIMEOUT", 20, least=1, most=600)
"""Seconds that the relay may be silent at each step of handing a mail over."""
MAIL_AUTH = env.text("MAIL_AUTH", "normal" if PRODUCTION else "off")
"""Proof required of a sender: normal, strict, or off for a machine of one's own (mail-requirements.md S3)."""
MAIL_AUTHSERV_ID = env.text("MAIL_AUTHSERV_ID")
"""Name of our own mail server in `Authentication-Results`; those under any other name do not count.

See mail-requirements.md S2.
"""
SMTP_PROVES_SENDERS = env.flag("SMTP_PROVES_SENDERS")
"""Let the built-in receiver ask DNS about SPF, DKIM and DMARC; not behind a mail server that does."""
MAIL_SIZE_LIMIT = env.number("MAIL_SIZE_LIMIT", 1_000_000, least=10_000, most=100_000_000)
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * MAIL_SIZE_LIMIT
SMTP_HOST = env.text("SMTP_HOST", "127.0.0.1")
SMTP_PORT = env.number("SMTP_PORT", 8025, least=1, most=65535)
"""Port of the built-in receiver."""
SMTP_TLS_CERT, SMTP_TLS_KEY = env.text("SMTP_TLS_CERT"), env.text("SMTP_TLS_KEY")
"""Files of the certificate with which it offers STARTTLS."""
MAIL_RAW_DAYS = env.number("MAIL_RAW_DAYS", 30, least=1, most=3650)
"""Days for which mail is kept as it came (mail-requirements.md M10)."""
MAIL_KEPT_DAYS = env.number("MAIL_KEPT_DAYS", 365, most=36_500)
"""Days after which the rows of mails go, by whole months (`operating/partitions.py`); 0: never. PostgreSQL only."""
AT_BOARD_SECONDS = env.number("AT_BOARD_SECONDS", 600, most=7200)
"""For so long after a look at a turn its player is at the board, and the mail about the next one waits; 0: never."""
MAIL_RATE_ADDRESS = env.number("MAIL_RATE_ADDRESS", 120)
MAIL_RATE_SENDER = env.number("MAIL_RATE_SENDER", 240)
"""Mails an hour that it takes for one seat or account, and from one host and sender; 0 means no limit.

See mail-requirements.md O3.
"""
SIGN_UP_RATE = env.number("SIGN_UP_RATE", 100)
"""Strangers per hour who are asked whether they want an account (mail-requirements.md L9)."""
MAIL_RATE_CONNECTIONS = env.number("MAIL_RATE_CONNECTIONS", 10 if PRODUCTION else 0)
"""Connections per minute from one host; raise it behind a relay of your own."""
MAIL_CONNECTIONS_PER_HOST = env.number("MAIL_CONNECTIONS_PER_HOST", 20)
"""Simultaneous connections from one host, or from one /64 of IPv6; 0 means no limit."""

if PRODUCTION:
    EMAIL_BACKEND = env.text("EMAIL_BACKEND", "django.core.mail.backends.smtp.EmailBackend")
    EMAIL_HOST = env.text("EMAIL_HOST", "localhost")
    EMAIL_PORT = env.number("EMAIL_PORT", 25, least=1, most=65535)
    EMAIL_HOST_USER = env.text("EMAIL_HOST_USER")
    EMAIL_HOST_PASSWORD = env.text("EMAIL_HOST_PASSWORD")
    EMAIL_USE_TLS = env.flag("EMAIL_USE_TLS")
    EMAIL_USE_SSL = env.flag("EMAIL_USE_SSL")
elif EMBEDDED:
    # Nothing leaves the machine: the mail room shows what would have been sent.
    EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
else:
    EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
MAIL_VERP = env.flag(
    "MAIL_VERP", PRODUCTION and EMAIL_BACKEND == "django.core.mail.backends.smtp.EmailBackend"
)
"""Use BOUNCE_REPLY: only where the relay keeps it; providers of Anymail report bounces themselves."""
MAIL_WEBHOOKS = env.words("MAIL_WEBHOOKS")
"""Providers of Anymail whose webhooks are served; each needs its secret in ANYMAIL_…."""
IMAP_HOST, IMAP_PORT = env.text("IMAP_HOST"), env.number("IMAP_PORT", 993, least=1, most=65535)
IMAP_USER, IMAP_PASSWORD = env.text("IMAP_USER"), env.text("IMAP_PASSWORD")
IMAP_TLS, IMAP_TLS_CA = env.text("IMAP_TLS", "yes"), env.text("IMAP_TLS_CA")
"""A mailbox that `manage.py mail --imap` reads; TLS is yes, starttls, or none on the machine itself."""
IMAP_FOLDER = env.text("IMAP_FOLDER", "INBOX")
IMAP_PROCESSED, IMAP_REJECTED = env.text("IMAP_PROCESSED", "Processed"), env.text("IMAP_REJECTED", "Rejected")
"""Folders that mails are moved to; with `-` they stay, marked as seen."""
IMAP_POLL_SECONDS = env.number("IMAP_POLL_SECONDS", 60, least=1, most=3600)
"""Seconds between looks at a mailbox whose server does not announce new mail."""
SES_TOPICS = env.words("SES_TOPICS")
"""The SNS topics (ARN) whose posts count."""

MAIL_KINDS = KINDS
"""The function that writes the mails of each kind, from an outbox row to its content."""
MAIL_WANTED = "gemserver.matches.notifications.is_wanted"
"""Function of an outbox row: True if its reader still wants the mail."""
UNREAD_MAIL = "gemserver.inbox.unread.has_unread_mail"
"""Function of a seat and an instant: True if a mail of its player, received before then, is still unread.

A name, because `matches`, which asks, knows nothing of incoming mail.
"""
LOST_ADDRESS = "gemserver.mailgate.delivery_reports.lose_address"
"""Function of an address that is about to be given up, the reason and the time: what to call once it is.

A name for the same reason.
"""
ANNOUNCER = "gemserver.puzzles.announcements.announce"
"""Function of an outbox row: the words for other channels than mail; None if it leaves by mail alone."""
KEEP_RENDERED_MAIL = EMBEDDED or TESTING
"""Keep the sent text in its row, for the mail room; elsewhere it is dropped once sent."""

# --- Other channels ------------------------------------------------------------------------------

VAPID_KEY = env.text("VAPID_KEY")
"""Key with which push services know this server (`make_vapid_key`); without one no Web Push is offered."""
VAPID_KEY_FALLBACKS = env.words("VAPID_KEY_FALLBACKS")
"""Earlier keys, under which browsers have subscribed."""
HOOK_HOSTS = env.words("HOOK_HOSTS")
"""Hosts and networks, each with a port if not 443 or 80, that hooks may reach although they are not public."""

# --- Programs ------------------------------------------------------------------------------------

API_RATE = env.number("API_RATE", 300, least=1, most=1_000_000)
"""Requests a minute that one personal token may send."""
HOST = env.text("HOST", "127.0.0.1")
WAITING_PORT = env.number("WAITING_PORT", 8001, least=1, most=65535)
"""Where the waiting process listens; HOST and PORT are those of the web processes too (`gemserver.gunicorn`)."""
WAITING = PRODUCTION
"""Tell the waiting process what has changed. Elsewhere there is none, and every request is answered at once."""
WAITING_THREADS = env.number("WAITING_THREADS", 4, least=1, most=100)
WAITING_MOST = env.number("WAITING_MOST", 10_000, least=1)
"""Requests that the waiting process keeps at once."""
WAITING_PER_TOKEN = env.number("WAITING_PER_TOKEN", 4, least=1)
WAITING_PER_ADDRESS = env.number("WAITING_PER_ADDRESS", 100, least=1)
"""For an address, or the network that one person has in IPv6."""

# --- Games and time ------------------------------------------------------------------------------

GAMES = env.words("GAMES", "florentine, gem, gembatan, gemessengers, jewellers")
"""The games that can be played here, by their slugs; other packages' too (`matches.offered_games`)."""
VACATION_DAYS = env.number("VACATION_DAYS", 30, most=366)
"""Days of vacation that each player has in a calendar year."""
CLOCK_OFFSET = env.number("CLOCK_OFFSET", 0, least=-env.MOST) if TESTING else 0
"""Seconds by which the server's clock is ahead of the machine's; for tests that let days pass."""

# --- Work in the background ----------------------------------------------------------------------

NUDGES = not TESTING
CELERY_BROKER_URL = env.address("REDIS_URL") if PRODUCTION else "memory://localhost/"
CELERY_BROKER_TRANSPORT = f"gemserver.lib.process.{'broker' if PRODUCTION else 'broker_in_memory'}:Transport"
CELERY_BROKER_USE_SSL = (
    {"ssl_cert_reqs": CERT_REQUIRED} if CELERY_BROKER_URL.startswith("rediss://") else None
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"socket_timeout": 5, "socket_connect_timeout": 3} if PRODUCTION else {"polling_interval": 0.02}
)
CELERY_TASK_QUEUES: dict[str, dict[str, str]] = {name: {} for name in QUEUES}
"""A worker takes from them in turn, so that no pile of mails keeps it from the clocks; the thinker from "thinking"."""
CELERY_TASK_ROUTES = ROUTES
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_TIME_LIMIT = 300
"""Seconds after which the process of a task is killed: longer than any task, as each of its waits has a bound."""
CELERY_TASK_PUBLISH_RETRY_POLICY = {
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.2,
    "interval_max": 0.5,
}
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# No more tasks than can be worked on at once, so that the others are there for every worker; only Redis supports it.
CELERY_WORKER_DISABLE_PREFETCH = PRODUCTION
CELERY_WORKER_CONCURRENCY = env.number("WORKER_CONCURRENCY", 0, most=1000) or None
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 20
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
SWEEP_SECONDS = env.number("SWEEP_SECONDS", 10, least=1, most=600)
"""Seconds between sweeps for each kind of waiting row, should its nudge have been lost."""
CLAIM_SECONDS = env.number("CLAIM_SECONDS", 120, least=1, most=86_400)
"""Seconds for which a worker has a mail to itself; one whose worker died is taken up again after this."""
WORKER_STILL = max(60, 6 * SWEEP_SECONDS)
"""Seconds without a task after which a worker checks whether work passes it by (`operating/watchdog.py`)."""
CELERY_TASK_ANNOTATIONS = {
    # Tasks claim mails for ten seconds at most; they must end before such a claim does, lest two workers hold one mail.
    **{
        f"gemserver.{task}": {"time_limit": max(CLAIM_SECONDS, 60)}
        for task in ("mailgate.tasks.read_mail", "notify.tasks.send_mail", "notify.tasks.send_to_channels")
    },
    "gemserver.operating.tasks.forget_old_data": {"time_limit": 1800},
    "gemserver.operating.tasks.keep_partitions": {"time_limit": 1800},
    "gemserver.archive.tasks.build_archive": {"time_limit": 3600},
}
CELERY_BEAT_SCHEDULE = schedule(SWEEP_SECONDS, watches=not EMBEDDED)

IN_CONTAINERS = env.flag("IN_CONTAINERS")
"""Each process has a network of its own, so that `doctor` cannot look at the others by their ports."""
BACKUP_DIR = Path(
    env.text("BACKUP_DIR", "/var/backups/gemserver" if PRODUCTION else str(VAR_DIR / "backups"))
)
"""Where `backup` puts its files; `doctor` looks whether there is a fresh one."""

LEGAL_DIR = env.text("LEGAL_DIR")
"""Folder with the operator's `imprint.de.md`, `privacy.de.md` and so on; empty: there are no such pages."""

# --- Monitoring ----------------------------------------------------------------------------------

OPERATORS = env.words("OPERATORS")
"""Addresses that are told when mail or the scheduler stand still; empty: nobody."""
MAIL_DKIM_SELECTORS = env.words("MAIL_DKIM_SELECTORS")
"""Names of the keys with which our mail is signed; `check_mail` looks them up."""
METRICS_TOKEN = env.text("METRICS_TOKEN")
"""Token required to read /metrics; without one there is no such page."""

LOGGING = configuration(
    as_json=PRODUCTION, level=env.choice("LOG_LEVEL", "INFO" if PRODUCTION else "WARNING", LEVELS)
)
