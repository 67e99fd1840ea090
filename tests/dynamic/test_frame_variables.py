"""Variables of a frame are read, and nothing of them is held on to."""

from __future__ import annotations

import sys
import weakref
from typing import Any

from deepperf.dynamic.recording.frame_variables import variables


class Thing:
    pass


def read(frame: Any) -> list[str]:
    return sorted(variables(frame))


def freed() -> tuple[list[str], bool]:
    thing = Thing()
    known = weakref.ref(thing)
    names = read(sys._getframe())
    del thing
    return names, known() is None


def test_a_variable_that_was_read_is_freed_as_before() -> None:
    assert freed() == (["known", "thing"], True)


def test_attributes_of_self_are_variables() -> None:
    class Training:
        def __init__(self) -> None:
            self.losses = [1.0]

        def names(self) -> list[str]:
            return read(sys._getframe())

    assert Training().names() == ["self", "self.losses"]


def test_a_function_that_asks_for_its_own_variables_is_left_alone() -> None:
    mine = locals()
    assert read(sys._getframe()) == []
    assert mine == {}


def test_a_method_of_such_a_name_is_no_reason_to() -> None:
    class Model:
        def eval(self) -> list[str]:
            return read(sys._getframe(1))

    def names() -> list[str]:
        model = Model()
        return model.eval()

    assert names() == ["Model", "model"]
