"""What there is to measure: pairs, what their workloads ask for, and what stands in the way."""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from deepperf.records import Pair
from deepperf.rules.evidence import DISPLAY_NAMES

DISTRIBUTIONS = {"tensorflow": ("tensorflow", "tensorflow-cpu", "tensorflow-macos")}
CPU_TIME = "CPU time"
TIME = "time"
MEMORY = "memory"
UNITS = {CPU_TIME: "s", TIME: "s", MEMORY: "bytes"}
SETTINGS: dict[str, tuple[type, ...]] = {
    "QUANTITY": (str,),
    "SIZE": (str,),
    "TOLERANCE": (int, float),
    "THREADS": (int,),
    "WARM_UPS": (int,),
}


class WorkloadError(ValueError):
    """A workload that asks for something there is not, in one line that names it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a pair is measured, from the capitals that its workload sets.

    `quantity` (QUANTITY) is "CPU time", "time", "memory" (growth of the peak, in bytes), or
    what the workload's own `count()` counts; `size` (SIZE) says in words how much work it is;
    `tolerance` (TOLERANCE) is the relative difference allowed between the results; `threads`
    (THREADS) limits the pools, 0 for no limit; `warm_ups` (WARM_UPS) is how often `work()`
    runs before it is measured: by default once for times, never for counts and memory.
    """

    quantity: str = CPU_TIME
    size: str = ""
    tolerance: float = 1e-5
    threads: int = 1
    warm_ups: int = 1

    @property
    def counts(self) -> bool:
        """Whether the workload's own `count()` measures."""
        return self.quantity not in UNITS

    @property
    def unit(self) -> str:
        return UNITS.get(self.quantity, self.quantity)


def plan_of(pair: Pair) -> Plan:
    """How `pair` is to be measured. Raises WorkloadError."""
    try:
        tree = ast.parse(pair.workload)
    except SyntaxError as error:
        place = f"{pair.id}: line {error.lineno} of the workload"
        raise WorkloadError(f"{place} is not Python: {error.msg}") from None
    settings = dict(_settings(tree, pair.id))
    quantity = settings.get("QUANTITY", CPU_TIME)
    plan = Plan(
        quantity=quantity,
        size=settings.get("SIZE", ""),
        tolerance=float(settings.get("TOLERANCE", 1e-5)),
        threads=settings.get("THREADS", 1),
        warm_ups=settings.get("WARM_UPS", int(quantity in (CPU_TIME, TIME))),
    )
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    if plan.counts and "count" not in defined:
        known = ", ".join(UNITS)
        raise WorkloadError(
            f"{pair.id}: {plan.quantity!r} needs a count() in the workload (without: {known})"
        )
    return plan


def _settings(tree: ast.Module, pair: str) -> Iterator[tuple[str, Any]]:
    for node in tree.body:
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        name = node.targets[0].id
        if name in SETTINGS:
            try:
                value = ast.literal_eval(node.value)
            except ValueError:
                raise WorkloadError(f"{pair}: {name} must be a literal") from None
            if type(value) not in SETTINGS[name]:
                wanted = " or ".join(kind.__name__ for kind in SETTINGS[name])
                raise WorkloadError(f"{pair}: {name} must be of type {wanted}, not {value!r}")
            yield name, value


def obstacle(pair: Pair) -> str:
    """Why `pair` cannot be measured here, in a phrase; "" when it can."""
    if not pair.workload:
        return "it has no workload"
    needed = dict(pair.versions)
    if pair.framework:
        needed.setdefault(pair.framework, "")
    for framework, wanted in sorted(needed.items()):
        name = DISPLAY_NAMES.get(framework, framework)
        if importlib.util.find_spec(framework) is None:
            return f"{name} is not installed"
        installed = _installed_version(framework)
        if wanted and not _specifier(wanted).contains(installed, prereleases=True):
            return f"it is about {name} {wanted}, and {installed} is installed"
    return ""


def _specifier(wanted: str) -> SpecifierSet:
    """ "2.4" stands for every 2.4.x."""
    try:
        return SpecifierSet(wanted)
    except InvalidSpecifier:
        return SpecifierSet(f"=={wanted}.*")


def _installed_version(framework: str) -> str:
    for distribution in DISTRIBUTIONS.get(framework, (framework,)):
        try:
            return importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    return "0"
