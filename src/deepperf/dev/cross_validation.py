"""Which estimate tells findings that are worth a change from others: cross-validated, by readers.

`corpus/estimates.csv` has a row for each judged finding whose code was at hand: the verdict, what
`check` says of it today, and the parts of its estimate. Each *estimator* gives a finding a score
from these parts; a finding is a warning where its score reaches a threshold. Scores and thresholds
for the findings of a repository are learnt from all other repositories.
"""

from __future__ import annotations

import csv
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from deepperf.dev.bar import Record

FILE = Path("corpus/estimates.csv")
SILENT, NOTE, WARNING = "silent", "note", "warning"
USERS = "users"
"""Code of users of 2022–2026; all else is of pinned packages."""
COLUMNS = (
    *("code", "round", "repository", "file", "line", "rule", "verdict", "first", "now", "ceiling"),
    "place",
    *("estimate", "cost", "times", "iteration", "runs_for", "loops", "trips", "guard", "training"),
    *("unused", "beside", "accelerator", "steps", "places", "fix", "framework"),
)
FOLDS = 10
TOLD, WARNED, WORTH, WRONG = 0.85, 0.6, 0.6, 0.06
"""What is asked: of the true findings at least these shares told and warned of; of the warnings at
least this share true, at most that one false."""
_SEVERAL = ("runs_for", "loops", "beside")
_NAMED = ("rule", "cost", "iteration", "guard", "training", "unused", "accelerator", "fix", "code")
_PRIOR = 4.0
"""How many findings of a rule count as much as what holds for all rules."""


class Hit(NamedTuple):
    """A finding that was judged: its verdict, its level by the rules of today, and its parts."""

    repository: str
    verdict: str
    now: str
    is_users: bool
    round: str
    parts: Mapping[str, str]

    @property
    def rule(self) -> str:
        return self.parts["rule"]

    @property
    def estimate(self) -> float:
        return float(self.parts["estimate"] or 0.0)

    @property
    def before(self) -> Hit:
        """The same at the level that it had before it was judged."""
        return self._replace(now=self.parts["first"])

    @property
    def may_warn(self) -> bool:
        """Whether it is told, and stands neither in a test nor an example."""
        return self.now != SILENT and self.parts["place"] == "source"


NEVER = -math.inf
"""The score of what is no warning, whatever the threshold."""
Scores = Sequence[float]
Estimator = Callable[[Sequence[Hit], Sequence[Hit]], Scores]
"""Scores the second findings, knowing the verdicts on the first alone."""


class Outcome(NamedTuple):
    """What a choice of warnings gives, as shares from 0 to 1."""

    told: float  # of the true findings, as warnings or notes
    warned: float  # of the true findings, as warnings
    true: float  # of the warnings
    false: float  # of the warnings
    warnings: int

    @property
    def is_enough(self) -> bool:
        """Whether this is as good as asked."""
        enough = self.told >= TOLD and self.warned >= WARNED and self.true >= WORTH
        return enough and self.false <= WRONG

    @property
    def f_score(self) -> float:
        """The harmonic mean of precision (true warnings) and recall (true findings warned of)."""
        both = self.true + self.warned
        return 2 * self.true * self.warned / both if both else 0.0


def read_hits(path: Path) -> list[Hit]:
    """All rows; a line of a file that several repositories have a copy of counts once."""
    found: dict[tuple[str, ...], Hit] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            names = Path(row["file"]).parts[-3:]
            own = (row["repository"],) if len(names) < 3 else ()
            head = (row["repository"], row["verdict"], row["now"])
            hit = Hit(*head, row["code"] == USERS, row["round"], row)
            key = (row["line"], row["rule"], *own, *names)
            found[key] = hit
    return list(found.values())


def outcome(hits: Sequence[Hit], warned: Iterable[bool]) -> Outcome:
    """What it gives to warn of some of the findings."""
    of = Counter(h.verdict for h, is_warned in zip(hits, warned, strict=True) if is_warned)
    return _outcome(_levels_of_true(hits), of)


def _levels_of_true(hits: Sequence[Hit]) -> Counter[str]:
    return Counter(hit.now for hit in hits if hit.verdict == "true")


