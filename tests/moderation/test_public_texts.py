"""Texts of clubs and events about themselves are reported by readers, and taken away by moderators."""

from __future__ import annotations

import pytest
from django.test import Client

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.clubs.models import Club
from gemserver.events.models import Event
from gemserver.inbox.erasure import erase
from gemserver.lib import clock
from gemserver.matches.actions.clubs.leave_club import set_role
from gemserver.matches.actions.clubs.open_club import change_club
from gemserver.matches.actions.clubs.post_news import post_news
from gemserver.matches.actions.clubs.report_club import report_club
from gemserver.matches.models import Report
from gemserver.matches.refusal import Refused
from gemserver.moderation.models import AuditEntry
from tests.api.programs import Program
from tests.builders import make_user
from tests.clubs.people import make_club
from tests.events.leagues import make_event
from tests.mailgate.posting import codes, one_line, sent_to, write
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

ANSWERED = "Your report is with the moderators."


@pytest.fixture
def cy() -> User:
    return make_user("cy")


@pytest.fixture
def mod() -> User:
    return make_user("mod", role=Role.MODERATOR)


@pytest.fixture
def panel(mod: User) -> Client:
    return signed_in(mod)


@pytest.fixture
def club(ana: User) -> Club:
    club = make_club("Lake", ana, is_private=False)
    given = {"name": "Lake", "is_private": False, "is_asked_first": True, "now": clock.now()}
    change_club(club.pk, ana, about="nasty words", **given)  # type: ignore[arg-type]
    post_news(club.pk, ana, "nasty news", now=clock.now())
    return club


@pytest.fixture
def event(ana: User) -> Event:
    return make_event(ana, about="nasty words")


def closed(panel: Client, report: Report) -> None:
    url = f"/admin/actions/close-report/{report.pk}/"
    fields = {"request_key": panel.get(url).context["request_key"], "reason": "Seen.", "answer": "Thanks."}
    assert panel.post(url, fields).status_code == 302


def test_a_club_is_reported_on_its_page_and_the_moderators_see_what_stood_there(
    club: Club, ana: User, ben: User, mod: User, panel: Client
) -> None:
    assert "Report to the moderators" not in Client().get("/clubs/lake/").content.decode()
    browser, asked = signed_in(ben), {"do": "report", "why": "That insults Cy."}
    assert ANSWERED in read(browser.post("/clubs/lake/", asked, follow=True)).text
    given = {"name": "Lake", "is_private": False, "is_asked_first": True, "now": clock.now()}
    change_club(club.pk, ana, about="kind words", **given)  # type: ignore[arg-type]
    text = one_line(sent_to(mod)[-1])
    for part in ("ben asks the moderators to look at Lake.", "That insults Cy.", "nasty words", "nasty news"):
        assert part in text
    assert "That insults Cy." in read(panel.get("/admin/")).text
    report = Report.objects.get()
    page = panel.get(f"/admin/matches/report/{report.pk}/change/").content.decode()
    for empty in ("field-timeline", "field-message_text"):
        assert empty not in page, "a club has no match and no message"
    assert "nasty words" in page
    assert f"/admin/actions/clear-club/{club.pk}/" in page
    closed(panel, report)
    assert "A moderator has dealt with your report about Lake." in one_line(sent_to(ben)[-1])


def test_an_event_is_reported_on_its_page_and_by_a_program(
    event: Event, ben: User, cy: User, mod: User
) -> None:
    asked = {"do": "report", "why": "That insults Cy."}
    page = signed_in(ben).post("/events/league/", asked, follow=True)
    assert ANSWERED in read(page).text
    program = Program.of(cy)
    assert program.post("events/league/report", {"text": "It is nasty."}).status_code == 200
    assert [row.about for row in Report.objects.order_by("pk")] == [f"event:{event.pk}"] * 2
    assert "nasty words" in one_line(sent_to(mod)[-1])


def test_a_club_is_reported_by_mail_and_by_a_program(club: Club, ben: User, cy: User) -> None:
    assert codes(write(ben, "club lake report Its news insult Cy")) == ["done"]
    assert "Your report about Lake is with the moderators" in one_line(sent_to(ben)[-1])
    assert Program.of(cy).post("clubs/lake/report", {"text": "It is nasty."}).status_code == 200
    assert {row.text for row in Report.objects.all()} == {"Its news insult Cy", "It is nasty."}


