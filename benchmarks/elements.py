"""What one iteration over a single element of an array takes, for `[many]` of the table of costs.

    python -m benchmarks.elements --output benchmarks/results/elements/DATE.json

Each framework runs in a process of its own, on one thread: it picks an element or a row of an
array of (500, 64), and applies one operation to a row. Reported is CPU time, in microseconds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from deepperf.bench.machine import environment, this_machine

SETUPS = {
    "numpy": ("import numpy as np\nx = np.ones((500, 64))", "x[3, 4]", "np.sort(x[3])"),
    "torch": ("import torch\nx = torch.ones(500, 64)", "x[3]", "torch.softmax(x[3], 0)"),
    "tensorflow": (
        "import tensorflow as tf\nx = tf.ones((500, 64))",
        "x[3]",
        "tf.nn.softmax(x[3])",
    ),
    "jax": ("import jax\nx = jax.numpy.ones((500, 64))", "x[3]", "jax.nn.softmax(x[3])"),
}
"""How each makes an array, picks of it, and computes with a row."""
ROUNDS, CALLS = 7, 500


def microseconds(run: Callable[[], object]) -> list[float]:
    """CPU time of a call, in rounds behind one that warms up."""
    found = []
    for _ in range(ROUNDS + 1):
        begun = time.process_time()
        for _ in range(CALLS):
            run()
        found.append((time.process_time() - begun) / CALLS * 1e6)
    return [round(one, 2) for one in found[1:]]


def measured(framework: str) -> dict[str, list[float]]:
    """What a process of its own prints of a framework."""
    command = [sys.executable, "-m", "benchmarks.elements", "--only", framework]
    done = subprocess.run(
        command, env=environment(1), capture_output=True, text=True, check=True, timeout=300
    )
    found: dict[str, list[float]] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=sorted(SETUPS))
    parser.add_argument("--output", type=Path)
    wanted = parser.parse_args()
    if wanted.only:
        setup, pick, compute = SETUPS[wanted.only]
        names: dict[str, Any] = {}
        exec(setup, names)
        runs = {"pick": pick, "compute": compute}
        found = {name: eval(f"lambda: {text}", names) for name, text in runs.items()}
        print(json.dumps({name: microseconds(run) for name, run in found.items()}))
        return
    told = {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "machine": to_builtins(this_machine()),
        "versions": {name: _version(name) for name in SETUPS},
        "microseconds": {name: measured(name) for name in SETUPS},
    }
    text = json.dumps(told, indent=1) + "\n"
    if wanted.output is None:
        print(text)
        return
    wanted.output.parent.mkdir(parents=True, exist_ok=True)
    wanted.output.write_text(text, encoding="utf-8")


def _version(framework: str) -> str:
    return version("tensorflow-cpu" if framework == "tensorflow" else framework)


if __name__ == "__main__":
    main()
