"""Clubs by mail and by programs: everything that the pages do for a member."""

from __future__ import annotations

import pytest

from gemserver.accounts.models import User
from gemserver.clubs.models import Member
from gemserver.matches.actions.clubs.join_club import invite_member
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.models import Match
from tests.api.programs import Program, code_of
from tests.builders import NOON, make_user, play_to_the_end
from tests.clubs.people import make_club, open_for, play_in
from tests.mailgate.posting import codes, one_line, sent_to, write

pytestmark = pytest.mark.django_db


class TestMail:
    @pytest.mark.slow
    def test_a_club_lives_by_mail_alone(self, ana: User, ben: User) -> None:
        club, cy = make_club("Lake", ana), make_user("cy")
        assert codes(write(ana, "club lake invite ben\nclub LAKE organiser ana")) == ["done", "last-owner"]
        write(ben, "clubs")
        assert "You are invited: * Lake To join, write: join club lake" in one_line(sent_to(ben)[-1])
        assert codes(write(ben, "join club lake")) == ["done"]
        assert "Members: * ana (owner) * ben" in one_line(sent_to(ben)[-1])
        assert codes(write(ana, "club lake organiser ben")) == ["done"]
        assert codes(write(ben, "club lake news Come on Friday.")) == ["done"]
        assert "| Come on Friday" in one_line(sent_to(ben)[-1])
        assert codes(write(ben, "new gem seats 3 club=lake")) == ["done"]
        match = Match.objects.get()
        assert match.club == club
        assert codes(write(cy, f"join {match.code}")) == ["no-such-table"]
        assert codes(write(ana, f"join {match.code}")) == ["done"]
        assert codes(write(ana, "leave club lake")) == ["last-owner"]
        assert codes(write(ana, "club lake leave Ben")) == ["done"]
        assert [(row.user, row.role) for row in club.members.all()] == [(ben, Member.Role.OWNER)]

    def test_a_listed_club_is_asked_and_answers(self, ana: User, ben: User) -> None:
        club = make_club("Lake", ana, is_private=False)
        assert codes(write(ben, "join club lake")) == ["done"]
        assert "You have asked to join Lake" in one_line(sent_to(ben)[-1])
        write(ana, "club lake")
        assert "To let them in, write: club lake accept ben" in one_line(sent_to(ana)[-1])
        assert codes(write(ana, "club lake refuse ben")) == ["done"]
        assert not club.candidates.exists()
        write(ben, "join club lake")
        assert codes(write(ana, "club lake accept ben")) == ["done"]
        assert codes(write(ana, "club lake remove ben")) == ["done"]
        assert [row.user for row in club.members.all()] == [ana]

    def test_news_of_others_are_no_commands_when_the_mail_is_answered(self, ana: User, ben: User) -> None:
        make_club("Lake", ana, ben)
        write(ana, "club lake news leave club lake")
        write(ben, "club lake")
        text = str(sent_to(ben)[-1].body)
        assert "    | leave club lake" in text
        write(ben, f"Thanks!\n\n{text}")
        assert not _has_left(ben)

    def test_sentences_that_begin_with_the_word_do_nothing(self, ana: User) -> None:
        make_club("Lake", ana)
        row = write(ana, "Club night was fun, thanks!\nclub mate is my favourite")
        assert "done" not in codes(row)

    def test_open_tables_of_a_club_are_among_the_games_of_its_members(self, ana: User, ben: User) -> None:
        table = open_for(make_club("Lake", ana, ben), ana, seats=3)
        write(ben, "games")
        assert f"join {table.code}" in one_line(sent_to(ben)[-1])
        assert codes(write(ben, "join gem")) == ["done"]
        assert table.seats.filter(user=ben).exists()


def _has_left(user: User) -> bool:
    return not Member.objects.filter(user=user).exists()


class TestPrograms:
    @pytest.mark.slow
    def test_a_program_finds_joins_and_leaves_a_club(self, ana: User, ben: User) -> None:
        club = make_club("Lake", ana)
        invite_member(club.pk, ana, "ben", now=NOON)
        program = Program.of(ben)
        assert [row["club"] for row in program.get("clubs").json()["invitations"]] == ["lake"]
        shown = program.get("clubs/lake").json()
        assert (shown["you"], shown["members"]) == ("invited", [])
        joined = program.post("clubs/lake/join", key="j")
        assert joined.json() == {"club": "lake", "you": "member", "repeat": False}
        assert program.post("clubs/lake/join", key="j").json()["repeat"]
        over = play_to_the_end(play_in(club, ana, ben))
        shown = program.get("clubs/lake").json()
        assert [(row["name"], row["role"], row["played"]) for row in shown["members"]] == [
            ("ana", "owner", 1),
            ("ben", "member", 1),
        ]
        listed = program.get("clubs/lake/matches?status=finished").json()["matches"]
        assert [row["code"] for row in listed] == [over.code]
        left = program.post("clubs/lake/leave", {}, key="l")
        assert (left.status_code, left.json()["you"]) == (200, None)
        assert program.post("clubs/lake/leave", {}, key="l").json()["repeat"]
        assert code_of(program.post("clubs/lake/leave", {}, key="again")) == "no-such-club"

    def test_a_table_is_opened_for_a_club_and_news_are_posted(self, ana: User, ben: User) -> None:
        club = make_club("Lake", ana, ben)
        program = Program.of(ana)
        code = program.post("tables", {"game": "gem", "seats": 3, "club": "lake"}).json()["match"]
        assert Match.objects.get(code=code).club == club
        assert program.post("clubs/lake/news", {"text": "Come."}).status_code == 200
        assert program.get("clubs/lake").json()["news"][0]["text"] == "Come."
        assert program.post("clubs/lake/invite", {"name": "ben"}).status_code == 200
        others = Program.of(ben)
        assert code_of(others.post("clubs/lake/news", {"text": "No."})) == "not-an-organiser"

    def test_a_bot_stays_outside_and_sees_listed_clubs(self, ana: User) -> None:
        make_club("Lake", ana, is_private=False)
        make_club("Keller", ana)
        bot = Program.of(open_bot(ana, "robo", now=NOON), "read", "play")
        assert [row["club"] for row in bot.get("clubs").json()["listed"]] == ["lake"]
        answer = bot.post("clubs/lake/join")
        assert (answer.status_code, code_of(answer)) == (403, "people-only")
        table = {"game": "gem", "seats": 3, "club": "lake"}
        assert code_of(bot.post("tables", table)) == "no-such-club"

    def test_listed_clubs_are_paged_once_each(self, ana: User) -> None:
        for number in range(55):
            make_club(f"Club{number}", ana, is_private=False)
        program = Program.of(ana)
        first = program.get("clubs").json()
        rest = program.get(f"clubs?cursor={first['next']}").json()
        assert len({row["club"] for row in [*first["listed"], *rest["listed"]]}) == 55
        assert rest["next"] is None
