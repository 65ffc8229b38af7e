"""Whether the confidence for the pages of a host falls in the course of a crawl."""

from __future__ import annotations

from collections import OrderedDict, deque
from statistics import fmean
from typing import Final, NamedTuple

__all__ = ["Drift", "DriftWatch"]

# Number of pages of both means.
N_PAGES: Final = 50
# A fall of the mean by this much is a drift.
LEAST_FALL: Final = 0.2
# Hosts that are watched at a time; each takes about 2 kB.
_MOST_HOSTS: Final = 1_000


class Drift(NamedTuple):
    """The mean confidence for the first pages of a host, and for the latest."""

    before: float
    now: float


class _Host:
    """The confidences for the pages of one host."""

    def __init__(self) -> None:
        self.latest: deque[float] = deque(maxlen=N_PAGES)
        self.first_mean: float | None = None
        self.has_drifted = False


class DriftWatch:
    """Watches the confidences for each host: those of its latest pages against those of its first.

    It watches a bounded number of hosts, and forgets the one whose latest page is the oldest. That begins anew if it
    comes back.
    """

    def __init__(self, most_hosts: int = _MOST_HOSTS) -> None:
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._most_hosts = most_hosts

    def add(self, host: str, confidence: float) -> Drift | None:
        """Count a page; return the drift of its host if this page shows it first, else None."""
        watched = self._hosts.setdefault(host, _Host())
        self._hosts.move_to_end(host)
        if len(self._hosts) > self._most_hosts:
            self._hosts.popitem(last=False)
        if watched.has_drifted:
            return None
        watched.latest.append(confidence)
        if len(watched.latest) < N_PAGES:
            return None
        mean = fmean(watched.latest)
        if watched.first_mean is None:
            watched.first_mean = mean
        if watched.first_mean - mean < LEAST_FALL:
            return None
        watched.has_drifted = True
        watched.latest.clear()
        return Drift(watched.first_mean, mean)
