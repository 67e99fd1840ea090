"""Variables that are set one session run after the other are told from those that need it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked, needs

needs("tensorflow")

PROGRAM = """\
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
fields = [v1.get_variable(f"field{number}", (3,)) for number in range(5)]
clock = v1.get_variable("clock", ())
fresh = [v1.placeholder(tf.float32, (3,)) for _ in fields]
update = tf.group(*[v1.assign(old, new) for old, new in zip(fields, fresh)])
total = tf.add_n(fields)
with v1.Session() as session:
    session.run(v1.global_variables_initializer())
    for field in fields:
        field.load(np.ones(3, "float32"), session)
    for turn in range(12):
        for field in fields:
            field.load(np.full(3, turn, "float32"), session)  # each
        clock.load(float(turn), session)
        session.run(update, dict(zip(fresh, [np.zeros(3)] * 5)))
        session.run(total, {fields[0]: np.zeros(3)})
"""


@pytest.mark.watched
def test_only_several_variables_set_again_and_again_are_told(tmp_path: Path) -> None:
    (found,) = diagnoses(tmp_path, PROGRAM, "load-per-variable")
    assert [found["line"]] == marked(PROGRAM, "each")
    assert found["cause"] == "missed-efficient-api"
    assert found["evidence"].startswith("60 runs for 5 variables")
