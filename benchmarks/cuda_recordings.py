"""Records small trainings on a CUDA device, for tests that tell of them again without one.

    python benchmarks/cuda_recordings.py FOLDER [NAME ...]

What each program left goes to FOLDER, under the name by which `tests/dynamic/recordings` knows it;
the reports, and what was noted of the device, are printed. A program that fails costs the others
nothing. Without a device the programs run on the processor, and nothing of a device is noted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.dynamic.programs_cuda import PROGRAMS  # noqa: E402
from tests.dynamic.watched import digest_of, kept_form  # noqa: E402

from deepperf.dynamic.recorded import read_recording  # noqa: E402

MOST = 75.0
"""Seconds that one program may take, with importing PyTorch."""
KINDS = ("device", "idle device", "waits for the device", "moved between", "accelerators")


def main(words: list[str]) -> None:
    target = Path(words[0]).absolute()
    target.mkdir(parents=True, exist_ok=True)
    for name in words[1:] or PROGRAMS:
        began = time.perf_counter()
        print(f"\n===== {name}", flush=True)
        with tempfile.TemporaryDirectory(prefix="deepperf-cuda-") as scratch:
            try:
                recorded(Path(scratch), PROGRAMS[name], target)
            except Exception as error:  # noqa: BLE001 - the others are to run
                print(f"failed: {type(error).__name__}: {error}", flush=True)
        print(f"----- {time.perf_counter() - began:.1f} s", flush=True)


def recorded(folder: Path, text: str, target: Path) -> None:
    """Record one program, and print what is said of it."""
    (folder / "program.py").write_text(text, encoding="utf-8")
    paths = [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    command = [sys.executable, "-m", "deepperf", "run", "--level", "note", "--record", "run.dperf"]
    ran = subprocess.run(
        [*command, "program.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=MOST,
        check=False,
    )
    print(ran.stdout[-500:], ran.stderr[-5000:], f"exit code {ran.returncode}", flush=True)
    left = folder / "run.dperf"
    packed = kept_form(left.read_bytes(), folder)
    (target / f"{digest_of(folder)}.dperf").write_bytes(packed)
    for seen in read_recording(left).trace.observations:
        if seen.kind.startswith(KINDS):
            told = {"count": seen.count, "seconds": seen.seconds, **seen.detail}
            print(f"{seen.kind} {seen.line}: {json.dumps(told)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
