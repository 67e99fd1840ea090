"""The likely cause and stage of a candidate: from its words, and from the code in it.

The words are compared with those of the labelled problems; the code is checked as `check` does,
and what a rule finds speaks for the rule's own cause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deepperf.check.run import check_text
from deepperf.config.options import Options
from deepperf.records import Level
from deepperf.rules.registry import load_rules
from deepperf.study.candidates import Candidate
from deepperf.study.dataset import StudiedProblem

FOLDS = 5
SEED = 0
TOP_WORDS = 4
DIMENSIONS = ("cause", "introduced", "exposed")


@dataclass(frozen=True, slots=True)
class Clue:
    """A finding of a rule in a post's code: the rule, its cause, and its message."""

    rule: str
    cause: str
    message: str


@dataclass(frozen=True, slots=True)
class Guess:
    """A label that a post's words make likely, how likely, and the words that weigh most."""

    label: str
    share: float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What is likely of a candidate, per dimension, and what the code in it shows."""

    candidate: str
    guesses: Mapping[str, Guess]
    clues: tuple[Clue, ...]

    @property
    def cause(self) -> str:
        """The likely cause: what the code shows goes before what the words make likely."""
        if self.clues:
            return Counter(clue.cause for clue in self.clues).most_common(1)[0][0]
        return self.guesses["cause"].label


@dataclass(frozen=True, slots=True)
class Score:
    """Of one dimension: how often the label was right that was guessed from words alone.

    `majority` is how often the most frequent label is right; both are of cross-validation,
    with all problems of one post on the same side, over `count` problems.
    """

    dimension: str
    count: int
    right: float
    majority: float
    macro_f1: float


Models = Mapping[str, Any]


def learn(problems: Sequence[StudiedProblem]) -> Models:
    """A model of each dimension, learnt from the summaries of labelled problems."""
    told = [problem for problem in problems if problem.summary]
    texts = [problem.summary for problem in told]
    return {
        dimension: _model().fit(texts, [getattr(p, dimension) for p in told])
        for dimension in DIMENSIONS
    }


def suggest(candidate: Candidate, models: Models) -> Suggestion:
    """What is likely of `candidate`."""
    text = f"{candidate.post.title}\n{candidate.post.text}"
    guesses = {dimension: _guess(model, text) for dimension, model in models.items()}
    return Suggestion(candidate.key, guesses, clues_in(candidate.post.code))


def clues_in(blocks: Iterable[str]) -> tuple[Clue, ...]:
    """What the rules find in blocks of code, each by itself, and in all of them in a row.

    Posts show fragments: imports may stand in another block than what uses them.
    """
    listed = [block for block in blocks if block.strip()]
    texts = [*listed, "\n".join(listed)] if len(listed) > 1 else listed
    causes = {loaded.rule.name: loaded.rule.cause for loaded in load_rules()}
    options = Options(level=Level.NOTE)
    found: dict[tuple[str, str], Clue] = {}
    for text in texts:
        for finding in check_text(text, options).findings:
            if finding.rule in causes:
                clue = Clue(finding.rule, causes[finding.rule], finding.message)
                found[clue.rule, clue.message] = clue
    return tuple(found.values())


def _model() -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, stop_words="english")
    return make_pipeline(words, LogisticRegression(C=10.0, max_iter=1000))


def _guess(model: Any, text: str) -> Guess:
    shares = model.predict_proba([text])[0]
    best = int(shares.argmax())
    words, regression = model[0], model[-1]
    present = words.transform([text])
    # Of two labels there is one row of weights, which speaks for the second.
    weights = regression.coef_[best] if len(regression.coef_) > 1 else regression.coef_[0]
    told = present.multiply(weights).toarray()[0]
    names = words.get_feature_names_out()
    top = [str(names[i]) for i in told.argsort()[::-1][:TOP_WORDS] if told[i] > 0]
    return Guess(str(model.classes_[best]), float(shares[best]), tuple(top))


def validate(problems: Sequence[StudiedProblem]) -> tuple[Score, ...]:
    """How well words tell each dimension, beside always guessing the most frequent label."""
    import warnings

    from sklearn.metrics import f1_score
    from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict

    told = [problem for problem in problems if problem.summary]
    texts = [problem.summary for problem in told]
    posts = [problem.post for problem in told]
    scores = []
    for dimension in DIMENSIONS:
        labels = [getattr(problem, dimension) for problem in told]
        folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=SEED)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some labels are rarer than there are folds
            guessed = cross_val_predict(_model(), texts, labels, groups=posts, cv=folds)
        right = sum(map(str.__eq__, map(str, guessed), labels)) / len(labels)
        majority = Counter(labels).most_common(1)[0][1] / len(labels)
        f1 = float(f1_score(labels, guessed, average="macro", zero_division=0))
        scores.append(Score(dimension, len(labels), right, majority, f1))
    return tuple(scores)
