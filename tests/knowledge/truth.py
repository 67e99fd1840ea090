"""Holds the facts of one framework against its installed version; prints what does not agree.

Run in a process of its own: `python truth.py tensorflow`.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Iterator

from deepperf.knowledge.lookup import load_knowledge, read_fact_file
from deepperf.knowledge.schema import Fact, Parameter

# Where else the current version keeps a name.
OTHER_HOMES = {
    "tensorflow.": ("tensorflow.compat.v1.",),
    "keras.": ("tf_keras.", "tf_keras.api._v1.keras.", "tensorflow.compat.v1.keras."),
}
MISSING = object()

ASKED_FOR = frozenset(
    ("torch.utils.data.Dataset.__getitems__", "transformers.PreTrainedModel.chat")
)
"""Methods of classes that inherit from these, which these have not themselves."""


def resolve(name: str) -> object:
    """What `name` is in the installed packages, or `MISSING`."""
    for prefix, others in OTHER_HOMES.items():
        if name.startswith(prefix):
            homes = (name, *(other + name.removeprefix(prefix) for other in others))
            return next(
                (found for home in homes if (found := look_up(home)) is not MISSING), MISSING
            )
    return look_up(name)


def instance_of(type_name: str) -> object:
    """A value of a type whose attributes its class does not show."""
    if type_name == "tensorflow.Tensor":
        return importlib.import_module("tensorflow").constant(0)
    if type_name == "tensorflow.Variable":
        return importlib.import_module("tensorflow").Variable(0)
    if type_name == "jax.Array":
        return importlib.import_module("jax.numpy").zeros(1)
    return MISSING


def look_up(name: str) -> object:
    owner, _, attribute = name.rpartition(".")
    if (instance := instance_of(owner)) is not MISSING and hasattr(instance, attribute):
        return getattr(instance, attribute)
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for part in parts[length:]:
            found = getattr(found, part, MISSING)
            if found is MISSING:
                break
        else:
            return found
    return MISSING


ANYTHING = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}


def is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


FORMER = {("tensorflow.data.Dataset.map", "num_threads")}
"""Parameters of versions that nobody can install any more: of `contrib.data`, before 1.4."""

CHANGED = {("multiprocessing.Process", "kwargs")}
"""Parameters whose default differs between the versions of Python that are supported."""


def disagreements(fact: Fact) -> Iterator[str]:
    found = resolve(fact.name)
    if found is MISSING:
        yield f"{fact.name}: the installed version has no such name"
        return
    if not fact.parameters:
        return
    try:
        signature = inspect.signature(found)  # type: ignore[arg-type]
        kinds = {parameter.kind for parameter in signature.parameters.values()}
        if inspect.isclass(found) and kinds <= ANYTHING:
            # A `__new__` that takes anything hides what the class is made with.
            made_with = inspect.signature(found.__init__)
            signature = made_with.replace(parameters=list(made_with.parameters.values())[1:])
    except (TypeError, ValueError):
        return
    owner = resolve(fact.name.rpartition(".")[0])
    is_unbound = inspect.isclass(owner) and next(iter(signature.parameters), "") == "self"
    names = list(signature.parameters)[1 if is_unbound else 0 :]
    for parameter in fact.parameters:
        if parameter.name in signature.parameters:
            real = signature.parameters[parameter.name]
            yield from parameter_disagreements(fact.name, parameter, real, names)
        elif (older := older_signature(fact.name)) and parameter.name in older.parameters:
            real = older.parameters[parameter.name]
            yield from parameter_disagreements(fact.name, parameter, real, [*older.parameters])
        elif is_nameless(signature, parameter.position) or is_optional(kinds, parameter):
            continue
        elif (fact.name, parameter.name) not in FORMER:
            yield f"{fact.name}: no parameter {parameter.name}"


def is_nameless(signature: inspect.Signature, position: int | None) -> bool:
    """Whether callers can pass what stands at a position by no name, so that the name is free."""
    kinds = [parameter.kind for parameter in signature.parameters.values()]
    return (
        position is not None
        and position < len(kinds)
        and kinds[position] is inspect.Parameter.POSITIONAL_ONLY
    )


def is_optional(kinds: set[inspect._ParameterKind], parameter: Parameter) -> bool:
    """Whether `**options` may take a parameter that the signature does not name."""
    return parameter.position is None and inspect.Parameter.VAR_KEYWORD in kinds


def older_signature(name: str) -> inspect.Signature | None:
    """How TensorFlow 1 had a function that its current version has, too."""
    older = look_up(name.replace("tensorflow.", "tensorflow.compat.v1.", 1))
    is_function = name.startswith("tensorflow.") and inspect.isroutine(older)
    return inspect.signature(older) if is_function and callable(older) else None


def parameter_disagreements(
    name: str, written: Parameter, real: inspect.Parameter, names: list[str]
) -> Iterator[str]:
    position = None if real.kind is real.KEYWORD_ONLY else names.index(written.name)
    if position != written.position:
        yield f"{name}: {written.name} is at {position}, not at {written.position}"
    # A bare object says that nothing was passed, and reads otherwise each time.
    is_told = real.default is not real.empty and type(real.default) is not object
    default = repr(real.default) if is_told else None
    if default != written.default and (name, written.name) not in CHANGED:
        yield f"{name}: {written.name} has the default {default}, not {written.default}"


LACKS = {"mlflow": "pandas"}
"""A package that is also published in part, and what it needs to be whole."""


def is_whole(package: str) -> bool:
    return is_installed(package) and is_installed(LACKS.get(package, package))


def main(framework: str) -> int:
    file = read_fact_file(framework)
    checked = 0
    wrong = 0
    joined = load_knowledge(frozenset([framework])).facts
    for fact in map(joined.__getitem__, file.facts):
        if fact.name in ASKED_FOR or fact.until or not is_whole(fact.name.partition(".")[0]):
            continue
        checked += 1
        for line in disagreements(fact):
            wrong += 1
            print(line)
    for name in file.types:
        if name in file.facts and file.facts[name].until:
            continue
        if is_whole(name.partition(".")[0]):
            checked += 1
            if resolve(name) is MISSING:
                wrong += 1
                print(f"{name}: the installed version has no such type")
    print(f"{checked} names checked, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    sys.exit(main(sys.argv[1]))
