"""Every address of the site."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from gemserver.notify.unsubscribe import unsubscribe

urlpatterns = [
    path("u/<str:token>/", unsubscribe, name="unsubscribe"),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
]
