"""Every action requires a reason and a role, is audited, told to the table, and carried out once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from gemserver.accounts import bans, mutes
from gemserver.accounts.models import UnreachableAddress, User
from gemserver.accounts.roles import Role
from gemserver.events.actions.close_event import close_event
from gemserver.lib import clock
from gemserver.matches.actions.clubs.open_club import open_club
from gemserver.matches.actions.clubs.post_news import post_news
from gemserver.matches.actions.play.adjudicate import adjudicate
from gemserver.matches.actions.play.void_moves import void_moves
from gemserver.matches.actions.talk.report_abuse import report_abuse
from gemserver.matches.actions.talk.say import say
from gemserver.matches.actions.time.pause_match import pause_match
from gemserver.matches.models import Match, Notice, Seat
from gemserver.matches.refusal import Refused
from gemserver.moderation import audit
from gemserver.moderation.actions import ACTIONS
from gemserver.moderation.actions.action import ActionRequest, perform
from gemserver.moderation.models import AuditEntry
from gemserver.notify.models import OutboxMessage
from gemserver.study.models import WhatIf
from tests.builders import make_match, make_user, play
from tests.events.leagues import make_event, season_of
from tests.mailgate.letters import letter, receive
from tests.mailgate.posting import one_line, sent_to, write
from tests.moderation.addresses import least_role
from tests.quick import one_in
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

REASON = "a reason nobody else would give"
ROLES = [Role.HELPER, Role.MODERATOR, Role.ADMINISTRATOR]


@pytest.fixture
def table() -> Match:
    """Ana, Ben and Cy at GEM, always with the same deal."""
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    return make_match(players=players, server_part="5" * 64, now=clock.now())


def _asked(match: Match) -> Seat:
    return match.seats.select_related("user", "match").get(is_waiting=True)


# --- The subject of each action --------------------------------------------------------------------


def _paused(match: Match) -> str:
    pause_match(match.pk, "a storm", now=clock.now())
    return match.code


def _begun(match: Match) -> str:
    play(match, _asked(match).index, "bid 1", now=clock.now())
    return match.code


def _taken_back(match: Match) -> str:
    void_moves(Match.objects.get(code=_begun(match)).pk, from_ply=1, why="A slip.", now=clock.now())
    return match.code


def _seat(match: Match) -> int:
    return _asked(match).pk


def _given_up(match: Match) -> int:
    """The failed receipt of an answer by mail."""
    receive(_asked(match), letter(_asked(match), "bid 1"))
    OutboxMessage.objects.filter(kind="receipt").update(state="failed")
    return OutboxMessage.objects.get(kind="receipt").pk


def _held(match: Match) -> int:
    row = receive(_asked(match), letter(_asked(match), "bid 1", sender="work@example.net"))
    assert row.state == "held"
    return row.pk


def _shut(match: Match) -> str:
    bans.ban_user(User.objects.get(username="ana"), "Insults.", now=clock.now())
    return "ana"


def _muted(match: Match) -> str:
    until = clock.now() + timedelta(days=1)
    mutes.mute(User.objects.get(username="ana"), "Insults.", until=until, now=clock.now())
    return "ana"


def _shut_address(match: Match) -> str:
    bans.ban_address("ana@example.org", "Insults.", now=clock.now())
    return "ana@example.org"


def _unreachable(match: Match) -> str:
    UnreachableAddress.objects.create(address="ana@example.org", why="bounced", since=clock.now())
    return "ana@example.org"


def _unproved(match: Match) -> int:
    ana = User.objects.get(username="ana")
    return int(EmailAddress.objects.create(user=ana, email="ana@work.example", verified=False).pk)


def _said(match: Match) -> int:
    return say(match.pk, User.objects.get(username="ana"), "something nasty", "r", now=clock.now()).pk


def _reported(match: Match) -> int:
    ben = User.objects.get(username="ben")
    return report_abuse(match.pk, ben, "look there", now=clock.now(), message_id=_said(match)).pk


def _what_if(match: Match) -> int:
    ana, now = User.objects.get(username="ana"), clock.now()
    row = WhatIf(
        match=match, user=ana, key="rude", name="something nasty", ply=0, begun_at=now, changed_at=now
    )
    row.save()
    return row.pk


def _club(match: Match) -> int:
    club = open_club(User.objects.get(username="ana"), name="Nasty", about="nasty words", now=clock.now())
    post_news(club.pk, User.objects.get(username="ana"), "nasty news", now=clock.now())
    return club.pk


def _event(match: Match) -> int:
    event = make_event(User.objects.get(username="ana"), slug="nasty", name="Nasty", about="nasty words")
    season_of(event).log.create(event=event, at=clock.now(), kind="closed", reason="nasty reason")
    return event.pk


def _code(match: Match) -> str:
    return match.code


def _ana(match: Match) -> str:
    return "ana"


def _address(match: Match) -> str:
    return "ana@example.org"


def _rated(match: Match) -> str:
    adjudicate(match.pk, [0], "late", now=clock.now())
    Match.objects.filter(pk=match.pk).update(is_rated=True)
    return match.code


CASES: Mapping[str, tuple[Callable[[Match], object], Mapping[str, object]]] = {
    "pause": (_code, {}),
    "resume": (_paused, {}),
    "void": (_begun, {"ply": 1}),
    "restore": (_taken_back, {}),
    "adjudicate": (_code, {"winners": ["1"]}),
    "unrate": (_rated, {}),
    "extend": (_seat, {"hours": 5}),
    "replace": (_seat, {"player": "eve"}),
    "open-seat": (_seat, {}),
    "to-bot": (_seat, {}),
    "resend": (_given_up, {}),
    "release": (_held, {}),
    "reject": (_held, {}),
    "ban": (_ana, {"note": "Insults."}),
    "lift-ban": (_shut, {}),
    "mute": (_ana, {"note": "Insults.", "until": f"{clock.now() + timedelta(days=2):%Y-%m-%d}"}),
    "lift-mute": (_muted, {}),
    "give-role": (_ana, {"role": "1"}),
    "verify-address": (_unproved, {}),
    "ban-address": (_address, {"note": "Insults."}),
    "lift-address": (_shut_address, {}),
    "try-address": (_unreachable, {}),
    "remove-message": (_said, {}),
    "clear-name": (_what_if, {}),
    "close-report": (_reported, {"answer": "Done."}),
    "clear-club": (_club, {"parts": ["name", "about", "news", "listing"], "note": "Insults."}),
    "clear-event": (_event, {"parts": ["name", "about", "reasons"], "note": "Insults."}),
}
"""By verb: a function that makes the subject and returns its key, and the form's other fields."""

