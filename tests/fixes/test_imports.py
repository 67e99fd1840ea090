"""A qualified name is written as the module's imports allow."""

from __future__ import annotations

import ast

import pytest

from deepperf.fixes.apply import apply_edits
from deepperf.fixes.imports import keep_results, spell, unimport

AUTOTUNE = "tensorflow.data.AUTOTUNE"


@pytest.mark.parametrize(
    ("imports", "spelled"),
    [
        ("import tensorflow as tf", "tf.data.AUTOTUNE"),
        ("import tensorflow", "tensorflow.data.AUTOTUNE"),
        ("import tensorflow.keras", "tensorflow.data.AUTOTUNE"),
        ("from tensorflow import data", "data.AUTOTUNE"),
        ("from tensorflow.data import AUTOTUNE as A", "A"),
        ("import os, tensorflow as tf", "tf.data.AUTOTUNE"),
    ],
)
def test_an_import_that_is_there_is_used(imports: str, spelled: str) -> None:
    spelling = spell(f"{imports}\nx = 1\n", AUTOTUNE, alias="tf")

    assert spelling is not None
    assert (spelling.text, spelling.edits) == (spelled, ())


def test_another_name_of_the_same_thing_is_used_if_that_is_imported() -> None:
    other = "tensorflow.compat.v1.data.AUTOTUNE"
    spelling = spell("import tensorflow.compat.v1 as tf\n", AUTOTUNE, other, alias="tf")

    assert spelling is not None
    assert (spelling.text, spelling.edits) == ("tf.data.AUTOTUNE", ())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "import tensorflow as tf\n"),
        ("x = 1\n", "import tensorflow as tf\n\nx = 1\n"),
        ('"""What."""\nx = 1\n', '"""What."""\n\nimport tensorflow as tf\nx = 1\n'),
        (
            '"""What."""\nfrom __future__ import annotations  # new\n',
            '"""What."""\nfrom __future__ import annotations  # new\n\nimport tensorflow as tf\n',
        ),
        ("import os\nimport zlib\n", "import os\nimport tensorflow as tf\nimport zlib\n"),
        ("import os\nfrom a import b\n", "import os\nfrom a import b\nimport tensorflow as tf\n"),
        ("#!/usr/bin/python\n# -*- coding: utf-8 -*-\nx = 1\n",
         "#!/usr/bin/python\n# -*- coding: utf-8 -*-\nimport tensorflow as tf\n\nx = 1\n"),
    ],
)  # fmt: skip
def test_a_missing_import_is_inserted_where_it_belongs(before: str, after: str) -> None:
    spelling = spell(before, AUTOTUNE, alias="tf")

    assert spelling is not None
    assert spelling.text == "tf.data.AUTOTUNE"
    assert apply_edits(before, spelling.edits) == after
    ast.parse(after)


@pytest.mark.parametrize(
    "text",
    [
        "def f(tf):\n    return tf\n",
        "import torch.functional as tf\n",
        "import tensorflow as tf\ntf = None\n",
        "x = = 1\n",
    ],
)
def test_a_name_that_means_something_else_is_not_used(text: str) -> None:
    assert spell(text, AUTOTUNE, alias="tf") is None


def test_what_python_brings_along_is_imported_before_packages() -> None:
    for before, after in (
        ("from torch import nn\n", "import asyncio\n\nfrom torch import nn\n"),
        ("import os\n\nimport torch\n", "import asyncio\nimport os\n\nimport torch\n"),
        ("import abc\nimport torch\n", "import abc\nimport asyncio\nimport torch\n"),
    ):
        spelling = spell(before, "asyncio.to_thread")
        assert spelling is not None
        assert apply_edits(before, spelling.edits) == after


def kept(text: str) -> str | None:
    start = text.index("m.load(")
    edits = keep_results(text, start, start + len("m.load(p)"))
    return None if edits is None else apply_edits(text, edits)


def test_a_call_is_answered_from_what_it_gave_before() -> None:
    text = "import numpy as np\nimport m\n\n\ndef f(p):\n    return m.load(p)\n"
    assert kept(text) == (
        "import functools\n\nimport numpy as np\nimport m\n\n"
        "cached_load = functools.cache(m.load)\n\n\ndef f(p):\n    return cached_load(p)\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "m = make()\nm.load(p)\n",
        "import m\n\ncached_load = 1\nm.load(p)\n",
    ],
)
def test_what_is_not_imported_or_needs_a_name_that_is_taken_stays(text: str) -> None:
    assert kept(text) is None


def without(text: str, name: str = "partial", read: str = "@partial(f)") -> str:
    start = text.index(read)
    return apply_edits(text, unimport(text, name, start, start + len(read)))


def test_the_import_of_what_is_taken_away_goes_with_it() -> None:
    body = "@partial(f)\ndef g():\n    pass\n"
    alone = f"from functools import partial\n\nimport jax\n\n\n{body}"
    assert without(alone) == f"import jax\n\n\n{body}"
    among = f"import os\nfrom functools import partial\nimport jax\n\n\n{body}"
    assert without(among) == f"import os\nimport jax\n\n\n{body}"
    dos = alone.replace("\n", "\r\n")
    assert without(dos) == f"import jax\n\n\n{body}".replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("imports", "body"),
    [
        ("from functools import partial", "return partial"),
        ("from functools import cache, partial", "pass"),
        ("import os; from functools import partial", "pass"),
        ("from functools import partial  # used below", "pass"),
        ("from functools import partial\n\n__all__ = ['partial']", "pass"),
        ("try:\n    from functools import partial\nexcept ImportError:\n    pass", "pass"),
    ],
)
def test_an_import_that_others_may_need_stays(imports: str, body: str) -> None:
    text = f"{imports}\n\n\n@partial(f)\ndef g():\n    {body}\n"
    assert without(text) == text


def test_no_results_are_kept_of_what_is_passed_a_list_or_dict() -> None:
    # A cache looks up what it is passed, which these cannot be.
    for passed in ("{'cuda:0': 'cpu'}", "[0]", "place={n: n for n in names}"):
        text = f"import m\n\n\ndef f(p):\n    return m.load(p, {passed})\n"
        start = text.index("m.load")
        assert keep_results(text, start, start + len(f"m.load(p, {passed})")) is None
