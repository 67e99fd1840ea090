"""How much a function computes that JAX has just compiled, told from what it traced."""

from __future__ import annotations

import math
from types import FrameType
from typing import Any

NEAREST_FRAMES = 40
"""Frames in which JAX knows what it compiles."""
TRACED = "ClosedJaxpr"
UNKNOWN = frozenset(
    (
        *("while", "cond", "custom_linear_solve", "pallas_call", "custom_call", "fft", "sort"),
        *("conv_general_dilated", "cholesky", "eig", "eigh", "lu", "qr", "svd", "schur"),
        *("triangular_solve", "householder_product", "pure_callback", "io_callback", "ffi_call"),
    )
)
"""What may compute any amount, or wait for something."""
DEEPEST = 8
"""Functions within each other that are looked into."""


def work_of(frame: FrameType | None) -> float:
    """About how many numbers what is compiled in a stack takes or makes, and multiplies;
    infinite where that is not known."""
    traced = traced_in(frame)
    return math.inf if traced is None else _work(traced, 0)


def traced_in(frame: FrameType | None) -> Any:
    """What was traced of the function that is compiled in a stack; None where it is not found."""
    for _ in range(NEAREST_FRAMES):
        if frame is None:
            break
        if frame.f_code.co_name == "_pjit_call_impl_python":
            traced = frame.f_locals.get("jaxpr")
            if type(traced).__name__ == TRACED:
                return traced
        frame = frame.f_back
    return None


def _work(traced: Any, depth: int) -> float:
    if depth > DEEPEST:
        return math.inf
    return sum(_work_at(equation, depth) for equation in getattr(traced, "eqns", ()))


def _work_at(equation: Any, depth: int) -> float:
    name, given = equation.primitive.name, equation.params
    if name in UNKNOWN:
        return math.inf
    inner = [part for part in given.values() if type(part).__name__ in (TRACED, "Jaxpr")]
    if inner:
        times = given.get("length", 1) if name == "scan" else 1
        return float(times * sum(_work(part, depth + 1) for part in inner))
    made = sum(_size(one) for one in equation.outvars)
    if name == "dot_general":
        (contracted, _), _ = given["dimension_numbers"]
        sides = equation.invars[0].aval.shape
        return float(made * math.prod(sides[side] for side in contracted))
    return float(max(made, *(_size(one) for one in equation.invars), 0))


def _size(one: Any) -> int:
    return int(math.prod(getattr(getattr(one, "aval", None), "shape", ())))
