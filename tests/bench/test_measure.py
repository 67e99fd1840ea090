"""Measuring pairs that need no framework."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deepperf.bench.collect import Plan, WorkloadError, obstacle, plan_of
from deepperf.bench.measure import SideError, measure
from deepperf.records import Pair, SourceFile
from deepperf.rules.evidence import Machine

MACHINE = Machine("a processor", 2, 8 << 30, "", "a system")


def pair(bad: str, good: str, workload: str) -> Pair:
    return Pair(
        id="slow-thing/plain",
        framework="",
        bad=(SourceFile("example.py", bad),),
        good=(SourceFile("example.py", good),),
        workload=workload,
    )


COUNTED = pair(
    "def total(): return sum(asked(n) for n in range(10))\n",
    "def total(): return 45 if asked(0) == 0 else 0\n",
    """\
QUANTITY = "questions"
SIZE = "10 numbers"
asks = []

def asked(number):
    asks.append(number)
    return number

def work(): return total()

def count(): return len(asks)
""",
)


def measured(of: Pair, repetitions: int = 2) -> object:
    return measure(of, repetitions, MACHINE, lambda: None)


def test_a_count_is_exact() -> None:
    measurement = measure(COUNTED, 2, MACHINE, lambda: None)
    assert measurement.bad == (10.0, 10.0)
    assert measurement.good == (1.0, 1.0)
    assert measurement.quantity == "questions"
    assert measurement.size == "10 numbers"
    assert measurement.shows_gain


def test_time_is_measured_side_by_side() -> None:
    slow = pair(
        "def total(): return sum(n % 7 for n in range(420_000))\n",
        "def total(): return sum(n % 7 for n in range(7)) * 60_000\n",
        "def work(): return total()\n",
    )
    told = []
    measurement = measure(slow, 3, MACHINE, lambda: told.append(1))
    assert len(told) == 6
    assert measurement.quantity == "CPU time"
    assert measurement.shows_gain


def test_running_the_side_itself_is_measured_where_there_is_no_work() -> None:
    written = pair(
        "for number in range(10):\n    asks.append(number)\n",
        "asks.append(0)\n",
        """\
QUANTITY = "questions"
asks = []

def count(): return len(asks)

def result(): return "done"
""",
    )
    measurement = measure(written, 2, MACHINE, lambda: None)
    assert (measurement.bad, measurement.good) == ((10.0, 10.0), (1.0, 1.0))


def test_growth_of_memory_is_measured() -> None:
    hoarding = pair(
        "def hold(): return sum([len(bytearray(b'x') * 50_000_000) for _ in [0]])\n",
        "def hold(): return 50_000_000\n",
        'QUANTITY = "memory"\ndef work(): return hold()\n',
    )
    measurement = measure(hoarding, 2, MACHINE, lambda: None)
    assert min(measurement.bad) > 40_000_000
    assert max(measurement.good) < 10_000_000
    assert measurement.unit == "bytes"


def test_further_files_of_a_side_can_be_imported() -> None:
    files = (
        SourceFile("example.py", "from steps import number\n"),
        SourceFile("steps.py", "number = 3\n"),
    )
    of = replace(
        COUNTED,
        bad=files,
        good=files,
        workload='QUANTITY = "calls"\n'
        "calls = []\n"
        "def work():\n    calls.append(1)\n    return number\n"
        "def count(): return len(calls)\n",
    )
    assert measure(of, 1, MACHINE, lambda: None).bad == (1.0,)


def test_different_results_are_refused() -> None:
    of = pair("value = [1.0, 2.0]\n", "value = [1.0, 2.5]\n", "def work(): return value\n")
    with pytest.raises(SideError, match=r"slow-thing/plain: .* different results at \[1\]"):
        measured(of)


def test_results_may_differ_within_the_tolerance() -> None:
    workload = "TOLERANCE = 0.5\nQUANTITY = 'x'\ndef count(): return 0\ndef work(): return value\n"
    of = pair("value = 2.0\n", "value = 2.5\n", workload)
    assert measure(of, 1, MACHINE, lambda: None).tolerance == 0.5


def test_nothing_to_compare_is_refused() -> None:
    of = pair("", "", "def work(): pass\n")
    with pytest.raises(SideError, match="nothing to compare"):
        measured(of)


def test_a_side_that_crashes_is_one_line_that_names_it() -> None:
    of = pair("", "value = 1 / 0\n", "def work(): return 1\n")
    with pytest.raises(SideError) as caught:
        measured(of)
    assert str(caught.value) == (
        "slow-thing/plain: the good side does not run: ZeroDivisionError: division by zero"
    )


def test_a_plan_is_read_from_the_capitals_of_a_workload() -> None:
    workload = 'QUANTITY = "time"\nSIZE = "9 files"\nTHREADS = 0\nTOLERANCE = 1\nWARM_UPS = 3\n'
    assert plan_of(pair("", "", workload)) == Plan("time", "9 files", 1.0, 0, 3)


def test_without_capitals_processor_time_of_one_thread_is_measured() -> None:
    assert plan_of(pair("", "", "def work(): return 1\n")) == Plan("CPU time", threads=1)


def test_counts_and_memory_are_not_warmed_up() -> None:
    assert plan_of(COUNTED).warm_ups == 0
    assert plan_of(pair("", "", 'QUANTITY = "memory"\n')).warm_ups == 0


@pytest.mark.parametrize(
    ("workload", "said"),
    [
        ("def work(:", "line 1 of the workload is not Python"),
        ('QUANTITY = "syncs"', "'syncs' needs a count() in the workload"),
        ("THREADS = 'two'", "THREADS must be of type int, not 'two'"),
        ("SIZE = str(3)", "SIZE must be a literal"),
    ],
)
def test_a_workload_that_asks_for_what_there_is_not_is_named(workload: str, said: str) -> None:
    with pytest.raises(WorkloadError) as caught:
        plan_of(pair("", "", workload))
    assert said in str(caught.value)


def test_a_missing_framework_and_a_missing_workload_stand_in_the_way() -> None:
    assert obstacle(replace(COUNTED, framework="no_such_framework")).endswith("is not installed")
    assert obstacle(replace(COUNTED, workload="")) == "it has no workload"
    assert obstacle(COUNTED) == ""


def test_a_version_that_is_not_installed_stands_in_the_way() -> None:
    of = replace(COUNTED, framework="numpy", versions=(("numpy", "0.9"),))
    assert "it is about NumPy 0.9, and " in obstacle(of)
    assert obstacle(replace(of, versions=(("numpy", ">=1"),))) == ""
