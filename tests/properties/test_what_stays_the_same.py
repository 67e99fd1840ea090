"""What deepperf says to stay the same in the turns of a loop does so when the program is run."""

from __future__ import annotations

import warnings
from dataclasses import replace

import pytest
from tests.properties.changing import programs, watching
from tests.properties.specimens import MORE

PROGRAMS = {"numpy": 100 * MORE, "torch": 25 * MORE}
"""Programs in each part of the runs."""
PARTS = 2


def test_a_claim_is_held_against_what_the_turns_compute() -> None:
    text = (
        "import numpy as np\n"
        "a = np.ones(3)\n"
        "kept = []\n"
        "def look(x):\n"
        "    return np.sort(x)\n"
        "for i in range(300):\n"
        "    kept.append(look(a))\n"
    )
    found = watching.claims(text)
    assert [claim.text for claim in found] == ["line 7: np.sort(x)"]
    assert watching.changed(text, found, "") == []
    # The loop reaches further in the text that is run: the claim is about the one that ends there.
    longer = text + "    a[0] += i\n"
    (claim,) = found
    (kind, line, column, _, _) = claim.loop
    spoilt = replace(claim, loop=(kind, line, column, 8, 13))
    assert watching.changed(longer, [spoilt], "") == ["line 7: np.sort(x)"]


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("framework", ["numpy", "torch"])
def test_what_is_said_to_stay_the_same_does(framework: str, part: int) -> None:
    if framework == "torch":
        pytest.importorskip("torch")
    words = programs.vocabulary(framework)
    tried = PROGRAMS[framework]
    wrong: dict[int, list[str]] = {}
    said = 0
    for seed in range(part * tried, (part + 1) * tried):
        text = programs.program(seed, words)
        found = watching.claims(text)
        said += len(found)
        if found:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if told := watching.changed(text, found, words.library):
                    wrong[seed] = told
    assert wrong == {}
    assert said > tried // 20
