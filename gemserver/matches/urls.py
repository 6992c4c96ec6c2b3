"""Addresses of the pages about matches."""

from __future__ import annotations

from django.urls import path

from gemserver.matches import time_views, views
from gemserver.matches.demo_views import demo_sign_in

urlpatterns = [
    path("", views.home, name="home"),
    path("demo/sign-in/", demo_sign_in, name="demo-sign-in"),
    path("m/<str:code>/", views.match, name="match"),
    path("m/<str:code>/ply/<int:number>/", views.ply, name="match-ply"),
    path("m/<str:code>/seats/<int:index>/take/", views.take_over, name="match-take-seat"),
    path("m/<str:code>/progress/", views.progress, name="match-progress"),
    path("m/<str:code>/deal/", views.deal, name="match-deal"),
    path("m/<str:code>/record.match", views.record, name="match-record"),
    path("m/<str:code>/holiday/", time_views.holiday, name="match-holiday"),
    path("time/", time_views.time, name="time"),
    path("rules/<slug:slug>/", views.rules, name="rules"),
]
