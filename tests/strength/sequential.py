"""A sequential probability ratio test on shares of deals: it stops as soon as the result is clear.

A share of a deal is a mean over all places of one deal, not won or lost; so the test takes the shares of many deals as
normally distributed with the variance that they show (a generalised test, as chess engines are measured with). It
decides between "the share is the bar" and "it is `MARGIN` below the bar", with a chance of at most 0.05 for each error.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from math import log
from statistics import fmean, pvariance

MARGIN = 0.05
ERROR = 0.05
LEAST_DEALS = 8
"""Fewer shares tell too little about their variance."""
MOST_DEALS = 400
LEAST_VARIANCE = 0.01
"""Shares that happen to be equal so far are not taken for certain."""


class Verdict(Enum):
    """The finding of the deals so far."""

    MET = "met"
    MISSED = "missed"
    OPEN = "undecided"


def judge(bar: float, shares: Sequence[float]) -> Verdict:
    """Decide whether the share is the bar or more, or `MARGIN` below it or less, as soon as that is clear.

    >>> judge(0.6, [0.7, 0.8] * 10), judge(0.6, [0.4, 0.5] * 10), judge(0.6, [0.5, 0.6] * 4)
    (<Verdict.MET: 'met'>, <Verdict.MISSED: 'missed'>, <Verdict.OPEN: 'undecided'>)
    """
    if len(shares) < LEAST_DEALS:
        return Verdict.OPEN
    ratio = find_ratio(bar, shares)
    bound = log((1 - ERROR) / ERROR)
    if ratio >= bound:
        return Verdict.MET
    return Verdict.MISSED if ratio <= -bound else Verdict.OPEN


def find_ratio(bar: float, shares: Sequence[float]) -> float:
    """The logarithm of how many times likelier the shares are at the bar than `MARGIN` below it."""
    low = bar - MARGIN
    variance = max(pvariance(shares), LEAST_VARIANCE)
    return len(shares) * (bar - low) * (fmean(shares) - (bar + low) / 2) / variance
