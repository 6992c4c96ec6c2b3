"""A form that meets a busy database is given back, and kept nowhere."""

from __future__ import annotations

from django.test import RequestFactory

from gemserver.lib.web.busy import busy

OWN = {"Origin": "http://testserver"}


def test_a_form_that_is_put_off_comes_back_and_no_cache_keeps_it() -> None:
    answer = busy(RequestFactory().post("/m/M1/talk/", {"said": "Well played, Ben"}, headers=OWN))
    assert "Well played, Ben" in answer.content.decode()
    assert (answer.status_code, answer["Cache-Control"]) == (503, "no-store")
    assert int(answer["Retry-After"]) > 0
