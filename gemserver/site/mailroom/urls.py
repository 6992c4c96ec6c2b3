"""URLs of the mail room; each answers 404 unless this is the embedded server."""

from __future__ import annotations

from django.urls import path

from gemserver.site.mailroom import views

urlpatterns = [
    path("", views.room, name="mail-room"),
    path("new/", views.compose, name="mail-room-new"),
    path("sent/<int:pk>/", views.letter, name="mail-room-letter"),
    path("sent/<int:pk>/html/", views.letter_html, name="mail-room-html"),
    path("received/<int:pk>/", views.received, name="mail-room-received"),
    path("received/<int:pk>/progress/", views.received_progress, name="mail-room-progress"),
]
