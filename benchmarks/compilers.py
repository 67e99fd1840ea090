"""Holds `deepperf check` beside the compilers themselves: graph breaks, and compiling again.

    python -m benchmarks.compilers --output benchmarks/results/compilers/DATE.json

Each program of `benchmarks/compiled/*.md` runs once, on the CPU. Where Dynamo breaks a graph is
compared by line; what is compiled for more than two sets of arguments, by program.
"""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from datetime import datetime, timezone
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

HOME = Path(__file__).resolve().parent
FRAMEWORKS = ("torch", "tensorflow", "jax")
TOLERANCE = 1e-5
SEVERAL = 2
"""Compilations of one function that one call more for a new kind of argument explains."""
_SECTION = re.compile(r"^## (?P<name>.+?)\n```python\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)
_JAX = re.compile(r"Compiling (?:jit\()?([^\s()]+)\)? with ")
_BREAKS = frozenset(("graph-break",))
_UNCOMPILED = frozenset(("eager-loop", "compiled-in-vain"))
_AGAIN = frozenset(
    (
        "compiled-per-call",
        "compiled-per-object",
        "compiled-without-tensors",
        "guarded-counter",
        "recursive-compilation",
        "retracing",
        "shape-per-call",
        "specialized-argument",
    )
)


def programs(framework: str) -> dict[str, str]:
    """The programs written for a framework, by their names."""
    return programs_of(HOME / "compiled" / f"{framework}.md")


def programs_of(path: Path) -> dict[str, str]:
    """The programs of a file, by their names."""
    text = path.read_text(encoding="utf-8")
    return {found["name"]: found["text"] for found in _SECTION.finditer(text)}


def mended(framework: str) -> dict[str, str]:
    """The programs in which `check --fix --unsafe-fixes` mends what is compiled badly."""
    from deepperf.check.run import check_text
    from deepperf.config.options import Options
    from deepperf.fixes.apply import fix_text
    from deepperf.records import Level, Safety

    options = Options(select=(*_BREAKS, *_AGAIN, *_UNCOMPILED), preview=True, level=Level.NOTE)
    found = {}
    for name, text in programs(framework).items():
        fixed = fix_text(
            text, lambda now: check_text(now, options, path="program.py").findings, Safety.UNSAFE
        )
        if fixed.text != text:
            found[name] = fixed.text
    return found


def watched(framework: str, texts: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """What the compiler of this process's framework does in each program."""
    # AutoGraph reads the source of a function from the file of its module.
    with tempfile.TemporaryDirectory(prefix="deepperf-programs-") as folder:
        return _watched(framework, texts, Path(folder))


def _watched(framework: str, texts: Mapping[str, str], folder: Path) -> dict[str, dict[str, Any]]:
    watch = {"torch": _torch, "tensorflow": _tensorflow, "jax": _jax}[framework]
    found = {}
    for number, (name, text) in enumerate(texts.items()):
        path = str(folder / f"program_{number}.py")
        Path(path).write_text(text, encoding="utf-8")
        # A new module for each: compilers look up what they know by the code, dataclasses by name.
        module = ModuleType(name)
        sys.modules[name] = module
        space: dict[str, Any] = module.__dict__
        space["__file__"] = path
        with redirect_stdout(StringIO()):
            lines, compiled = watch(path, text, space)
        again = sorted(one for one, times in compiled.items() if times > SEVERAL)
        found[name] = {
            "breaks": sorted(lines),
            "again": again,
            "compiled": sum(compiled.values()),
            "operations": space.get("operations", 0),
            "result": space["result"],
        }
    return found


def _run(path: str, text: str, space: dict[str, Any]) -> None:
    exec(compile(text, path, "exec"), space)
    space["result"] = numbers(space["main"]())


def numbers(result: Any) -> list[float]:
    """All numbers that a program gives, also in lists of tensors or arrays."""
    if result is None:
        return []
    if isinstance(result, (list, tuple)):
        return [number for part in result for number in numbers(part)]
    array = result.detach() if hasattr(result, "detach") else result
    return [float(number) for number in np.asarray(array).ravel()]


def likeness(before: list[float], after: list[float]) -> str:
    """How two results compare: a compiler may order operations in another way."""
    if before == after:
        return "equal" if before else "nothing"
    is_close = len(before) == len(after) and np.allclose(before, after, rtol=TOLERANCE)
    return "close" if is_close else "unlike"


@contextmanager
def break_frames() -> Iterator[list[tuple[list[Any], str]]]:
    """The stack and the reason of each graph break that Dynamo makes meanwhile."""
    import torch
    from torch._dynamo import output_graph, symbolic_convert

    found: list[tuple[list[Any], str]] = []
    base = symbolic_convert.InstructionTranslatorBase
    if not hasattr(base, "log_graph_break"):  # as in PyTorch 2.6
        known = len(output_graph.graph_break_reasons)
        yield found
        reasons = output_graph.graph_break_reasons[known:]
        found += [(list(one.user_stack), one.reason) for one in reasons]
        return
    told = base.log_graph_break

    def log(self: Any, options: Any, reason: str, exc: Any) -> None:
        stack = getattr(exc, "real_stack", None) or torch._guards.TracingContext.extract_stack()
        found.append((list(stack), reason))
        told(self, options, reason, exc)

    base.log_graph_break = log
    try:
        yield found
    finally:
        base.log_graph_break = told


def _torch(path: str, text: str, space: dict[str, Any]) -> tuple[set[int], Counter[str]]:
    import functools

    import torch
    from torch._dynamo import convert_frame

    compiled: Counter[str] = Counter()
    compiler = torch.compile

    def count(code: Any, _: Any) -> None:
        # What follows a break is a function of its own.
        if code.co_filename == path and not code.co_name.startswith("torch_dynamo_resume"):
            compiled[code.co_name] += 1

    torch._dynamo.reset()
    torch.manual_seed(0)
    hook = convert_frame.register_bytecode_hook(count)
    torch.compile = functools.partial(compiler, backend="eager")
    try:
        with break_frames() as broken:
            _run(path, text, space)
    finally:
        torch.compile = compiler
        hook.remove()
    own = ([frame.lineno for frame in stack if frame.filename == path] for stack, _ in broken)
    return {line for lines in own for line in lines[-1:]}, compiled


def _tensorflow(path: str, text: str, space: dict[str, Any]) -> tuple[set[int], Counter[str]]:
    inside = "tensorflow.python.eager.polymorphic_function.tracing_compilation"
    tracing = importlib.import_module(inside).func_graph_module
    compiled: Counter[str] = Counter()
    trace = tracing.func_graph_from_py_func

    def count(name: str, *args: Any, **options: Any) -> Any:
        compiled[name] += 1
        graph = trace(name, *args, **options)
        space["operations"] = space.get("operations", 0) + len(graph.get_operations())
        return graph

    tracing.func_graph_from_py_func = count
    try:
        _run(path, text, space)
    finally:
        tracing.func_graph_from_py_func = trace
    return set(), compiled


def _jax(path: str, text: str, space: dict[str, Any]) -> tuple[set[int], Counter[str]]:
    import jax

    compiled: Counter[str] = Counter()

    class Counting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            compiled.update(_JAX.findall(record.getMessage()))

    counting, log = Counting(), logging.getLogger("jax")
    log.addHandler(counting)
    # A context manager would hold for this thread alone, and servers have others.
    jax.config.update("jax_log_compiles", True)  # noqa: FBT003
    try:
        _run(path, text, space)
    finally:
        jax.config.update("jax_log_compiles", False)  # noqa: FBT003
        log.removeHandler(counting)
    # Operations that run by themselves are compiled as well; no function of the program is.
    own = {name: times for name, times in compiled.items() if _is_own(name, text)}
    return set(), Counter(own)


def _is_own(name: str, text: str) -> bool:
    return f"def {name}(" in text or name in ("<lambda>", "scan", "cond", "while")


def told(framework: str, version: str = "") -> dict[str, dict[str, Any]]:
    """What `check` says of each program: lines of breaks, lines of what is compiled again.

    With a version, it says what holds for that one.
    """
    from deepperf.check.run import check_text
    from deepperf.config.options import Options
    from deepperf.records import Level

    versions = {framework: version} if version else {}
    options = Options(preview=True, level=Level.NOTE, framework_versions=versions)
    found = {}
    for name, text in programs(framework).items():
        findings = check_text(text, options, path="program.py").findings
        breaks = [one for one in findings if one.rule in _BREAKS]
        places = [one.location.line for one in breaks]
        # The last of a break's further places is where the function is compiled.
        places += [step.location.line for one in breaks for step in one.related[:-1]]
        again = [one.location.line for one in findings if one.rule in _AGAIN]
        found[name] = {"breaks": sorted(set(places)), "again": again}
    return found


def compared(truth: dict[str, Any], said: dict[str, Any]) -> dict[str, list[int]]:
    """Of breaks and of compiling again: how many both have, the compiler, and `check`."""
    breaks, again = [0, 0, 0], [0, 0, 0]
    for name, done in truth.items():
        real, claimed = set(done["breaks"]), set(said[name]["breaks"])
        for at, number in enumerate((len(real & claimed), len(real), len(claimed))):
            breaks[at] += number
        is_real, is_claimed = bool(done["again"]), bool(said[name]["again"])
        for at, number in enumerate((is_real and is_claimed, is_real, is_claimed)):
            again[at] += number
    return {"breaks": breaks, "again": again}


def differences(truth: dict[str, Any], said: dict[str, Any]) -> Iterator[str]:
    """The programs of which the two say something else."""
    for name, done in truth.items():
        is_same = done["breaks"] == said[name]["breaks"]
        if not is_same or bool(done["again"]) != bool(said[name]["again"]):
            real = {key: done[key] for key in ("breaks", "again")}
            yield f"{name}: compiler {real}, check {said[name]}"


def seen(framework: str, texts: Mapping[str, str], python: str = sys.executable) -> dict[str, Any]:
    """What a compiler says of programs, in a process of its own, perhaps of another Python."""
    command = [python, "-m", "benchmarks.compilers", "--watch", framework]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    ran = subprocess.run(
        command,
        cwd=HOME.parent,
        env=environment,
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise SystemExit(ran.stderr[-2000:])
    return dict(json.loads(ran.stdout.splitlines()[-1]))


def _compared_fixes(before: dict[str, Any], after: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The programs that fixes changed: breaks and compilations before and after, and results."""
    for name, done in after.items():
        was = before[name]
        yield {
            "program": name,
            "breaks": [len(was["breaks"]), len(done["breaks"])],
            "compiled": [was["compiled"], done["compiled"]],
            "result": likeness(was["result"], done["result"]),
        }


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watch", choices=FRAMEWORKS)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args(words)
    if given.watch:
        module = importlib.import_module(given.watch)
        found = watched(given.watch, json.load(sys.stdin))
        print(json.dumps({"version": module.__version__, "programs": found}))
        return
    results: dict[str, Any] = {}
    for framework in FRAMEWORKS:
        run = seen(framework, programs(framework))
        truth, said = run["programs"], told(framework)
        results[framework] = {
            "version": run["version"],
            "programs": len(truth),
            **compared(truth, said),
            "differences": [*differences(truth, said)],
            "fixed": [*_compared_fixes(truth, seen(framework, mended(framework))["programs"])],
            "raw": {"compiler": truth, "check": said},
        }
    for one in (done for result in results.values() for done in result["raw"]["compiler"].values()):
        del one["result"]
    report = {"date": f"{datetime.now(tz=timezone.utc):%Y-%m-%d}", "frameworks": results}
    if given.output:
        given.output.parent.mkdir(parents=True, exist_ok=True)
        given.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    for framework, result in results.items():
        print(framework, result["breaks"], result["again"], *result["differences"], sep="\n  ")
        print("fixed", *result["fixed"], sep="\n  ")


if __name__ == "__main__":
    main()
