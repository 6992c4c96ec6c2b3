"""How gunicorn serves the site; `docs/operating.md` lists the variables."""

from __future__ import annotations

from gemserver.lib import env

bind = f"{env.text('HOST', '127.0.0.1')}:{env.number('PORT', 8000)}"
worker_class = "gthread"
workers = env.number("WEB_CONCURRENCY", 2)
threads = env.number("WEB_THREADS", 4)
timeout = 30
graceful_timeout = 20
control_socket_disable = True
# Unsubscribe links carry account tokens: whoever wants a log of requests has the proxy write one without them.
accesslog = None
