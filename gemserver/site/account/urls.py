"""URLs of a player's own account."""

from __future__ import annotations

from django.urls import path

from gemserver.site.account import bot_views, channel_views, own_mail_views, passkey_views, token_views, views

urlpatterns = [
    path("", views.profile, name="profile"),
    path("unblock/", views.unblock, name="unblock"),
    path("export/", views.download, name="export"),
    path("channels/", channel_views.channels, name="channels"),
    path("mails/", own_mail_views.own_mails, name="own-mails"),
    path("passkeys/", passkey_views.passkeys, name="passkeys"),
    path("passkeys/new/", passkey_views.new_passkey, name="new-passkey"),
    path("passkeys/remove/", passkey_views.remove_passkey, name="remove-passkey"),
    path("tokens/", token_views.tokens, name="tokens"),
    path("tokens/new/<str:ticket>/", token_views.by_link, name="token-link"),
    path("bots/", bot_views.bots, name="bots"),
    path("bots/<str:name>/", bot_views.bot, name="bot"),
    path("erase/", views.erase, name="erase"),
]
