"""Pairs of accounts that may be one person's, for moderators, each with the reasons in words.

Only what the server keeps anyway is looked at: addresses that their owners have proved, and results that everybody may
read. Nothing found is stored (docs/decisions/moderation.md).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from allauth.account.models import EmailAddress
from django.utils.translation import gettext, ngettext

from gemserver.accounts.models import User
from gemserver.lib.text.mail_address import comparable
from gemserver.ratings.models import RatingChange

MOST_ADDRESSES = 10_000
"""Addresses that are compared, the newest first."""
MOST_CHANGES = 10_000
"""Results of players in rated matches that are compared, the newest first."""
MOST_PAIRS = 100
"""Pairs that are shown."""

LEAST_TOGETHER = 6
"""Rated matches that two must have played with one another before they are shown for it."""
MOSTLY = 0.8
"""Share of the loser's rated matches in which the other took part."""
NEARLY_ALWAYS = 0.9
"""Share of these matches in which the other came out ahead."""

_WITHOUT_DOTS = frozenset({"gmail.com", "googlemail.com"})
"""Providers to whom dots before the @ mean nothing."""
_SAME_DOMAIN = {"googlemail.com": "gmail.com"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two accounts, by name, and why they are shown."""

    first: User
    second: User
    reasons: tuple[str, ...]


def find_pairs(reader: User) -> list[Pair]:
    """The pairs with the most reasons first, then by name; none in which the reader is one of the two."""
    reasons: defaultdict[frozenset[int], list[str]] = defaultdict(list)
    for pair, reason in (*_find_shared_mailboxes(), *_find_one_sided()):
        if reader.pk not in pair:
            reasons[pair].append(reason)
    users = User.objects.in_bulk({key for pair in reasons for key in pair})
    pairs = [_make_pair([users[key] for key in pair], why) for pair, why in reasons.items()]
    found = [pair for pair in pairs if pair.first.family != pair.second.family]
    found.sort(key=lambda pair: (-len(pair.reasons), pair.first.username, pair.second.username))
    return found[:MOST_PAIRS]


def _make_pair(users: Iterable[User], reasons: Iterable[str]) -> Pair:
    first, second = sorted(users, key=lambda user: user.username)
    return Pair(first, second, tuple(reasons))


def mailbox_of(address: str) -> str:
    """The mailbox in which mail to this address most likely ends: without `+tag`, and dots where they mean nothing."""
    local, _at, domain = comparable(address).rpartition("@")
    local = local.partition("+")[0] or local
    if domain in _WITHOUT_DOTS:
        local = local.replace(".", "")
    return f"{local}@{_SAME_DOMAIN.get(domain, domain)}"


def _find_shared_mailboxes() -> Iterable[tuple[frozenset[int], str]]:
    newest = EmailAddress.objects.filter(verified=True).order_by("-pk").values_list("user", "email")
    owners: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for user, email in newest[:MOST_ADDRESSES]:
        owners[mailbox_of(email)].setdefault(user, email)
    for mailbox, addresses in owners.items():
        for one, other in combinations(sorted(addresses), 2):
            yield (
                frozenset({one, other}),
                gettext("%(one)s and %(other)s end in one mailbox, %(mailbox)s.")
                % {"one": addresses[one], "other": addresses[other], "mailbox": mailbox},
            )


def _find_one_sided() -> Iterable[tuple[frozenset[int], str]]:
    """Pairs of which one plays nearly only with the other and nearly always ends behind them."""
    places = _read_places()
    played: Counter[int] = Counter(user for match in places.values() for user in match)
    together: Counter[frozenset[int]] = Counter()
    ahead: Counter[tuple[int, int]] = Counter()
    for match in places.values():
        for one, other in combinations(match, 2):
            together[frozenset({one, other})] += 1
            if match[one] != match[other]:
                ahead[(one, other) if match[one] < match[other] else (other, one)] += 1
    found = [
        (winner, loser, together[frozenset({winner, loser})], won) for (winner, loser), won in ahead.items()
    ]
    found = [
        (winner, loser, number, won)
        for winner, loser, number, won in found
        if number >= max(LEAST_TOGETHER, MOSTLY * played[loser]) and won >= NEARLY_ALWAYS * number
    ]
    names = _name_all({user for winner, loser, *_ in found for user in (winner, loser)})
    for winner, loser, number, won in found:
        yield (
            frozenset({winner, loser}),
            _say_one_sided(names[winner], names[loser], number, played[loser], won),
        )


def _read_places() -> Mapping[int, Mapping[int, int]]:
    """The places of people in the newest public rated matches, by match and account (primary keys)."""
    changes = RatingChange.objects.filter(pool__club=None).order_by("-pk")
    rows = changes.values_list("match", "contender__user", "place", "contender__is_bot")
    found: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for match, user, place, is_bot in rows[:MOST_CHANGES]:
        if user is not None and not is_bot:
            found[match][user] = place
    return found


def _say_one_sided(winner: str, loser: str, together: int, played: int, won: int) -> str:
    reason = ngettext(
        "%(loser)s has played %(together)d of %(played)d rated match with %(winner)s, who was ahead in %(won)d.",
        "%(loser)s has played %(together)d of %(played)d rated matches with %(winner)s, who was ahead in %(won)d.",
        played,
    )
    return reason % {"loser": loser, "winner": winner, "together": together, "played": played, "won": won}


def _name_all(users: Collection[int]) -> Mapping[int, str]:
    return {user.pk: user.shown_name for user in User.objects.filter(pk__in=users)}
