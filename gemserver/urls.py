"""Every address of the site."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from gemserver.mailgate.held import held
from gemserver.mailgate.receivers import webhooks
from gemserver.mailgate.try_again import try_again
from gemserver.matches.web.unsubscribe_views import unsubscribe
from gemserver.operating.metrics import metrics
from gemserver.operating.probes import healthz, readyz
from gemserver.profile import sign_up

handler500 = "gemserver.lib.busy.error_page"
urlpatterns = [
    path("", include("gemserver.matches.web.urls")),
    path("mail-room/", include("gemserver.mailgate.mailroom.urls")),
    path("mail/held/<int:pk>/<str:mac>/", held, name="held"),
    path("mail/try-again/", try_again, name="try-address-again"),
    path("anymail/<slug:provider>/inbound/", webhooks.inbound, name="webhook_inbound"),
    path("anymail/<slug:provider>/inbound_mime/", webhooks.inbound),
    path("anymail/<slug:provider>/tracking/", webhooks.tracking, name="webhook_tracking"),
    path("u/<str:token>/", unsubscribe, name="unsubscribe"),
    path("u/<str:token>/<slug:category>/", unsubscribe, name="unsubscribe"),
    path("accounts/signup/", sign_up.SignUp.as_view(), name="account_signup"),
    path("accounts/signup/again/", sign_up.begin_again, name="sign-up-again"),
    path("accounts/", include("allauth.urls")),
    path("you/", include("gemserver.profile.urls")),
    path("admin/", admin.site.urls),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
]
