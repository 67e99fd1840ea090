"""The likely cause comes from a post's words, and from what its code shows."""

from __future__ import annotations

import pytest

from deepperf.study.candidates import Candidate, Post
from deepperf.study.dataset import StudiedProblem, read_study
from deepperf.study.suggest import Models, clues_in, learn, suggest, validate

IMPORTS = "import tensorflow.compat.v1 as tf\n"
LOOP = """\
sess = tf.Session()
for path in paths:
    image = sess.run(tf.image.decode_png(tf.read_file(path)))
"""


@pytest.fixture(scope="module")
def problems() -> tuple[StudiedProblem, ...]:
    return read_study()


@pytest.fixture(scope="module")
def models(problems: tuple[StudiedProblem, ...]) -> Models:
    return learn(problems)


def test_code_that_lacks_its_import_is_read_with_the_other_blocks() -> None:
    assert [clue.rule for clue in clues_in((IMPORTS, LOOP))] == ["graph-growth"]


def test_code_that_is_no_python_tells_nothing() -> None:
    assert clues_in(("Epoch 1/10\n 4/4 [====] - loss: nan", "$ nvidia-smi", "")) == ()


def test_what_the_code_shows_goes_before_the_words(models: Models) -> None:
    post = Post("t", "1", "", "Batch size and memory", "out of memory", (IMPORTS + LOOP,), (), 0, 0)
    found = suggest(Candidate(post, "tensorflow", ()), models)
    assert found.cause == "graph-confusion"
    assert found.guesses["cause"].label != "graph-confusion"


def test_words_tell_with_what_they_weigh(models: Models) -> None:
    title = "Why do nodes added to the graph in each round make it slower"
    post = Post("t", "1", "", title, "", (), (), 0, 0)
    guess = suggest(Candidate(post, "tensorflow", ()), models).guesses["cause"]
    assert guess.label == "graph-confusion"
    assert "graph" in guess.words
    assert 0 < guess.share <= 1


def test_words_beat_the_most_frequent_label(problems: tuple[StudiedProblem, ...]) -> None:
    cause = validate(problems)[0]
    assert cause.dimension == "cause"
    assert cause.right > cause.majority
