"""Words of texts are found with the files they stand in, whole or in part."""

from __future__ import annotations

import re

import pytest

from deepperf.semantics.files.words import first_letters, is_word, may_have, words_in
from deepperf.semantics.text.source import Source, read_source

TEXTS = {
    "a.py": "import tensorflow as tf\ntf.gather_nd(x, i)\n",
    "b.py": "# Gathers rows, größer als zuvor\nx = tf.gather(x, i)\n",
    "c.py": "",
}


def _source(path: str) -> Source:
    read = read_source(path, TEXTS[path].encode())
    assert isinstance(read, Source)
    return read


WORDS = words_in({path: _source(path) for path in TEXTS})


@pytest.mark.parametrize(
    ("piece", "files"),
    [
        pytest.param("gather_nd", {"a.py"}, id="a word"),
        pytest.param("gather", {"a.py", "b.py"}, id="a part of a word"),
        pytest.param("tf.gather(", {"a.py", "b.py"}, id="several words, wherever they stand"),
        pytest.param("tensorflow.gather", {"a.py"}, id="several words in one file"),
        pytest.param("größer", {"b.py"}, id="a word beyond ASCII"),
        pytest.param("absent", set(), id="a word that is nowhere"),
        pytest.param("((", set(TEXTS), id="no word at all"),
    ],
)
def test_files_may_have_what_all_words_of_a_piece_stand_in(piece: str, files: set[str]) -> None:
    assert may_have(WORDS, piece) == files


def test_a_word_is_not_found_across_two_others() -> None:
    first, second = list(WORDS.files)[:2]
    assert may_have(WORDS, f"{first.decode()}{second.decode()}") == set()


@pytest.mark.parametrize(
    ("pattern", "letters"),
    [
        (r"tf\.\w+", "tf"),
        (r"keras?\.", "kera"),
        (r"nodes*", "node"),
        (r"models+", "models"),
        (r"ab{2}", "a"),
        (r"\bjax", ""),
        (r"tf|jax", ""),
        (r"[tj]f", ""),
    ],
)
def test_the_letters_with_which_a_match_begins(pattern: str, letters: str) -> None:
    assert first_letters(re.compile(pattern)) == letters


def test_where_case_does_not_count_no_letters_are_certain() -> None:
    assert first_letters(re.compile("jax", re.IGNORECASE)) == ""


def test_a_piece_with_a_dot_is_no_single_word() -> None:
    assert [is_word(piece) for piece in ("gather_nd", "tf.gather", "")] == [True, False, False]
