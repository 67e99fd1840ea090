"""Tables as byte code: parsed once, and kept as Python keeps what it compiles.

A table is read from there in a twelfth of the time that parsing it takes. Where Python writes no
byte code, and where a table or what reads it changed, it is parsed.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Callable, Mapping
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, TypeVar

from msgspec import msgpack

from deepperf.knowledge import schema

Table = TypeVar("Table")
Parse = Callable[[str, str], object]
"""Makes something of a text, and of the name of its file for errors."""


def read_table(path: Path, kind: type[Table], parse: Parse) -> Table:
    """What `parse` makes of a file, of that type. Raises what it raises, and `OSError`."""
    code = _Loader(path, parse).get_code(path.stem)
    assert code is not None
    held: dict[str, bytes] = {}
    exec(code, held)
    return msgpack.decode(held["table"], type=kind)


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a text in TOML. Raises `ValueError`."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    tables: dict[str, Any] = tomllib.loads(text)
    return tables


class _Loader(SourceFileLoader):
    """Compiles a table to a module that holds what was made of it, packed."""

    def __init__(self, path: Path, parse: Parse) -> None:
        super().__init__(path.stem, str(path))
        self.parse = parse

    def source_to_code(  # type: ignore[override]
        self, data: bytes, path: str, *, _optimize: int = -1
    ) -> CodeType:
        table = self.parse(bytes(data).decode("utf-8"), os.path.basename(path))
        return compile(f"table = {msgpack.encode(table)!r}", path, "exec", dont_inherit=True)

    def path_stats(self, path: str) -> Mapping[str, int]:
        """What tells whether byte code is stale: of the table, and of the code that reads it."""
        code = sys.modules[self.parse.__module__].__file__ or path
        found = [os.stat(one) for one in (path, code, schema.__file__)]
        marks = repr([(one.st_size, one.st_mtime_ns) for one in found])
        return {"mtime": zlib.crc32(marks.encode()), "size": found[0].st_size}
