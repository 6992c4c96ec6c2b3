"""Addresses of the mail room; each answers 404 unless the server is the embedded one."""

from __future__ import annotations

from django.urls import path

from gemserver.mailgate import mailroom_views

urlpatterns = [
    path("", mailroom_views.room, name="mail-room"),
    path("new/", mailroom_views.compose, name="mail-room-new"),
    path("sent/<int:pk>/", mailroom_views.letter, name="mail-room-letter"),
    path("sent/<int:pk>/html/", mailroom_views.letter_html, name="mail-room-html"),
    path("received/<int:pk>/", mailroom_views.received, name="mail-room-received"),
    path("received/<int:pk>/progress/", mailroom_views.received_progress, name="mail-room-progress"),
]
