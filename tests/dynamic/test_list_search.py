"""Long lists that are searched are told wherever they were made; sets, dicts and short lists are
not."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import diagnoses, marked

PROGRAM = """\
import numpy as np

STATIONS = [f"station {number}" for number in range(3000)]
KINDS = ["bus", "tram", "train"]
PLACES = {name: place for place, name in enumerate(STATIONS)}


def read(count):
    rng = np.random.default_rng(1)
    return [(f"station {rng.integers(3000)}", KINDS[rng.integers(3)]) for _ in range(count)]


def places_of(trips):
    return [STATIONS.index(station) for station, _ in trips]  # searched


def places_known(trips):
    return [(PLACES[station], KINDS.index(kind)) for station, kind in trips if station in PLACES]


trips = read(20_000)
closed = [name for name in STATIONS if "7" in name] * 2
print(sum(places_of(trips)), sum(place for place, _ in places_known(trips)))
still = 0
for station, kind in trips:
    if station not in closed:  # searched
        still += 1
print(still)
lines = [trips[0][0], *STATIONS]
total = 0
for station, kind in trips[:2000]:
    if trips[0][0] in lines:
        total += sum([number * number % 7 for number in range(2000)])
print(total)
"""


def test_lists_of_a_module_are_told_where_they_are_searched(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "list-search")
    assert sorted(item["line"] for item in found) == marked(PROGRAM, "searched")
