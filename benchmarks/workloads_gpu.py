"""Times whole programs on a GPU: as written, tuned, and with each problem mended alone.

    python benchmarks/workloads_gpu.py --output workloads/results/gpu/TODAY.json

Needs PyTorch with CUDA, and git to apply patches. Each run is a process of its own, whose clock
starts when it has reached the device; runs of the written program and of a variant alternate.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

PROGRAMS: dict[str, list[str]] = {
    "backdoor": [],
    "lamb": ["--steps", "40", "--sentences", "5120"],
    "serving": [],
    "shapeworld": [],
    "tracking": [],
}
TIMED = """
import runpy, sys, time
import torch
torch.zeros(1, device="cuda").add_(1).item()
sys.argv = sys.argv[1:]
began = time.perf_counter()
runpy.run_path(sys.argv[0], run_name="__main__")
torch.cuda.synchronize()
print(time.perf_counter() - began)
"""


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="of workloads; all that use PyTorch without any")
    parser.add_argument("--workloads", type=Path, default=Path("workloads"))
    parser.add_argument("--remark", default="nothing else ran", help="what else the machine did")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args(words)
    told: dict[str, Any] = {
        "date": datetime.now(timezone.utc).date().isoformat(),
        **_device(),
        "remark": arguments.remark,
        "programs": {},
    }
    for name in arguments.names or PROGRAMS:
        options = PROGRAMS[name]
        told["programs"][name] = timed(arguments.workloads / name, options, arguments.rounds)
        arguments.output.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return 0


def timed(folder: Path, options: Sequence[str], rounds: int) -> dict[str, Any]:
    """Seconds of pairs of the written program and each variant, and how much these save."""
    with tempfile.TemporaryDirectory() as temporary:
        programs = {path.parent.name: path for path in _variants(folder, Path(temporary))}
        written = programs.pop("written")
        pairs: dict[str, list[tuple[float, float]]] = {name: [] for name in programs}
        for _ in range(rounds):
            for name, program in programs.items():
                pairs[name].append((_seconds(written, options), _seconds(program, options)))
    for name, ran in pairs.items():
        saved = 1 - statistics.fmean(after / before for before, after in ran)
        print(f"{folder.name} {name}: saves {saved:.1%} of {ran[0][0]:.2f} s", file=sys.stderr)
    return {name: [list(pair) for pair in ran] for name, ran in pairs.items()}


def _variants(folder: Path, temporary: Path) -> Iterator[Path]:
    for name in ("written", "tuned"):
        home = temporary / name
        home.mkdir()
        yield Path(shutil.copy(folder / f"{name}.py", home))
    for patch in sorted((folder / "patches").glob("*.patch")):
        home = temporary / patch.stem
        home.mkdir()
        program = Path(shutil.copy(folder / "written.py", home))
        subprocess.run(["git", "apply", str(patch.resolve())], cwd=home, check=True)
        yield program


def _seconds(program: Path, options: Sequence[str]) -> float:
    done = subprocess.run(
        [sys.executable, "-c", TIMED, program.name, *options],
        cwd=program.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.splitlines()[-1])


def _device() -> dict[str, str]:
    import torch

    return {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__}


if __name__ == "__main__":
    sys.exit(main())
