"""Runs a program twice, with `batch` behind its map and before it, and compares what it gives."""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

from tests.properties.mapping.programs import Vocabulary, of_batches


def difference(text: str, words: Vocabulary) -> str | None:
    """How mapping batches differs from batching what is mapped, "" where it does not.

    None where the elements themselves cannot be mapped.
    """
    try:
        elements = _batches(text, words)
    except Exception:  # noqa: BLE001
        return None
    try:
        batches = _batches(of_batches(text), words)
    except Exception as refused:  # noqa: BLE001
        return f"batches are refused: {type(refused).__name__}"
    if len(elements) != len(batches):
        return f"{len(elements)} batches, and {len(batches)}"
    found = (_unlike(one, other) for one, other in zip(elements, batches, strict=True))
    return next((told for told in found if told), "")


def _batches(text: str, words: Vocabulary) -> list[Any]:
    outside = types.ModuleType("outside")
    exec(words.library, outside.__dict__)
    sys.modules["outside"] = outside
    names: dict[str, Any] = {"__name__": "main"}
    try:
        exec(compile(text, "main.py", "exec"), names)
    finally:
        del sys.modules["outside"]
    return list(names["batched"])


def _unlike(one: Any, other: Any) -> str:
    if type(one) is not type(other):
        return f"{type(one).__name__}, and {type(other).__name__}"
    if isinstance(one, dict):
        if one.keys() != other.keys():
            return "other names"
        return next((told for key in one if (told := _unlike(one[key], other[key]))), "")
    if isinstance(one, (tuple, list)):
        if len(one) != len(other):
            return f"{len(one)} parts, and {len(other)}"
        return next((told for a, b in zip(one, other, strict=True) if (told := _unlike(a, b))), "")
    if not hasattr(one, "numpy") or not hasattr(one, "shape"):
        return f"{type(one).__name__} is not compared"
    if one.dtype != other.dtype or one.shape != other.shape:
        return f"{one.dtype.name}{one.shape}, and {other.dtype.name}{other.shape}"
    return "" if _is_close(one.numpy(), other.numpy()) else "other values"


def _is_close(one: Any, other: Any) -> bool:
    if not hasattr(one, "dtype") or one.dtype.kind not in "fc":
        return bool((one == other).all()) if hasattr(one == other, "all") else one == other
    numpy = importlib.import_module("numpy")
    return bool(numpy.allclose(one, other, rtol=1e-3, atol=1e-4, equal_nan=True))
