"""What a turn needs of the one before it is told from a loop's text."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import marked

from deepperf.dynamic.program.turns import (
    goes_over_what_is_read,
    is_carried,
    needs_last_turn,
    only_carries_state,
    only_updates,
    picks_by_turn,
    takes_item,
)

PROGRAM = """\
def recurrent(xs, cell):
    state = None
    for x in xs:
        gate = cell(x, state)  # needs
        state = gate * 2  # needs
        print(gate)  # needs
    return state


def played(env, policy):
    seen = env.reset()
    while True:
        action = policy(seen)  # needs
        seen, done = env.step(action)  # needs
        if done:  # needs
            break


def summed(rows, model):
    total, count, best = 0.0, 0, None
    for i in range(len(rows)):
        x = rows[i]
        x = x * 2
        total += model(x).sum()  # free
        count = count + 1
    return total / count


def descended(x, rate, gradient):
    for _ in range(10):
        step = gradient(x)  # needs
        x -= rate * step  # needs
    return x


def covered(image, model):
    for row in range(8):
        hidden = image.copy()
        hidden[row : row + 2] = 0
        yield model(hidden)  # free


def asked(paths, load, model):
    return [model(load(path)) for path in paths]  # free
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return str(path)


def test_a_recurrence_needs_the_last_turn_and_a_sum_does_not(program: str) -> None:
    lines = range(1, len(PROGRAM.splitlines()) + 1)
    assert [line for line in lines if needs_last_turn(program, line)] == marked(PROGRAM, "needs")


def test_items_of_a_loop_are_told_from_what_it_carries(program: str) -> None:
    for line in marked(PROGRAM, "free"):
        assert takes_item(program, line)
        assert picks_by_turn(program, line)
    for line in marked(PROGRAM, "needs"):
        assert not takes_item(program, line)


def test_a_variable_is_carried_where_it_is_made_of_itself(program: str) -> None:
    line = marked(PROGRAM, "needs")[1]
    assert is_carried(program, line, "state")
    assert not is_carried(program, marked(PROGRAM, "free")[0], "x")


UPDATES = """\
def marked(board, cells):
    for row, column in cells:
        board = board.at[row, column].set(1)  # alone
    return board


def drawn(board, cells):
    for cell in cells:
        board = stamped(board, cell)  # alone
    return board


def filled(values, count):
    for i in range(1, count):
        values = values.at[i].set(values[i - 1] * 2)
    return values


def walked(board, place):
    for _ in range(9):
        board = board.at[place].add(1)
        place = board.argmin()
    return board
"""


def test_an_update_that_needs_what_was_set_before_does_more_than_update(tmp_path: Path) -> None:
    path = tmp_path / "updates.py"
    path.write_text(UPDATES, encoding="utf-8")
    updates = [n for n, line in enumerate(UPDATES.splitlines(), 1) if " board = " in line]
    updates += [n for n, line in enumerate(UPDATES.splitlines(), 1) if " values = " in line]
    alone = [line for line in sorted(updates) if only_updates(str(path), line)]
    assert alone == marked(UPDATES, "alone")


CELLS = """\
def encoded(self, window):
    h, c = self.first(window)
    for t in range(window.size(1)):
        x = self.embed(window[:, t])
        h, c = self.cell(x, (h, c))  # steps
    return h


def kept(self, inputs, outputs):
    for x in inputs.unbind(1):
        self.hidden = self.cell(input=x, hx=self.hidden)  # steps
        outputs.append(self.hidden)
    for x in inputs.unbind(1):
        self.hidden = self.cell(x, self.hidden)  # steps
        outputs.append(self.hidden)


def counted(cell, inputs, h):
    t = 0
    while t < len(inputs):
        h = cell(inputs[t], hx=h)  # steps
        t += 1
    return h


def written(self, word, h):
    for _ in range(20):
        h = self.cell(self.embed(word), h)
        word = self.out(h).argmax(-1)


def attending(self, inputs, memory, h):
    for x in inputs:
        h = self.cell(self.attend(h, memory) + x, h)


def masked(self, inputs, masks, h):
    for x, mask in zip(inputs, masks):
        h = self.cell(x, h)
        h = h * mask


def until(self, inputs, h):
    for x in inputs:
        h = self.cell(x, h)
        if self.stops(h):
            break


def forgetful(self, inputs, h):
    return [self.cell(x, h) for x in inputs]
"""


def test_a_cell_that_carries_its_state_alone_is_told_from_one_that_is_fed_with_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "cells.py"
    path.write_text(CELLS, encoding="utf-8")
    lines = range(1, len(CELLS.splitlines()) + 1)
    assert [n for n in lines if only_carries_state(str(path), n)] == marked(CELLS, "steps")


READ = """\
def total(values, loader, model):
    found = 0.0
    for value in values:
        found += value.item()
        found += float(value)
    for rows, labels in loader:
        found += model(rows).sum().item()
    for rows in loader:
        found += model(rows).sum().item()
    while found:
        found = found.item()
    return found
"""


def test_a_loop_over_numbers_that_it_reads_is_one_work_with_the_reading(tmp_path: Path) -> None:
    path = tmp_path / "total.py"
    path.write_text(READ, encoding="utf-8")
    said = [goes_over_what_is_read(str(path), line) for line in (4, 5, 7, 9, 11)]
    assert said == [3, 3, 0, 0, 0]
