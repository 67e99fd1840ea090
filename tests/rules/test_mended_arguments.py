"""Which argument of a call the fix of `retracing` passes as a tensor."""

from __future__ import annotations

from deepperf.check.run import check_text
from deepperf.config.options import Options
from deepperf.fixes.apply import fix_text
from deepperf.records import Level, Safety

TEXT = """\
import json

import tensorflow as tf

ITEMS = tf.ones((50, 8))


class Shop:
    @staticmethod
    @tf.function
    def recommend(scale, basket):
        return tf.reduce_mean(tf.gather(ITEMS, basket), 0) * scale

    def serve(self, stream):
        for line in stream:
            request = json.loads(line)
            self.recommend(tf.constant(2.0), request["basket"])
"""


def test_a_static_method_gets_the_tensor_in_place_of_the_list_that_it_was_passed() -> None:
    options = Options(select=("retracing",), level=Level.NOTE)
    fixed = fix_text(TEXT, lambda now: check_text(now, options).findings, Safety.UNSAFE).text
    assert 'self.recommend(tf.constant(2.0), tf.constant(request["basket"], tf.int32))' in fixed
