"""Every address of the site."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from gemserver.mailgate.held import held
from gemserver.notify.unsubscribe import unsubscribe

urlpatterns = [
    path("u/<str:token>/", unsubscribe, name="unsubscribe"),
    path("mail/held/<int:pk>/<str:mac>/", held, name="held"),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
]