def test_one_report_waits_at_a_time_and_one_without_words_is_refused(club: Club, ben: User, cy: User) -> None:
    now = clock.now()
    first = report_club(club.pk, ben, "Look.", now=now)
    assert report_club(club.pk, ben, "Look again.", now=now) == first
    page = signed_in(cy).post("/clubs/lake/", {"do": "report", "why": " "})
    assert (page.status_code, Report.objects.count()) == (422, 1)


def test_what_a_stranger_may_not_see_they_cannot_report(
    ana: User, ben: User, cy: User, panel: Client
) -> None:
    den = make_club("Den", ana, ben)
    with pytest.raises(Refused, match="no-such-club"):
        report_club(den.pk, cy, "Look.", now=clock.now())
    address = f"/admin/clubs/club/{den.pk}/change/"
    assert "Den" not in panel.get("/admin/clubs/club/").content.decode()
    assert panel.get(address).status_code == 302
    report_club(den.pk, ben, "Look.", now=clock.now())
    assert "Den" in panel.get(address).content.decode()


@pytest.mark.parametrize("kind", ["club", "event"])
def test_texts_are_taken_away_and_who_wrote_them_is_told(
    kind: str, club: Club, event: Event, ana: User, panel: Client
) -> None:
    subject = club if kind == "club" else event
    url = f"/admin/actions/clear-{kind}/{subject.pk}/"
    page = panel.get(url)
    parts = ["name", "about", "news"] if kind == "club" else ["name", "about"]
    fields = {"parts": parts, "note": "Do not insult people.", "reason": "Insults."}
    assert panel.post(url, {**fields, "request_key": page.context["request_key"]}).status_code == 302
    subject.refresh_from_db()
    assert (subject.name, subject.slug, subject.about) == (
        f"{kind} {subject.pk}",
        f"{kind}-{subject.pk}",
        "",
    )
    assert kind == "event" or not club.news.exists()
    text = one_line(sent_to(ana)[-1])
    assert f"Moderators have taken texts of your {kind} {subject.name} away:" in text
    assert "Do not insult people." in text
    assert "nasty" not in text
    entry = AuditEntry.objects.get()
    assert (entry.verb, entry.subject) == (f"clear-{kind}", f"{kind} {subject.pk}")
    assert signed_in(ana).get(f"/{kind}s/{subject.slug}/").status_code == 200


def test_a_moderator_leaves_a_club_of_theirs_to_others(club: Club, ana: User, ben: User, mod: User) -> None:
    club.members.create(user=mod, joined_at=clock.now())
    set_role(club.pk, ana, "mod", club.members.get(user=ana).Role.ORGANISER)
    report = report_club(club.pk, ben, "reportmark", now=clock.now())
    assert not [mail for mail in sent_to(mod) if "reportmark" in str(mail.body)]
    panel = signed_in(mod)
    assert "reportmark" not in panel.get("/admin/").content.decode()
    assert panel.get(f"/admin/matches/report/{report.pk}/change/").status_code == 302
    assert panel.get(f"/admin/actions/close-report/{report.pk}/").status_code == 403
    assert panel.get(f"/admin/actions/clear-club/{club.pk}/").status_code == 403


def test_a_report_is_called_by_the_name_of_its_club_and_takes_one_line_of_the_list(
    club: Club, ben: User, panel: Client
) -> None:
    report_club(club.pk, ben, "It is rude. " + "Very rude. " * 30, now=clock.now())
    report = Report.objects.get()
    page = read(panel.get(f"/admin/matches/report/{report.pk}/change/")).text
    assert f"club:{club.pk}" not in page
    listed = read(panel.get("/admin/matches/report/")).text
    assert "It is rude. Very" in listed
    assert listed.count("Very rude.") < 10


def test_reports_keep_no_words_of_who_has_erased_the_account(
    club: Club, event: Event, ana: User, ben: User, mod: User, panel: Client
) -> None:
    report_club(club.pk, ben, "BEN SAYS SO", now=clock.now())
    signed_in(ben).post("/events/league/", {"do": "report", "why": "BEN SAYS SO"})
    erase(ana, now=clock.now())
    kept = list(Report.objects.values_list("text", "quoted"))
    assert kept == [("BEN SAYS SO", "")] * 2, "what the author wrote goes with the author"
    erase(ben, now=clock.now())
    assert set(Report.objects.values_list("text", "quoted")) == {("", "")}
    assert panel.get("/admin/matches/report/").status_code == 200
