"""Whether a call works on what its own result led to, a turn before."""

from __future__ import annotations

import pytest

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.project import Project
from deepperf.semantics.loops.feedback import feeds_back
from deepperf.semantics.text.source import Source, role_of


@pytest.mark.parametrize(
    ("body", "feeds"),
    [
        ("x = ask(x)", 1),
        ("action = best(ask(state))\n    state, reward = env.step(action)", 1),
        ("word = ask(text)\n    text.append(word)", 1),
        ("self.state = move(ask(self.state))", 1),
        ("found.append(ask(images[i]))", 0),
        ("x = images[i]\n    y = ask(x)\n    z = y + 1", 0),
        ("self.answer = ask(self.state)", 0),
        ("tile = image[i]\n    scores[i] = ask(tile)", 0),
        ("image[i] = ask(image[i])", 1),
    ],
)
def test_what_rests_on_the_last_answer_is_known(body: str, feeds: int) -> None:
    text = f"while True:\n    {body}\n"
    analysis = Analysis(Project({"a.py": Source("a.py", text, role_of("a.py"))}), "a.py")
    (site,) = analysis.module("a.py").calls_named("ask")

    assert feeds_back(site.frames[0], site) is bool(feeds)