def _outcome(true: Counter[str], warnings: Counter[str]) -> Outcome:
    every, said = max(true.total(), 1), max(warnings.total(), 1)
    right, wrong = warnings["true"], warnings["false"]
    told = true.total() - true[SILENT]
    return Outcome(told / every, right / every, right / said, wrong / said, warnings.total())


def curve(hits: Sequence[Hit], scores: Scores) -> list[tuple[float, Outcome]]:
    """What each threshold gives, from the highest on."""
    both = zip(hits, scores, strict=True)
    rows = [(s, hit.verdict) for hit, s in both if hit.may_warn and s > NEVER]
    rows.sort(key=lambda row: -row[0])
    points: list[tuple[float, Outcome]] = []
    true, warnings = _levels_of_true(hits), Counter[str]()
    for score, same in itertools.groupby(rows, key=lambda row: row[0]):
        warnings.update(verdict for _, verdict in same)
        points.append((score, _outcome(true, warnings)))
    return points


def concordance(hits: Sequence[Hit], scores: Scores, folds: Sequence[int]) -> float:
    """In how many pairs of a true and another finding of one rule the true one is scored higher.

    Equal scores count half: one half is what says nothing. Pairs are of one fold: what is learnt
    without a true finding thinks less of its rule.
    """
    groups: dict[tuple[str, int], tuple[list[float], list[float]]] = {}
    for hit, score, fold in zip(hits, scores, folds, strict=True):
        if hit.may_warn:
            groups.setdefault((hit.rule, fold), ([], []))[hit.verdict != "true"].append(score)
    right = pairs = 0.0
    for true, others in groups.values():
        pairs += len(true) * len(others)
        right += sum((high > low) + (high == low) / 2 for high in true for low in others)
    return right / pairs if pairs else 0.5


def operating_point(points: Sequence[tuple[float, Outcome]]) -> tuple[float, Outcome]:
    """The best by F-score of those that are as good as asked; of all, where none is."""
    enough = [point for point in points if point[1].is_enough]
    nothing = (math.inf, Outcome(0.0, 0.0, 0.0, 0.0, 0))
    return max(enough or points, key=lambda point: point[1].f_score, default=nothing)


def folds_of(hits: Sequence[Hit], count: int = FOLDS) -> list[int]:
    """A fold for each finding, the same for all of a repository, and all about equally large."""
    sizes = Counter(hit.repository for hit in hits)
    loads, of = [0] * count, dict[str, int]()
    for repository, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        of[repository] = loads.index(min(loads))
        loads[of[repository]] += size
    return [of[hit.repository] for hit in hits]


def crossed(hits: Sequence[Hit], estimator: Estimator) -> tuple[list[float], list[bool]]:
    """Scores, and whether each is a warning: both learnt from other repositories alone."""
    folds = folds_of(hits)
    scores = [0.0] * len(hits)
    for fold in set(folds):
        here = [index for index, own in enumerate(folds) if own == fold]
        known = [hit for hit, own in zip(hits, folds, strict=True) if own != fold]
        for index, score in zip(here, estimator(known, [hits[i] for i in here]), strict=True):
            scores[index] = score
    warned = [False] * len(hits)
    for fold in set(folds):
        rest = [index for index, own in enumerate(folds) if own != fold]
        points = curve([hits[i] for i in rest], [scores[i] for i in rest])
        threshold, _ = operating_point(points)
        for index, own in enumerate(folds):
            if own == fold:
                warned[index] = hits[index].may_warn and scores[index] >= threshold
    return scores, warned


def applied(
    known: Sequence[Hit], asked: Sequence[Hit], estimator: Estimator
) -> tuple[Scores, list[bool]]:
    """The same for findings of which none was known: all is learnt from the others."""
    scores, _ = crossed(known, estimator)
    threshold, _ = operating_point(curve(known, scores))
    given = estimator(known, asked)
    reached = (score >= threshold for score in given)
    return given, [hit.may_warn and is_high for hit, is_high in zip(asked, reached, strict=True)]


def by_estimate(_: Sequence[Hit], asked: Sequence[Hit]) -> Scores:
    """The share of an iteration that the cause has by the table of costs."""
    return [hit.estimate for hit in asked]


