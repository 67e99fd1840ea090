"""Whether a loop goes over what a program trains on, by the words that it is written with."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from deepperf.semantics.text import tree

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_DATA = frozenset(
    """batch batches data dataloader dataset datasets ds episode episodes example examples
    file files gen generator images iterator labels loader loaders path paths queue rows sample
    samples stream test train training val valid validation x xs y ys""".split()  # noqa: SIM905
)
"""Words with which programs name what they train on, as a whole or in parts."""


_OF_BATCHES = frozenset(
    ("batch", "batches", "example", "examples", "minibatch", "sample", "samples", "transitions")
)
"""Words with which programs name data alone, be they kept in objects with fields."""


def names_batch(name: str) -> bool:
    """Whether a name says that it holds a batch of data."""
    words = [word.lower() for word in _WORD.findall(name)]
    return bool(words) and words[-1] in _OF_BATCHES


def name_data(targets: Iterable[str], iterable: ast.expr) -> bool:
    """Whether the names of the elements, or of what is gone over, say that these are data."""
    attributes = (part.attr for part in tree.walk(iterable) if isinstance(part, ast.Attribute))
    names = {*targets, *tree.names_in(iterable), *attributes}
    return not _DATA.isdisjoint(word.lower() for name in names for word in _WORD.findall(name))
