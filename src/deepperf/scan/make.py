"""The digest of everything on which the answers of a scan rest, the packages aside."""

from __future__ import annotations

import functools
import hashlib
import sys
from pathlib import Path

from deepperf.scan import members, task, tree

_SOURCE = Path(__file__).parents[1]
_PARTS = (
    "check", "config", "fixes", "knowledge", "notebooks", "records", "rules", "semantics",
)  # fmt: skip
_SUFFIXES = (".py", ".toml", ".json")


@functools.cache
def engine_digest() -> str:
    """The same for the same rules, engine, tables and minor version of Python, on any machine."""
    whole = hashlib.blake2b(repr(sys.version_info[:2]).encode(), digest_size=8)
    own = [Path(str(module.__file__)) for module in (members, task, tree)]
    inside = (path for part in _PARTS for path in (_SOURCE / part).rglob("*"))
    for path in sorted((*own, *inside)):
        if path.suffix in _SUFFIXES:
            whole.update(path.relative_to(_SOURCE).as_posix().encode())
            whole.update(hashlib.blake2b(path.read_bytes(), digest_size=16).digest())
    return whole.hexdigest()
