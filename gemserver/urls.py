"""Every address of the server: the site's pages, the providers' webhooks, the moderators' site, the probes."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path, register_converter
from django.urls.converters import StringConverter

from gemserver.api import entry
from gemserver.mailgate.receivers import webhooks
from gemserver.operating.metrics import metrics
from gemserver.operating.probes import healthz, readyz


class Rest(StringConverter):
    """Everything that follows, line feeds too, so that no address of the API is answered as a page."""

    regex = "(?s:.*)"


register_converter(Rest, "rest")

handler400 = "gemserver.lib.web.bad_requests.error_page"
handler500 = "gemserver.lib.web.busy.error_page"
urlpatterns = [
    path("api/v1/<rest:rest>", entry.answer, name="api-answer"),
    path("", include("gemserver.site.urls")),
    path("anymail/<slug:provider>/inbound/", webhooks.inbound, name="webhook_inbound"),
    path("anymail/<slug:provider>/inbound_mime/", webhooks.inbound),
    path("anymail/<slug:provider>/tracking/", webhooks.tracking, name="webhook_tracking"),
    path("admin/", admin.site.urls),
    path("api/", entry.guide, name="api"),
    path("api/examples/", entry.examples, name="api-examples"),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
]
