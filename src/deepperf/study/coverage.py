"""Which of the studied problems deepperf has a rule or a run-time signal for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from deepperf.study.dataset import StudiedProblem, StudyError
from deepperf.study.tables import Table
from deepperf.taxonomy.terms import load_codebook


def require_known_rules(problems: Sequence[StudiedProblem], known: Collection[str]) -> None:
    """Raise `StudyError` for a problem that names a rule there is not."""
    for problem in problems:
        for rule in problem.rules:
            if rule not in known:
                raise StudyError(f"{problem.id} names the rule {rule!r}, which there is not")


def coverage_tables(
    problems: Sequence[StudiedProblem], signalled: Collection[str]
) -> tuple[Table, ...]:
    """Coverage by cause, and the problems that each rule is for.

    `signalled` are the rules whose smells a run-time signal sees as well.
    """
    return (_by_cause(problems, signalled), _by_rule(problems, signalled))


def _by_cause(problems: Sequence[StudiedProblem], signalled: Collection[str]) -> Table:
    book = load_codebook()
    all_of = Counter(problem.cause for problem in problems)
    with_rule = Counter(problem.cause for problem in problems if problem.rules)
    seen = Counter(p.cause for p in problems if not set(signalled).isdisjoint(p.rules))
    shown = Counter(problem.cause for problem in problems if problem.benchmark)
    rows = [
        (book.causes[cause].title, count, with_rule[cause], seen[cause], shown[cause])
        for cause, count in all_of.most_common()
    ]
    sums = (all_of.total(), with_rule.total(), seen.total(), shown.total())
    return Table(
        "coverage",
        "Problems for whose kind there is a rule or a run-time signal",
        (
            "root cause",
            "problems",
            "with a rule",
            "with a run-time signal",
            "with a program in the benchmark",
        ),
        (*rows, ("all", *sums)),
    )


def _by_rule(problems: Sequence[StudiedProblem], signalled: Collection[str]) -> Table:
    posts: dict[str, list[str]] = {}
    for problem in problems:
        for rule in problem.rules:
            posts.setdefault(rule, []).append(problem.id)
    ranked = sorted(posts.items(), key=lambda item: (-len(item[1]), item[0]))
    rows = tuple(
        (rule, len(ids), "yes" if rule in signalled else "no", " ".join(sorted(ids)))
        for rule, ids in ranked
    )
    columns = ("rule", "problems", "seen at run time", "posts")
    return Table("rules", "Problems that each rule is for", columns, rows)
