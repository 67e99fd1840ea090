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


def name_data(targets: Iterable[str], iterable: ast.expr) -> bool:
    """Whether the names of the elements, or of what is gone over, say that these are data."""
    attributes = (part.attr for part in tree.walk(iterable) if isinstance(part, ast.Attribute))
    names = {*targets, *tree.names_in(iterable), *attributes}
    return not _DATA.isdisjoint(word.lower() for name in names for word in _WORD.findall(name))
