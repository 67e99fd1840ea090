"""What this machine is, as far as measurements depend on it."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess

from deepperf.rules.evidence import Machine

# Each library reads its own; they must be set before it is imported.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "TF_NUM_INTRAOP_THREADS",
    "TF_NUM_INTEROP_THREADS",
)


def this_machine() -> Machine:
    """The machine this runs on; asks the processor, which takes a second."""
    import cpuinfo
    import psutil

    return Machine(
        cpu=cpuinfo.get_cpu_info().get("brand_raw") or platform.machine(),
        cores=psutil.cpu_count() or 1,
        memory=psutil.virtual_memory().total,
        gpu=_gpu(),
        system=f"{platform.system()} {platform.release()}",
    )


def environment(threads: int) -> dict[str, str]:
    """The environment of a worker whose pools have `threads` threads, 0 for no limit."""
    variables = dict(os.environ)
    variables |= {"PYTHONHASHSEED": "0", "TF_CPP_MIN_LOG_LEVEL": "3"}
    if threads:
        variables |= dict.fromkeys(THREAD_VARIABLES, str(threads))
        if threads == 1:
            flags = "--xla_cpu_multi_thread_eigen=false"
            variables["XLA_FLAGS"] = f"{variables.get('XLA_FLAGS', '')} {flags}".strip()
    return variables


def _gpu() -> str:
    program = shutil.which("nvidia-smi")
    if not program:
        return ""
    answer = subprocess.run(
        [program, "--query-gpu=name", "--format=csv,noheader"],
        capture_output=True,
        text=True,
        check=False,
    )
    return ", ".join(answer.stdout.split("\n")).strip(", ") if answer.returncode == 0 else ""