def by_bar(known: Sequence[Hit], asked: Sequence[Hit]) -> Scores:
    """Today's warnings, of rules of which the known findings allow any: decision 0026.

    No threshold makes others of them warnings.
    """
    still = _by_rule(hit for hit in known if hit.now == WARNING)
    judged = _by_rule(hit for hit in known if hit.before.now == WARNING)
    rules = judged.keys() | still.keys()
    read = (Record(r, judged.get(r, Counter()), still.get(r, Counter())) for r in rules)
    notes = {record.rule for record in read if not record.is_worth_warning}
    return [1.0 if hit.now == WARNING and hit.rule not in notes else NEVER for hit in asked]


def _by_rule(hits: Iterable[Hit]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for hit in hits:
        found.setdefault(hit.rule, Counter())[hit.verdict] += 1
    return found


def by_rule(known: Sequence[Hit], asked: Sequence[Hit]) -> Scores:
    """How many of the rule's findings were worth a change, warnings or not."""
    told = _by_rule(hit for hit in known if hit.now != SILENT)
    count = sum(verdicts.total() for verdicts in told.values())
    mean = sum(verdicts["true"] for verdicts in told.values()) / max(count, 1)
    of = {hit.rule: told.get(hit.rule, Counter()) for hit in asked}
    share = {rule: (n["true"] + _PRIOR * mean) / (n.total() + _PRIOR) for rule, n in of.items()}
    return [share[hit.rule] for hit in asked]


def by_rule_and_estimate(known: Sequence[Hit], asked: Sequence[Hit]) -> Scores:
    """A weight for each rule, and one for the logarithm of the estimate's odds."""
    return _regressed(known, asked, lambda hit: {f"rule={hit.rule}": 1.0, "odds": _odds(hit)})


def by_all_parts(known: Sequence[Hit], asked: Sequence[Hit]) -> Scores:
    """A weight for each value of each part."""
    return _regressed(known, asked, _values)


def by_all_and_level(known: Sequence[Hit], asked: Sequence[Hit]) -> Scores:
    """The same with today's level as a part, which was set with these verdicts at hand."""
    return _regressed(known, asked, lambda hit: {**_values(hit), "now": float(hit.now == WARNING)})


ESTIMATORS: Mapping[str, Estimator] = {
    "bar of 0026": by_bar,
    "estimate": by_estimate,
    "rule": by_rule,
    "rule and estimate": by_rule_and_estimate,
    "all parts": by_all_parts,
    "all parts and today's level": by_all_and_level,
}


def _odds(hit: Hit) -> float:
    share = min(max(hit.estimate, 1e-4), 0.999)
    return math.log10(share / (1 - share))


def _values(hit: Hit) -> dict[str, float]:
    """The parts of a finding's estimate as numbers by name."""
    found = {f"{name}={hit.parts[name]}": 1.0 for name in _NAMED}
    for name in _SEVERAL:
        found.update({f"{name}={one}": 1.0 for one in hit.parts[name].split("+")})
    trips = [int(one) for one in hit.parts["trips"].split("+") if one.isdigit()]
    found["odds"] = _odds(hit)
    found["trips"] = math.log10(math.prod(trips) + 1.0)
    found["depth"] = float(len(hit.parts["loops"].split("+")))
    found["steps"] = math.log1p(float(hit.parts["steps"] or 0))
    found["places"] = math.log1p(float(hit.parts["places"] or 0))
    return found


def _regressed(
    known: Sequence[Hit], asked: Sequence[Hit], values: Callable[[Hit], dict[str, float]]
) -> Scores:
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    told = [hit for hit in known if hit.may_warn]
    if not asked or len({hit.verdict == "true" for hit in told}) < 2:
        return [0.0] * len(asked)
    model = make_pipeline(DictVectorizer(), LogisticRegression(max_iter=5000))
    # The weights are shrunken as scikit-learn does by default: nothing here is tuned.
    model.fit([values(hit) for hit in told], [hit.verdict == "true" for hit in told])
    return [float(share) for _, share in model.predict_proba([values(hit) for hit in asked])]
