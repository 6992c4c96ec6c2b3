"""Personal tokens by mail: listed and revoked there, made on a page; no mail holds one."""

from __future__ import annotations

import re

import pytest

from gemserver.accounts.models import PersonalToken, User
from tests.api.programs import Program, code_of, token_of
from tests.builders import make_user
from tests.mailgate.posting import codes, one_line, sent_to, write
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db


def test_tokens_are_listed_and_revoked_by_mail(ana: User) -> None:
    ana.receipts = User.Receipts.NONE
    ana.save()
    assert codes(write(ana, "tokens")) == ["done"]
    assert "You have no personal tokens." in one_line(sent_to(ana)[-1])
    program = Program(token_of(ana, "read"))
    name = ana.personal_tokens.get().name
    write(ana, "tokens")
    assert f"{name} (read)" in one_line(sent_to(ana)[-1])
    assert codes(write(ana, f"token revoke {name.upper()}")) == ["done"]
    assert not PersonalToken.objects.exists()
    assert code_of(program.get("turns")) == "wrong-token"
    assert codes(write(ana, f"token revoke {name}")) == ["no-such-token"]
    assert program.token not in "".join(str(mail.message()) for mail in sent_to(ana))


def test_token_new_answers_with_a_link_and_no_token(ana: User) -> None:
    assert codes(write(ana, "token new My Bot")) == ["done"]
    link = re.search(r"https?://[^/]+(/you/tokens/new/[^/\s]+/)", str(sent_to(ana)[-1].body))
    assert link
    assert "gem_" not in str(sent_to(ana)[-1].message())
    page = signed_in(ana).get(link[1])
    assert 'value="My Bot"' in page.content.decode()
    assert signed_in(make_user("dee")).get(link[1]).status_code == 404
    assert not PersonalToken.objects.exists()
