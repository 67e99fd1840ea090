"""Labels are kept at once, and two raters are compared."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from deepperf.study.agreement import agreement
from deepperf.study.candidates import Candidate, Post
from deepperf.study.form import label_all
from deepperf.study.labels import Label, append_label, pairs, read_labels
from deepperf.taxonomy.terms import load_codebook


def candidate(number: int, code: tuple[str, ...] = ()) -> Candidate:
    post = Post("test", str(number), "2020-01-01", f"Title {number}", "slow", code, (), 1, 1)
    return Candidate(post, "keras", ("slower",))


def answers(*words: str) -> Callable[[str], str]:
    given = iter(words)

    def ask(_: str) -> str:
        try:
            return next(given)
        except StopIteration:
            raise EOFError from None

    return ask


def console() -> Console:
    return Console(file=io.StringIO(), width=100)


def number_of(kind: str, term: str) -> str:
    return str(list(getattr(load_codebook(), kind)).index(term) + 1)


YES = (
    "y",
    number_of("symptoms", "slow-execution"),
    number_of("causes", "graph-confusion"),
    number_of("stages", "training"),
    number_of("stages", "training"),
    "sure",
)


def test_a_rater_is_asked_about_each_candidate_once(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    keep = lambda label: append_label(path, label)  # noqa: E731
    both = (candidate(1), candidate(2))

    first = label_all(both, "ada", frozenset(), keep, console(), answers(*YES))
    done = frozenset(label.candidate for label in read_labels(path)[0])
    second = label_all(both, "ada", done, keep, console(), answers("n"))

    assert (first, second) == (1, 1)
    labels, lost = read_labels(path)
    assert lost == 0
    assert labels == (
        Label(
            "test:1",
            "ada",
            True,
            "slow-execution",
            "graph-confusion",
            "training",
            "training",
            "sure",
        ),
        Label("test:2", "ada", False),
    )


def test_the_form_tells_what_not_to_confuse() -> None:
    shown = console()
    ask = answers("y", "?1", "0", "q")
    assert label_all((candidate(1),), "ada", frozenset(), lambda _: None, shown, ask) == 0
    text = shown.file.getvalue()  # type: ignore[attr-defined]
    first = next(iter(load_codebook().symptoms.values()))
    assert first.not_to_confuse.split()[0] in text
    assert "a number from 1 to" in text


def test_a_post_cannot_colour_the_form() -> None:
    shown = console()
    post = Post("test", "1", "", "[red]Title[/red]", "[link=x]text[/link]", ("[b]",), (), 0, 0)
    label_all((Candidate(post, "", ()),), "ada", frozenset(), lambda _: None, shown, answers("q"))
    text = shown.file.getvalue()  # type: ignore[attr-defined]
    assert "[red]Title[/red]" in text
    assert "[link=x]text[/link]" in text


def test_a_half_written_line_costs_no_other_label(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    append_label(path, Label("a", "ada", False))
    with path.open("ab") as stream:
        stream.write(b'{"candidate": "b", "ra')
    append_label(path, Label("c", "ada", False))

    labels, lost = read_labels(path)
    assert [label.candidate for label in labels] == ["a", "c"]
    assert lost == 1


def test_a_label_given_anew_replaces_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    append_label(path, Label("a", "ada", False))
    append_label(path, Label("a", "ada", True, "unknown", "unknown", "unknown", "unknown"))
    (label,) = read_labels(path)[0]
    assert label.is_problem


def test_kappa_is_that_of_the_textbook() -> None:
    # 20 yes by both, 5 by the first alone, 10 by the second alone, 15 no by both: kappa 0.4.
    said = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    both = [
        (Label(str(n), "ada", one), Label(str(n), "bob", other))
        for n, (one, other) in enumerate(said)
    ]
    first = agreement(both)[0]
    assert (first.dimension, first.compared) == ("is_problem", 50)
    assert first.alike == pytest.approx(0.7)
    assert first.kappa == pytest.approx(0.4)


def test_terms_are_compared_where_both_see_a_problem() -> None:
    def label(rater: str, number: int, cause: str) -> Label:
        return Label(str(number), rater, bool(cause), "unknown", cause, "training", "training")

    labels = [
        label("ada", 1, "graph-confusion"),
        label("bob", 1, "graph-confusion"),
        label("ada", 2, "graph-confusion"),
        label("bob", 2, "missed-batch-api"),
        label("ada", 3, ""),
        label("bob", 3, "missed-batch-api"),
        label("ada", 4, "graph-confusion"),
    ]
    results = {a.dimension: a for a in agreement(pairs(labels, "ada", "bob"))}
    assert results["is_problem"].compared == 3
    assert results["cause"].compared == 2
    assert results["cause"].alike == 0.5
    # One label throughout: agreement by chance is certain, and kappa has no value.
    assert results["introduced"].kappa is None
