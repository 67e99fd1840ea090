"""The comment that an editor offers silences what it is offered for, and nothing breaks."""

from __future__ import annotations

import pytest

from deepperf.check.run import check_text
from deepperf.check.silence import silencing
from deepperf.config.options import Options
from deepperf.fixes.apply import apply_edits
from deepperf.records import Level

LOOP = "import tensorflow as tf\nfor x in range(99):\n"


@pytest.mark.parametrize(
    "statement",
    [
        "    tf.function(lambda y: y)(x)\n",
        "    tf.function(\n        lambda y: y,\n    )(x)",
        "    tf.function(lambda y: y)(\\\n        x)\n",
        '    tf.function(lambda y: y)(x, """\n    text""")\n',
        "    if tf.function(lambda y: y)(x):\n        pass\n",
        "    tf.function(lambda y: y)(x)  # deepperf: ignore[serial-map]\n",
        "    tf.function(lambda y: y)(x)  # said\r\n    print(x)\r\n",
    ],
)
def test_the_comment_silences_the_rule_where_it_is_offered(statement: str) -> None:
    text = LOOP + statement
    options = Options(level=Level.NOTE, ignore=("unused-suppression",))
    (finding,) = (f for f in check_text(text, options).findings if f.rule == "compiled-per-call")
    edit = silencing(text, finding.location, finding.rule)
    assert edit is not None
    after = apply_edits(text, [edit])
    compile(after, "after", "exec")
    assert "compiled-per-call" not in {f.rule for f in check_text(after, options).findings}
