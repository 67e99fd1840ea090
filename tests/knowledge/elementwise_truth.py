"""Calls what the facts call elementwise on a batch and on its elements; prints what differs.

Run in a process of its own: `python elementwise_truth.py torch`. Each function is tried on
several kinds of elements (numbers, images, matrices, strings); kinds it refuses for the
elements say nothing about it, a kind it refuses for the batch alone is a difference, and a
function that no kind suits is one as well.
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.knowledge.truth import MISSING, resolve

from deepperf.knowledge.lookup import read_fact_file
from deepperf.knowledge.schema import Fact, ParameterRole, Trait

BATCH = 3
# Extra arguments for functions that need some.
ARGUMENTS: dict[str, tuple[object, ...]] = {
    "one_hot": (7,),
    "clip_by_value": (0.3, 0.6),
    "clip": (0.3, 0.6),
    "clamp": (0.3, 0.6),
    "clamp_max": (0.5,),
    "clamp_min": (0.5,),
    "adjust_brightness": (0.1,),
    "adjust_contrast": (0.5,),
    "adjust_hue": (0.1,),
    "adjust_saturation": (0.5,),
    "to_hash_bucket": (11,),
    "to_hash_bucket_fast": (11,),
    "regex_replace": ("1", "x"),
    "regex_full_match": ("1.*",),
    "decode_csv": ([[0.0], [0.0]],),
    "integer_pow": (2,),
    "threshold": (0.1, 0.0),
    "substr": (0, 1),
}
AXES = {"axis", "axes", "dim", "dims", "perm"}
"""What frameworks call the axis that an operation goes along."""
# Are given pictures: of anything else they take the last axis for channels, whatever it is.
OF_PICTURES = {"preprocess_input"}
# Need a framework's own values as arguments, or run only where an operand is a batch too.
NOT_CALLED = {
    "bitcast",
    "cast",
    "saturate_cast",
    "convert_image_dtype",
    "convert_element_type",
    "to_hash_bucket_strong",
    "unicode_transcode",
    "unicode_script",
    "decode_json_example",
    "decode_base64",
    "bfloat16",
}


def elements(numpy: Any, framework: str) -> Iterator[Any]:
    """Batches whose elements are numbers, vectors, matrices, images, codes, truths, strings."""
    random = numpy.random.default_rng(0)
    for shape in ((), (4,), (6, 5, 3)):
        yield random.uniform(0.1, 0.9, (BATCH, *shape)).astype("float32")
    yield random.uniform(1.5, 3.0, (BATCH, 4)).astype("float32")
    square = random.uniform(0.1, 0.9, (BATCH, 4, 4)).astype("float32")
    definite = square @ square.transpose(0, 2, 1) + 4 * numpy.eye(4, dtype="float32")
    yield definite
    yield random.integers(0, 5, (BATCH,))
    yield random.integers(0, 5, (BATCH, 4))
    yield random.integers(0, 2, (BATCH, 4)).astype(bool)
    hermitian = definite + 0.1j * (square - square.transpose(0, 2, 1))
    yield hermitian.astype("complex64")
    yield numpy.stack([hermitian, hermitian], axis=1).astype("complex64")
    yield random.uniform(0, 1, (BATCH, 6, 5, 1)).astype("float32")
    yield random.uniform(0, 1, (BATCH, 2, 4, 5)).astype("float32")
    if framework in {"tensorflow", "keras"}:
        yield numpy.array([b"12", b"3.5", b"40"])
        yield numpy.array([b"1,2", b"3,4", b"5,6"])


def converters(framework: str) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """How to turn a NumPy array into the framework's and back."""
    if framework == "torch":
        torch = importlib.import_module("torch")
        return torch.from_numpy, lambda value: value.detach().resolve_conj().numpy()
    if framework in {"tensorflow", "keras"}:
        tensorflow = importlib.import_module("tensorflow")
        return tensorflow.constant, lambda value: value.numpy()
    numpy = importlib.import_module("numpy")
    return (lambda value: value), numpy.asarray


def argument_lists(name: str, value: Any) -> Sequence[tuple[object, ...]]:
    last = name.rpartition(".")[2]
    if last in ARGUMENTS:
        return [(value, *ARGUMENTS[last])]
    return [(value,), (value, value), (value, value, value)]


def difference(function: Callable[..., Any], name: str, framework: str) -> str | None:
    """What is wrong with calling `function` elementwise; None where nothing is."""
    numpy = importlib.import_module("numpy")
    convert, back = converters(framework)
    tried = False
    for batch in elements(numpy, framework):
        if name.rpartition(".")[2] in OF_PICTURES and batch.shape[2:] != (5, 3):
            continue
        singles = [back_all(call(function, name, convert(numpy.asarray(x))), back) for x in batch]
        if any(single is None for single in singles):
            continue
        tried = True
        whole = back_all(call(function, name, convert(batch)), back)
        if whole is None:
            return f"refuses a batch of {batch.dtype} {batch.shape}"
        stacked = [numpy.stack(parts) for parts in zip(*singles, strict=True)]
        if len(stacked) != len(whole) or not all(map(same, stacked, whole)):
            return f"differs on a batch of {batch.dtype} {batch.shape}"
    return None if tried else "suits no kind of element that was tried"


def call(function: Callable[..., Any], name: str, value: Any) -> Any:
    for arguments in argument_lists(name, value):
        try:
            return function(*arguments)
        except Exception:  # noqa: BLE001
            continue
    return None


def back_all(result: Any, back: Callable[[Any], Any]) -> list[Any] | None:
    if result is None:
        return None
    return [back(part) for part in (result if isinstance(result, (list, tuple)) else [result])]


def same(left: Any, right: Any) -> bool:
    numpy = importlib.import_module("numpy")
    if left.shape != right.shape:
        return False
    if left.dtype.kind in "fc":
        return bool(numpy.allclose(left, right, rtol=1e-3, atol=1e-4, equal_nan=True))
    return bool((left == right).all())


def untold_axes(fact: Fact, function: Callable[..., Any]) -> set[str]:
    """The parameters of a function that say an axis, and of which its fact does not know."""
    try:
        taken = set(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return set()
    return AXES & taken - {one.name for one in fact.parameters if one.role is ParameterRole.AXIS}


def main(framework: str) -> int:
    wrong = 0
    called = 0
    for fact in read_fact_file(framework).facts.values():
        last = fact.name.rpartition(".")[2]
        skipped = last in NOT_CALLED or "StaticHashTable" in fact.name
        function = resolve(fact.name)
        if Trait.ELEMENTWISE not in fact.traits or skipped or fact.until or function is MISSING:
            continue
        called += 1
        if untold := untold_axes(fact, function):  # type: ignore[arg-type]
            wrong += 1
            print(f"{fact.name} goes along {', '.join(untold)}, of which the fact does not know")
        if told := difference(function, fact.name, framework):  # type: ignore[arg-type]
            wrong += 1
            print(f"{fact.name} {told}")
    print(f"{called} functions called, {wrong} not elementwise")
    return 1 if wrong or not called else 0


if __name__ == "__main__":
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    warnings.simplefilter("ignore")
    sys.exit(main(sys.argv[1]))
