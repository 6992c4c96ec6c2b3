"""URLs of a player's own account."""

from __future__ import annotations

from django.urls import path

from gemserver.site.account import views

urlpatterns = [
    path("", views.profile, name="profile"),
    path("unblock/", views.unblock, name="unblock"),
    path("export/", views.download, name="export"),
    path("erase/", views.erase, name="erase"),
]
