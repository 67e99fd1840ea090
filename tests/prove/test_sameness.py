"""Results are the same where words are equal and numbers are within the tolerance."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pytest

from deepperf.prove.runs import Outcome
from deepperf.prove.sameness import Expected, difference, expected_of


def outcome(
    output: str, status: int = 0, files: Mapping[str, bytes | None] | None = None
) -> Outcome:
    return Outcome(status, output, "", files or {}, 1.0)


def expected(*outputs: str, metric: str = "") -> Expected:
    found = expected_of([outcome(text) for text in outputs], metric)
    assert isinstance(found, Expected)
    return found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("loss 0.123456", "loss 0.123457"),
        ("loss 0.0421", "loss 0.0422"),
        ("  a   1.50\n", "  a 1.5000\n"),
        ("nan", "nan"),
        ("step 10: 1e-3", "step 10: 0.001"),
    ],
)
def test_these_are_the_same(before: str, after: str) -> None:
    assert difference(expected(before), outcome(after)) == ""


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("loss 0.1234", "loss 0.1334", "it prints 0.1334 where 0.1234 was (7.50% apart)"),
        ("seen 10 rows", "seen 11 rows", "it prints 11 where 10 was (9.09% apart)"),
        ("done", "failed", "it prints 'failed' where 'done' was"),
        ("a 1", "a 1 2", "it prints 'a … …' where 'a …' was"),
        ("a 1", "a 1\nb", "it prints 'b', too"),
        ("a 1\nb", "a 1", "it prints no 'b'"),
        ("loss 0.5", "loss nan", "it prints nan where 0.5 was"),
    ],
)
def test_these_are_not(before: str, after: str, said: str) -> None:
    assert difference(expected(before), outcome(after)) == said


def test_numbers_that_differ_from_run_to_run_are_not_compared() -> None:
    given = expected("loss 0.5 in 3.2 s", "loss 0.5 in 3.9 s")
    assert difference(given, outcome("loss 0.5 in 1.1 s")) == ""
    assert difference(given, outcome("loss 0.7 in 1.1 s")) != ""


KERAS = "20/20 \x1b[32m━━━━\x1b[0m {} {}/step - loss: 0.6931"


@pytest.mark.parametrize(
    ("first", "second", "after"),
    [
        (KERAS.format("0s", "9ms"), KERAS.format("1s", "1s"), KERAS.format("0s", "870us")),
        ("took 2 s: loss 0.6931", "took 2 s: loss 0.6931", "took 1 minute: loss 0.6931"),
        ("07:59:59,1 loss 0.6931", "08:00:01,7 loss 0.6931", "09:10:11,0 loss 0.6931"),
        ("310.5 images/s, loss 0.6931", "1,310 images/s, loss 0.6931", "2 it/s, loss 0.6931"),
        (
            "50/50 [00:03<00:00, 16.5it/s]",
            "50/50 [00:03<00:00, 15it/s]",
            "50/50 [01:03<00:00, 1.3s/it]",
        ),
        ("0.6931 at /tmp/a1", "0.6931\nat /tmp/b9", "0.6931 at /tmp/c7"),
    ],
)
def test_times_may_change_with_their_units(first: str, second: str, after: str) -> None:
    assert difference(expected(first, second), outcome(after)) == ""


@pytest.mark.parametrize(
    "bar", ["1 done\r2 done, loss 0.50", "1 done\b\b\b\b\b\b2 done, loss 0.50"]
)
def test_of_a_progress_bar_what_is_left_on_the_screen_counts(bar: str) -> None:
    assert difference(expected("2 done, loss 0.50"), outcome(bar)) == ""
    assert difference(expected(bar), outcome("2 done, loss 0.70")).startswith("it prints 0.7")


def test_how_many_batches_a_progress_bar_counts_is_no_result() -> None:
    given = expected("1/256 …\r256/256 loss 0.50")
    assert difference(given, outcome("8/16 …\r16/16 loss 0.50")) == ""
    assert difference(expected("right 3/3"), outcome("right 4/4")) != ""


def test_lines_that_are_not_in_each_run_are_not_compared() -> None:
    given = expected(
        "saved a1x\nstill at it\nloss 0.5", "saved q7b\nstill at it\nstill at it\nloss 0.5"
    )
    assert difference(given, outcome("saved n3k\nloss 0.5")) == ""
    assert "0.7" in difference(given, outcome("saved n3k\nloss 0.7"))
    assert difference(given, outcome("saved n3k")) == "it prints no 'loss …'"


def test_threads_may_print_in_another_order_each_time() -> None:
    given = expected("one 1\ntwo 2\nloss 0.5", "two 2\none 1\nloss 0.5")
    assert difference(given, outcome("two 2\none 1\nloss 0.5")) == ""
    assert difference(given, outcome("two 2\none 1\nloss 0.6")) != ""


def test_another_exit_status_is_a_difference_with_the_last_words() -> None:
    failed = Outcome(1, "", "Traceback\nValueError: no\n", {}, 1.0)
    assert difference(expected(""), failed) == "it ends with exit status 1: ValueError: no"


def test_a_metric_may_vary_as_much_as_it_did() -> None:
    given = expected("acc 0.90 t 1", "acc 0.92 t 7", metric=r"acc ([\d.]+)")
    assert difference(given, outcome("acc 0.93 t 3")) == ""
    assert difference(given, outcome("acc 0.80 t 3")).startswith("the metric is 0.8")


def test_a_metric_that_finds_nothing_is_told() -> None:
    assert "finds nothing" in str(expected_of([outcome("acc 1")], "loss (.*)"))


def test_where_nothing_stable_is_printed_nothing_is_compared() -> None:
    assert expected("took 1 s", "took 2 s").compares_nothing
    assert not expected("loss 1").compares_nothing


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (b'{"loss": 0.50000}', b'{"loss": 0.50001}', ""),
        (b'{"loss": 0.5}', b'{"loss": 0.6}', "out has 0.6 where 0.5 was (16.67% apart)"),
        (b"\xff\x00", b"\xff\x01", "the bytes of out differ"),
        (b"x", None, "out is not written"),
    ],
)
def test_files_are_compared_as_output_is(before: bytes, after: bytes | None, said: str) -> None:
    given = expected_of([outcome("", files={"out": before})])
    assert isinstance(given, Expected)
    assert difference(given, outcome("", files={"out": after})) == said


def test_arrays_in_files_are_compared_number_by_number() -> None:
    numpy = pytest.importorskip("numpy")

    def saved(value: float) -> bytes:
        stream = io.BytesIO()
        numpy.save(stream, numpy.full(3, value))
        return stream.getvalue()

    given = expected_of([outcome("", files={"out.npy": saved(1.0)})])
    assert isinstance(given, Expected)
    assert difference(given, outcome("", files={"out.npy": saved(1.00001)})) == ""
    assert difference(given, outcome("", files={"out.npy": saved(1.1)})) == (
        "the arrays of out.npy differ"
    )


def test_a_time_within_a_file_is_not_compared() -> None:
    runs = [outcome("", files={"out": text}) for text in (b"loss 0.5\nin 3.1", b"loss 0.5\nin 2.9")]
    given = expected_of(runs)
    assert isinstance(given, Expected)
    assert difference(given, outcome("", files={"out": b"loss 0.5\nin 1"})) == ""
    assert difference(given, outcome("", files={"out": b"loss 0.6\nin 1"})) != ""


def test_a_file_that_is_another_each_time_is_told() -> None:
    runs = [outcome("", files={"out": text}) for text in (b"a", b"b")]
    assert expected_of(runs) == "all of out differs from run to run: nothing can be held against it"


def test_a_file_that_is_not_written_at_all_is_told() -> None:
    assert expected_of([outcome("", files={"out": None})]) == "it writes no out"