NOT_TOLD = {
    *("mute", "lift-mute", "ban", "lift-ban"),
    *("give-role", "verify-address", "ban-address", "lift-address", "try-address"),
}
NOT_TOLD |= {"close-report", "clear-name", "clear-club", "clear-event"}
"""Actions on people, not tables, and on reports and what-ifs, which the table must not learn of."""


def test_every_action_has_a_case() -> None:
    assert CASES.keys() == ACTIONS.keys()


def address(verb: str, match: Match) -> tuple[str, dict[str, object]]:
    """The address of the action's page, and the fields to fill in there."""
    key, fields = CASES[verb]
    return f"/admin/actions/{verb}/{key(match)}/", {"reason": REASON, **fields}


def opened(panel: Client, url: str) -> dict[str, object]:
    """The hidden fields of the form."""
    page = panel.get(url)
    assert page.status_code == 200
    return {name: page.context[name] for name in ("request_key", "seen")}


def traces() -> tuple[int, ...]:
    return AuditEntry.objects.count(), Notice.objects.count(), OutboxMessage.objects.count()


# --- All actions ------------------------------------------------------------------------------------


def test_no_moderator_takes_a_seat(table: Match) -> None:
    """They have seen what lies hidden in the other seats."""
    admin = make_user("admin", role=Role.ADMINISTRATOR)
    panel = signed_in(admin)
    url, fields = address("replace", table)
    page = panel.post(url, {**opened(panel, url), **fields, "player": "admin"})
    assert "You cannot put yourself in" in read(page).text
    assert not table.seats.filter(user=admin).exists()


