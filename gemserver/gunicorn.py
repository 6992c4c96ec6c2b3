"""Configuration of gunicorn; `docs/operating.md` lists the variables."""

from __future__ import annotations

from gemserver.lib.process import env
from gemserver.lib.process.log_setup import LEVELS, configuration

bind = f"{env.text('HOST', '127.0.0.1')}:{env.number('PORT', 8000, least=1, most=65535)}"
worker_class = "gthread"
workers = env.number("WEB_CONCURRENCY", 2, least=1, most=1000)
threads = env.number("WEB_THREADS", 4, least=1, most=1000)
timeout = 30
graceful_timeout = 20
# What nginx lets through comes to the site, whose refusals people and programs can read.
limit_request_line = 8190
limit_request_field_size = 32_768
control_socket_disable = True
# Some addresses carry tokens: the site logs requests itself, without them.
accesslog = None
logconfig_dict = configuration(as_json=True, level=env.choice("LOG_LEVEL", "INFO", LEVELS))
