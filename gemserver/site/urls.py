"""URLs of the site's pages."""

from __future__ import annotations

from django.urls import include, path, register_converter
from django.urls.converters import StringConverter
from django.views.generic import TemplateView

from gemserver.site import install, news
from gemserver.site.account import (
    address_views,
    demo_views,
    held_mail_views,
    notification_views,
    passkey_views,
    sign_up,
    time_views,
    try_again,
    unsubscribe_views,
)
from gemserver.site.clubs import club_views
from gemserver.site.events import event_views
from gemserver.site.feeds import feed_views
from gemserver.site.lists import archive_views, follow_views, help_page, legal_page, lobby_views, results_view
from gemserver.site.match import (
    hint_views,
    holiday_views,
    match_views,
    picture_views,
    plan_views,
    resign_views,
    review_views,
    sitter_views,
    talk_views,
    what_if_views,
)
from gemserver.site.puzzles import puzzle_views
from gemserver.site.share import share_views
from gemserver.site.tables import invitation_views, practice_views, table_views
from gemserver.site.tutorial import tutorial_views


class SmallCode(StringConverter):
    """The code of a match in small letters, as people type it."""

    regex = "m[0-9]+"


register_converter(SmallCode, "small_code")

urlpatterns = [
    path("", lobby_views.home, name="home"),
    path("news/", news.news, name="news"),
    path("manifest.webmanifest", install.manifest, name="manifest"),
    path("m/<small_code:code>/", match_views.to_capitals),
    path("m/<small_code:code>/<path:rest>", match_views.to_capitals),
    path("s/<small_code:code>/", match_views.to_capitals),
    path("s/<small_code:code>/<path:rest>", match_views.to_capitals),
    path("s/<small_code:code>.<path:rest>", match_views.to_capitals),
    path("demo/sign-in/", demo_views.demo_sign_in, name="demo-sign-in"),
    path("m/<str:code>/", match_views.match, name="match"),
    path("m/<str:code>/ply/<int:number>/", match_views.ply, name="match-ply"),
    path("m/<str:code>/plies/<int:number>/", match_views.plies, name="match-plies"),
    path("m/<str:code>/seats/<int:index>/take/", match_views.take_over, name="match-take-seat"),
    path("m/<str:code>/return/", match_views.come_back, name="match-return"),
    path("m/<str:code>/progress/", match_views.progress, name="match-progress"),
    path("m/<str:code>/moves/", match_views.moves, name="match-moves"),
    path("m/<str:code>/board.svg", picture_views.picture, name="match-picture"),
    path("m/<str:code>/deal/", match_views.deal, name="match-deal"),
    path("m/<str:code>/record.match", match_views.record, name="match-record"),
    path("m/<str:code>/holiday/", holiday_views.holiday, name="match-holiday"),
    path("m/<str:code>/orders/", plan_views.orders, name="match-orders"),
    path("m/<str:code>/talk/", talk_views.say_to_table, name="match-talk"),
    path("m/<str:code>/talk/tune/", talk_views.tune_talk, name="match-tune-talk"),
    path("m/<str:code>/notes/", talk_views.keep_notes, name="match-notes"),
    path("m/<str:code>/report/", talk_views.report, name="match-report"),
    path("m/<str:code>/hint/", hint_views.hint, name="match-hint"),
    path("m/<str:code>/review/", review_views.review, name="match-review"),
    path("m/<str:code>/what-if/", what_if_views.what_ifs, name="match-what-ifs"),
    path("m/<str:code>/what-if/<str:key>/", what_if_views.what_if, name="match-what-if"),
    path("m/<str:code>/what-if/<str:key>/change/", what_if_views.change, name="match-what-if-change"),
    path("m/<str:code>/what-if/<str:key>/report/", what_if_views.report, name="match-what-if-report"),
    path("m/<str:code>/what-if/<str:key>/<int:number>/", what_if_views.what_if, name="match-what-if-move"),
    path(
        "m/<str:code>/what-if/<str:key>/<int:number>/moves/",
        what_if_views.moves,
        name="match-what-if-moves",
    ),
    path("m/<str:code>/resign/", resign_views.resign, name="match-resign"),
    path("m/<str:code>/sitter/", sitter_views.sitter, name="match-sitter"),
    path("s/<str:code>/", share_views.page, name="share"),
    path("s/<str:code>/<int:number>/", share_views.page, name="share-ply"),
    path("s/<str:code>/<int:number>.png", share_views.picture, name="share-picture-ply"),
    path("s/<str:code>.png", share_views.picture, name="share-picture"),
    path("s/<str:code>.gif", share_views.loop, name="share-loop"),
    path("practice/<slug:game>/", practice_views.practice, name="practice"),
    path("puzzles/", puzzle_views.puzzles, name="puzzles"),
    path("puzzles/<str:day>/", puzzle_views.puzzle, name="puzzle"),
    path("puzzles/<str:day>/moves/", puzzle_views.moves, name="puzzle-moves"),
    path("events/", event_views.events, name="events"),
    path("events/new/", event_views.choose_event_game, name="choose-event-game"),
    path("events/new/<slug:game>/", event_views.new_event, name="new-event"),
    path("events/<slug:slug>/", event_views.event, name="event"),
    path("events/<slug:slug>/<int:number>/", event_views.event, name="event-season"),
    path("tables/", lobby_views.tables, name="tables"),
    path("tables/substitutes/", lobby_views.substitutes, name="substitutes"),
    path("matches/", lobby_views.matches, name="matches"),
    path("players/", lobby_views.players, name="players"),
    path("games/<slug:slug>/", lobby_views.game, name="game"),
    path("games/<slug:slug>/leaderboard/", lobby_views.leaderboard, name="leaderboard"),
    path("games/<slug:slug>/tutorial/", tutorial_views.tutorial, name="tutorial"),
    path("games/<slug:slug>/tutorial/<slug:name>/", tutorial_views.step, name="tutorial-step"),
    path("games/<slug:slug>/tutorial/<slug:name>/moves/", tutorial_views.moves, name="tutorial-moves"),
    path("games/<slug:slug>/tutorial/<slug:name>/board.svg", tutorial_views.picture, name="tutorial-picture"),
    path("players/<str:name>/", lobby_views.player, name="player"),
    path("players/<str:name>/follow/", follow_views.follow, name="follow"),
    path("archive/", archive_views.archive, name="archive"),
    path("archive/<str:name>", archive_views.archive_file, name="archive-file"),
    path("fair-play/", TemplateView.as_view(template_name="matches/fair_play.html"), name="fair-play"),
    path("help/", help_page.help_page, name="help"),
    path("imprint/", legal_page.imprint, name="imprint"),
    path("privacy/", legal_page.privacy, name="privacy"),
    path("ratings/<slug:game>.csv", results_view.results, name="results"),
    path("clubs/", club_views.clubs, name="clubs"),
    path("clubs/new/", club_views.new_club, name="new-club"),
    path("clubs/<slug:slug>/", club_views.club, name="club"),
    path("clubs/<slug:slug>/edit/", club_views.edit_club, name="edit-club"),
    path("tables/new/", table_views.choose_game, name="choose-game"),
    path("tables/new/<slug:game>/", table_views.new_table, name="new-table"),
    path("m/<str:code>/table/", table_views.change_table, name="table-change"),
    path("m/<str:code>/table/progress/", table_views.progress, name="table-progress"),
    path("m/<str:code>/rematch/", table_views.rematch, name="match-rematch"),
    path("m/<str:code>/terms/", table_views.terms, name="table-terms"),
    path("m/<str:code>/cancel/", table_views.cancel, name="table-cancel"),
    path("m/<str:code>/link/<str:token>/", table_views.by_link, name="table-link"),
    path("invitations/<int:pk>/<str:token>/", invitation_views.invitation, name="invitation"),
    path("invitations/<int:pk>/<str:token>/stop/", invitation_views.stop, name="invitation-stop"),
    path("time/", time_views.time, name="time"),
    path("notifications/", notification_views.notifications, name="notifications"),
    path("feeds/<str:token>/moves.ics", feed_views.calendar, name="feed-calendar"),
    path("feeds/<str:token>/news.atom", feed_views.news, name="feed-news"),
    path("m/<str:code>/notifications/", notification_views.match_notifications, name="match-notifications"),
    path("rules/<slug:slug>/", lobby_views.rules, name="rules"),
    path("mail/held/<int:pk>/<str:mac>/", held_mail_views.held, name="held"),
    path("mail/try-again/", try_again.try_again, name="try-address-again"),
    path("u/<str:token>/", unsubscribe_views.unsubscribe, name="unsubscribe"),
    path("u/<str:token>/<slug:category>/", unsubscribe_views.unsubscribe, name="unsubscribe"),
    path("accounts/signup/", sign_up.SignUp.as_view(), name="account_signup"),
    path("accounts/signup/again/", sign_up.begin_again, name="sign-up-again"),
    path("accounts/email/", address_views.Addresses.as_view(), name="account_email"),
    path("accounts/login/", passkey_views.SignIn.as_view(), name="account_login"),
    path("accounts/passkey/", passkey_views.passkey_sign_in, name="passkey-sign-in"),
    path("accounts/", include("allauth.account.urls")),
    path("accounts/sessions/", include("allauth.usersessions.urls")),
    path("you/", include("gemserver.site.account.urls")),
    path("mail-room/", include("gemserver.site.mailroom.urls")),
]