@pytest.mark.parametrize("verb", ["clear-name", "clear-club", "clear-event"])
def test_the_log_keeps_no_name_that_was_removed(verb: str, table: Match) -> None:
    panel = signed_in(make_user("admin", role=Role.ADMINISTRATOR))
    url, fields = address(verb, table)
    assert panel.post(url, {**opened(panel, url), **fields}).status_code == 302
    assert "nasty" not in str(AuditEntry.objects.values_list().get())


@pytest.mark.slow
@pytest.mark.parametrize("verb", sorted(ACTIONS))
def test_an_action_has_a_reason_is_written_down_told_and_done_once(verb: str, table: Match) -> None:
    make_user("eve")
    panel = signed_in(make_user("admin", role=Role.ADMINISTRATOR))
    url, fields = address(verb, table)
    form = {**opened(panel, url), **fields}

    before = traces()
    answer = panel.post(url, {**form, "reason": "  "})
    assert (answer.status_code, traces()) == (200, before)
    assert "This field is required." in read(answer).text

    assert panel.post(url, form).status_code == 302
    entry = AuditEntry.objects.get()
    assert (entry.verb, entry.reason, entry.moderator_name) == (verb, REASON, "admin")
    assert entry.match == (table.code if verb not in NOT_TOLD - {"close-report"} else "")
    assert audit.find_fault() is None
    log = read(signed_in(User.objects.get(username="cy")).get(table.get_absolute_url())).text
    assert (REASON in log) == (verb not in NOT_TOLD)

    done = traces()
    assert panel.post(url, form).status_code == 302
    assert traces() == done


@pytest.mark.parametrize("verb", one_in(4, sorted(ACTIONS)))
def test_an_action_takes_its_role(verb: str, table: Match) -> None:
    make_user("eve")
    url, fields = address(verb, table)
    expected = [200 if role >= least_role(verb) else 403 for role in ROLES]
    panels = [signed_in(make_user(role.name.lower(), role=role)) for role in ROLES]
    assert [panel.get(url).status_code for panel in panels] == expected
    before = traces()
    for panel, status in zip(panels, expected, strict=True):
        if status == 403:
            assert panel.post(url, fields).status_code == 403
    assert signed_in(User.objects.get(username="eve")).post(url, fields).status_code in (302, 403)
    assert "You are signed out" in read(Client().post(url, fields)).text
    assert traces() == before


@pytest.mark.parametrize("lost", [{"role": Role.PLAYER}, {"is_active": False}])
def test_who_has_lost_the_role_meanwhile_does_nothing(lost: dict[str, object], table: Match) -> None:
    """As while the request waited for another moderator, or for a season."""
    mod, cy = make_user("mod", role=Role.MODERATOR), User.objects.get(username="cy")
    event = make_event(make_user("olga"), [cy])
    User.objects.filter(pk=mod.pk).update(**lost)
    asked = ActionRequest(mod, REASON, "key", clock.now())
    with pytest.raises(Refused, match="no-role"):
        perform(ACTIONS["ban"], asked, cy, {"note": "Insults."})
    with pytest.raises(Refused, match="not-organiser"):
        close_event(event.pk, by=mod, reason=REASON, now=clock.now())
    cy.refresh_from_db()
    assert cy.is_active


@pytest.mark.parametrize("verb", one_in(4, sorted(ACTIONS)))
def test_an_action_is_not_for_who_plays_there(verb: str, table: Match) -> None:
    make_user("eve")
    url, fields = address(verb, table)
    User.objects.filter(username="cy").update(role=Role.ADMINISTRATOR, is_staff=True)
    seated = signed_in(User.objects.get(username="cy"))
    before = traces()
    for answer in (seated.get(url), seated.post(url, fields)):
        assert answer.status_code == 403
        assert (
            "ask another moderator" in read(answer).text
            or "another moderator looks after it" in read(answer).text
        )
    assert traces() == before


# --- Two at once ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["extend", "void", "replace", "ban", "reject"])
def test_of_two_moderators_who_do_the_same_one_does_it_and_the_other_is_told(verb: str, table: Match) -> None:
    make_user("eve")
    first, second = (signed_in(make_user(name, role=Role.MODERATOR)) for name in ("mod", "dom"))
    url, fields = address(verb, table)
    forms = [{**opened(panel, url), **fields} for panel in (first, second)]
    assert first.post(url, forms[0]).status_code == 302
    done = traces()
    answer = second.post(url, forms[1])
    assert answer.status_code == 409
    text = read(answer).text
    assert "mod has done this meanwhile" in text
    assert REASON in text
    assert traces() == done


