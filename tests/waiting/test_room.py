"""A request that is kept is woken by news of its own, those of the moment before included, and within limits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from gemserver.lib.web.waits import LONGEST, Wait, seconds_to_wait
from gemserver.waiting.kept import REMEMBERED, Room, TooMany

ANA = Wait("token 11", user=1)
BEN = Wait("token 12", user=2)


def in_loop(test: Callable[[Room, asyncio.AbstractEventLoop], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        return await test(Room(), asyncio.get_running_loop())

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("prefer", "seconds"),
    [
        ("wait=50", 50),
        ('respond-async, WAIT="7"; foo=bar', 7),
        ("wait = 3", 3),
        ("wait=999999", LONGEST),
        ("", 0),
        ("wait=-1", 0),
        ("wait=x", 0),
        ("await=5", 0),
        ("wait=1e9", 0),
        ("wait=" + "9" * 30, 0),
    ],
)
def test_the_preference_is_read_as_rfc_7240_writes_it(prefer: str, seconds: int) -> None:
    assert seconds_to_wait(prefer) == seconds


def test_whoever_is_woken_hears_of_it_and_whose_time_is_over_too() -> None:
    async def test(room: Room, loop: asyncio.AbstractEventLoop) -> tuple[bool, bool, bool]:
        with room.keep(ANA, "192.0.2.1", since=loop.time()) as kept:
            loop.call_later(0.01, kept.wake)
            return (
                await kept.sleep(loop.time() + 60),
                await kept.sleep(loop.time() + 0.01),
                await kept.sleep(loop.time() - 1),
            )

    assert in_loop(test) == (True, False, False)


def test_news_between_the_first_answer_and_the_wait_wake_at_once() -> None:
    async def test(room: Room, loop: asyncio.AbstractEventLoop) -> list[bool]:
        began = loop.time()
        await asyncio.sleep(0.01)
        room.note_news(ANA.subjects, loop.time())
        woken = []
        for wait, since in ((ANA, began), (BEN, began), (ANA, loop.time())):
            with room.keep(wait, "192.0.2.1", since=since) as kept:
                woken.append(await kept.sleep(loop.time() + 0.05))
        return woken

    assert in_loop(test) == [True, False, False]


def test_old_news_are_forgotten() -> None:
    async def test(room: Room, loop: asyncio.AbstractEventLoop) -> int:
        for user in range(1000):
            room.note_news([("user", user)], loop.time() + user)
        return len(room._news)

    assert in_loop(test) <= REMEMBERED + 1


def test_limits_count_those_who_are_kept_now(settings: Any) -> None:
    settings.WAITING_PER_TOKEN, settings.WAITING_PER_ADDRESS, settings.WAITING_MOST = 1, 2, 3

    async def test(room: Room, loop: asyncio.AbstractEventLoop) -> None:
        with room.keep(ANA, "192.0.2.1", since=0):
            with pytest.raises(TooMany), room.keep(ANA, "192.0.2.9", since=0):
                pass
            with room.keep(BEN, "192.0.2.1", since=0):
                third, fourth = Wait("token 13", user=3), Wait("token 14", user=4)
                with pytest.raises(TooMany), room.keep(third, "192.0.2.1", since=0):
                    pass
                with room.keep(third, "192.0.2.2", since=0):
                    assert len(room) == 3
                    with pytest.raises(TooMany), room.keep(fourth, "192.0.2.3", since=0):
                        pass
        assert (len(room), room.keys("user")) == (0, set())
        with room.keep(ANA, "192.0.2.1", since=0):
            pass

    in_loop(test)


def test_strangers_leave_half_of_the_room_to_players_and_programs(settings: Any) -> None:
    settings.WAITING_MOST, settings.WAITING_PER_ADDRESS = 2, 9

    async def test(room: Room, loop: asyncio.AbstractEventLoop) -> None:
        stranger = Wait(None, match=1)
        with room.keep(stranger, "192.0.2.1", since=0):
            with pytest.raises(TooMany), room.keep(stranger, "192.0.2.2", since=0):
                pass
            with room.keep(ANA, "192.0.2.2", since=0):
                assert len(room) == 2

    in_loop(test)


def test_at_the_end_everybody_is_woken_and_nobody_is_kept_any_more() -> None:
    async def test(room: Room, loop: asyncio.AbstractEventLoop) -> list[bool]:
        with room.keep(ANA, "192.0.2.1", since=loop.time()) as kept:
            loop.call_later(0.01, room.close)
            first = await kept.sleep(loop.time() + 60)
        with room.keep(BEN, "192.0.2.1", since=loop.time()) as kept:
            return [first, await kept.sleep(loop.time() + 60)]

    assert in_loop(test) == [True, True]
