"""Items that a loop hands on, call by call, are told from what calls keep for each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import marked

from deepperf.dynamic.program.handed_on import is_item_of_loop

PROGRAM = """\
class Scorer:
    def __init__(self, model):
        self.model = model
        self.state = None

    def score(self, candidate):
        row = candidate.features[None]
        return float(self.model(row)[0])  # of its argument

    def remember(self, candidate):
        answer = self.model((candidate, self.state))  # of the call before
        self.state = answer
        return answer

    def prepare(self, folder):
        self.scale = folder.scale

    def scaled(self, candidate):
        return self.model(candidate.features * self.scale)  # of what was prepared

    def look(self):
        return self.model(self.state)  # of nothing given


def rank(scorer, candidates):
    return [scorer.score(one) for one in candidates]  # over a list


def play(scorer, world):
    seen = world.reset()
    for turn in range(100):
        answer = scorer.score(seen)  # over a game
        seen = world.step(answer)


def follow(scorer, candidates):
    for one in candidates:
        scorer.remember(one)  # over a list with a memory


def all_of(scorer, candidates):
    return list(map(scorer.score, candidates))  # mapped


def one_of(scorer, candidates):
    return scorer.score(candidates[0])  # over nothing


def prepared(scorer, folder, candidates):
    scorer.prepare(folder)
    for one in candidates:
        scorer.scaled(one)  # over a list, prepared before


def prepared_again(scorer, candidates):
    for one in candidates:
        scorer.prepare(one)
        scorer.scaled(one)  # over a list, prepared in the loop


def shown(scorer, folders):
    for folder in folders:
        print(rank(scorer, folder))


def filmed(device):
    while device.is_on():
        yield device.frame()


def watch(scorer, frames):
    for frame in frames:
        scorer.score(frame)  # over a film


class Monitor:
    def __init__(self, scorer, frames):
        self.scorer = scorer
        self.frames = frames

    def run(self):
        for number, frame in enumerate(self.frames):
            self.scorer.score(frame)  # over a kept film


def filmed_and_watched(scorer, device):
    watch(scorer, filmed(device))
    Monitor(scorer, filmed(device)).run()
    lines = open("candidates.txt")
    return [scorer.score(line) for line in lines]  # over lines of a file


def read_and_watched(scorer, path):
    with open(path) as stream:
        lines = stream.readlines()
    for line in lines:
        scorer.score(line)  # over a list of lines
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return str(path)


def ways(program: str, *marks: str) -> list[tuple[str, int]]:
    return [(program, line) for mark in marks for line in marked(PROGRAM, mark)]


@pytest.mark.parametrize("outer", ["over a list", "over a list of lines", "mapped"])
def test_an_argument_is_looked_for_where_its_function_is_called(program: str, outer: str) -> None:
    assert is_item_of_loop(ways(program, "of its argument", outer))


def test_what_is_set_before_the_loop_alone_is_kept_from_no_call(program: str) -> None:
    before = ways(program, "of what was prepared", "over a list, prepared before")
    within = ways(program, "of what was prepared", "over a list, prepared in the loop")
    assert is_item_of_loop(before)
    assert not is_item_of_loop(within)


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        ("of its argument", "over a game"),
        ("of its argument", "over nothing"),
        ("of the call before", "over a list with a memory"),
        ("of nothing given", "over a list"),
    ],
)
def test_what_depends_on_earlier_calls_is_no_item(program: str, inner: str, outer: str) -> None:
    assert not is_item_of_loop(ways(program, inner, outer))


@pytest.mark.parametrize("outer", ["over a film", "over a kept film", "over lines of a file"])
def test_what_is_made_while_a_loop_goes_over_it_is_not_there_before(
    program: str, outer: str
) -> None:
    assert not is_item_of_loop(ways(program, "of its argument", outer))


def test_of_what_led_to_a_line_nothing_need_be_known() -> None:
    assert not is_item_of_loop([])
    assert not is_item_of_loop([("/nowhere/program.py", 3)])