def test_who_still_wants_it_sends_the_form_again(table: Match) -> None:
    first, second = (signed_in(make_user(name, role=Role.MODERATOR)) for name in ("mod", "dom"))
    url, fields = address("extend", table)
    forms = [{**opened(panel, url), **fields} for panel in (first, second)]
    first.post(url, forms[0])
    refused = second.post(url, forms[1])
    again = {**forms[1], "seen": refused.context["seen"]}
    assert second.post(url, again).status_code == 302
    assert list(AuditEntry.objects.values_list("moderator_name", flat=True)) == ["dom", "mod"]


def test_of_two_moderators_who_send_the_same_key_each_acts_once(table: Match) -> None:
    """Each action gives five hours more, so that the clock shows if one acts twice."""
    first, second = (signed_in(make_user(name, role=Role.MODERATOR)) for name in ("mod", "dom"))
    url, fields = address("extend", table)
    due_at, hours = _asked(table).due_at, []
    for panel in (first, first, second, second, first):
        form = {**fields, "request_key": "one key", "seen": AuditEntry.objects.count()}
        assert panel.post(url, form).status_code == 302
        hours.append((_asked(table).due_at - due_at) / timedelta(hours=1))  # type: ignore[operator]
    assert hours == [5, 5, 10, 10, 10]
    assert list(AuditEntry.objects.values_list("moderator_name", flat=True)) == ["dom", "mod"]


def test_the_same_key_for_something_else_is_another_request(table: Match) -> None:
    panel = signed_in(make_user("mod", role=Role.MODERATOR))
    for seat in table.seats.order_by("index"):
        form = {"reason": REASON, "hours": 5, "request_key": "one key"}
        assert panel.post(f"/admin/actions/extend/{seat.pk}/", form).status_code == 302
    url, fields = address("pause", table)
    assert panel.post(url, {**fields, "request_key": "one key"}).status_code == 302
    assert [entry.verb for entry in AuditEntry.objects.all()] == ["pause", "extend", "extend", "extend"]


def test_what_is_done_already_is_not_done_again_under_another_reason(table: Match) -> None:
    panel = signed_in(make_user("mod", role=Role.MODERATOR))
    url, fields = address("ban", table)
    assert panel.post(url, fields).status_code == 302
    answer = panel.post(url, {**fields, "reason": "another"})
    assert answer.status_code == 409
    assert "things have changed" in read(answer).text
    assert AuditEntry.objects.count() == 1


@pytest.mark.parametrize("is_asked", [True, False], ids=["whose turn it is", "who is not asked"])
def test_the_new_holder_of_a_seat_gets_what_is_needed_to_play_it(table: Match, is_asked: bool) -> None:
    """Regression: the new holder of a seat got no mail at all if the seat was not asked at that moment."""
    seat = table.seats.select_related("user").filter(is_waiting=is_asked, bot="").exclude(user=None).first()
    assert seat is not None
    assert seat.user is not None
    former, eve = seat.user, make_user("eve")
    sent_to(former)
    mail.outbox.clear()
    panel = signed_in(make_user("mod", role=Role.MODERATOR))
    url = f"/admin/actions/replace/{seat.pk}/"
    form = opened(panel, url) | {"player": "eve", "reason": "ana moved away"}
    assert panel.post(url, form).status_code == 302
    letters, [told] = sent_to(eve), sent_to(former)
    seat.refresh_from_db()
    assert [letter.reply_to for letter in letters] == [[seat.reply_address]] * (2 if is_asked else 1)
    given = one_line(letters[0])
    assert "is yours now" in given
    assert "ana moved away" in given
    assert table.code in given
    assert any(part.get_content_type() == "image/png" for part in letters[0].message().walk())
    if is_asked:
        assert "It is your turn" in letters[1].body
    assert "ana moved away" in one_line(told)
    assert seat.reply_address not in str(told.message())
    row = write(eve, "help", to=seat.reply_address)
    assert row.state == "done"
