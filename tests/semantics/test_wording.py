"""What texts say is read without parsing them, as the parser would find it."""

import pytest

from deepperf.semantics.text.wording import imported_names, may_call, words_of


@pytest.mark.parametrize(
    "text",
    ["fit(x)", "model.fit(x)", "model.fit (x)", "(fit)(x)", "model.fit \\\n(x)", "@fit(1)\n"],
)
def test_calls_are_seen_in_every_layout(text: str) -> None:
    assert may_call(text, "fit")


@pytest.mark.parametrize(
    "text", ["def fit(x): ...", "class fit(X): ...", "benefit(x)", "fits(x)", "fit", "fit = (1, 2)"]
)
def test_definitions_and_parts_of_names_are_no_calls(text: str) -> None:
    assert not may_call(text, "fit")


def test_a_call_beside_the_definition_is_seen() -> None:
    assert may_call("def fit(x):\n    return fit(x - 1)\n", "fit")


def test_words_are_whole_names() -> None:
    assert words_of("a.size(x1)  # the_size") == {b"a", b"size", b"x1", b"the_size"}
    assert words_of("‘größe’ = größe") == {"größe".encode()}


def test_imported_names_are_those_of_all_statements() -> None:
    text = (
        "import numpy as np, os.path\n"
        "from torch import (  # tensors\n    nn,\n    optim as o,  # steps\n)\n"
        "def f():\n    from . import layers\n"
    )
    assert list(imported_names(text)) == [
        ("numpy", "", "np"),
        ("os.path", "", ""),
        ("torch", "nn", ""),
        ("torch", "optim", "o"),
        (".", "layers", ""),
    ]
