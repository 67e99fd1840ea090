"""Times what rules claim about a GPU, where there is one: each smell beside its remedy.

    python benchmarks/gpu.py --output results.json

Needs PyTorch with CUDA and nothing else. Both sides of a pair run in turn in one process after a
warm-up, the device is synchronized before each clock is read, and the raw seconds are written
with the machine, the versions and the date.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

REPEATS = 7
STEPS = 60

Work = Callable[[], object]


def pairs(torch: Any) -> dict[str, tuple[str, Work, Work]]:
    """For each rule what is measured, the smell and the remedy."""
    device = "cuda"
    nn, functional = torch.nn, torch.nn.functional
    layers = [nn.Sequential(nn.Linear(256, 256), nn.GELU(), nn.LayerNorm(256)) for _ in range(24)]
    model = nn.Sequential(*layers, nn.Linear(256, 10)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    batches = [
        (torch.randn(256, 256, device=device), torch.randint(10, (256,), device=device))
        for _ in range(STEPS)
    ]

    def step(x: Any, y: Any) -> tuple[Any, Any]:
        scores = model(x)
        loss = functional.cross_entropy(scores, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return scores, loss

    def waiting() -> None:
        total, correct = 0.0, 0
        for x, y in batches:
            scores = model(x)
            correct += (scores.argmax(1) == y).sum().item()
            loss = functional.cross_entropy(scores, y)
            if torch.isnan(loss):
                break
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()

    def not_waiting() -> None:
        total = torch.zeros((), device=device)
        correct = torch.zeros((), device=device)
        for x, y in batches:
            scores, loss = step(x, y)
            correct += (scores.argmax(1) == y).sum()
            total += loss.detach()

    def norm_by_parameter() -> None:
        for x, y in batches:
            step(x, y)
            total = 0.0
            for parameter in model.parameters():
                total += parameter.grad.norm(2).item() ** 2

    def norm_at_once() -> None:
        for x, y in batches:
            step(x, y)
            torch.nn.utils.clip_grad_norm_(model.parameters(), float("inf"))

    shadow = [parameter.detach().clone() for parameter in model.parameters()]

    def average_by_parameter() -> None:
        for x, y in batches:
            step(x, y)
            with torch.no_grad():
                for kept, parameter in zip(shadow, model.parameters(), strict=True):
                    kept.mul_(0.99).add_(parameter, alpha=0.01)

    averaged = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.99)
    )

    def average_at_once() -> None:
        for x, y in batches:
            step(x, y)
            averaged.update_parameters(model)

    weights = [1.0] * 10

    def uploading() -> None:
        for x, y in batches:
            given = torch.tensor(weights).to(device)
            functional.cross_entropy(model(x), y, weight=given).backward()

    kept = torch.tensor(weights, device=device)

    def uploaded() -> None:
        for x, y in batches:
            functional.cross_entropy(model(x), y, weight=kept).backward()

    def emptying() -> None:
        for x, y in batches:
            step(x, y)
            torch.cuda.empty_cache()

    def stepping() -> None:
        for x, y in batches:
            step(x, y)

    def synchronizing() -> None:
        for x, y in batches:
            step(x, y)
            torch.cuda.synchronize()

    rows = torch.randn(400, 256, device=device)

    def growing() -> None:
        found = torch.zeros(0, 256, device=device)
        for row in rows:
            found = torch.cat([found, row[None]])

    def collecting() -> None:
        torch.stack(list(rows))

    wide = nn.Sequential(
        *[nn.Sequential(nn.Linear(4096, 4096), nn.GELU()) for _ in range(8)], nn.Linear(4096, 10)
    )
    wide = wide.to(device, torch.bfloat16)
    wide_optimizer = torch.optim.AdamW(wide.parameters(), fused=True)
    wide_batch = torch.randn(4096, 4096, device=device, dtype=torch.bfloat16)
    wide_labels = torch.randint(10, (4096,), device=device)
    samples = torch.randn(64, 256, 256)

    def wide_step(waits: int, prepared: int) -> None:
        """One step that reads `waits` values, while the host prepares some samples of the next."""
        scores = wide(wide_batch)
        if waits > 1:
            (scores.argmax(1) == wide_labels).sum().item()
        loss = functional.cross_entropy(scores, wide_labels)
        if waits > 2:
            bool(torch.isnan(loss))
        wide_optimizer.zero_grad()
        loss.backward()
        wide_optimizer.step()
        if waits > 0:
            loss.item()
        for index in range(prepared):
            samples[index].flip(0).clamp(0, 1).sum()

    def wide_steps(waits: int, prepared: int) -> Work:
        def run() -> None:
            for _ in range(STEPS):
                wide_step(waits, prepared)

        return run

    size = f"{STEPS} steps of a 24-layer MLP, batch 256"
    wide_size = f"{STEPS} steps of an 8-layer MLP, width 4096"
    return {
        "host-sync-in-loop/wide, 3 waits": (wide_size, wide_steps(3, 0), wide_steps(0, 0)),
        "host-sync-in-loop/wide, 1 wait": (wide_size, wide_steps(1, 0), wide_steps(0, 0)),
        "host-sync-in-loop/wide, 3 waits, host prepares": (
            wide_size + ", 64 samples prepared by the host",
            wide_steps(3, 64),
            wide_steps(0, 64),
        ),
        "host-sync-in-loop/wide, 1 wait, host prepares": (
            wide_size + ", 64 samples prepared by the host",
            wide_steps(1, 64),
            wide_steps(0, 64),
        ),
        "host-sync-in-loop": (size, waiting, not_waiting),
        "host-sync-in-loop/per-parameter": (size, norm_by_parameter, norm_at_once),
        "parameter-loop": (size, average_by_parameter, average_at_once),
        "constant-upload": (size, uploading, uploaded),
        "chore-per-step/empty-cache": (size, emptying, stepping),
        "barrier-per-step": (size, synchronizing, stepping),
        "growing-array": ("400 rows of 256 numbers", growing, collecting),
    }


def timed(torch: Any, work: Work) -> float:
    torch.cuda.synchronize()
    start = time.perf_counter()
    work()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def measured(torch: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for rule, (size, smell, remedy) in pairs(torch).items():
        smell(), remedy()
        sides = [(timed(torch, smell), timed(torch, remedy)) for _ in range(REPEATS)]
        ratios = sorted(bad / good for bad, good in sides)
        found.append(
            {
                "rule": rule,
                "size": size,
                "smell_s": [bad for bad, _ in sides],
                "remedy_s": [good for _, good in sides],
                "ratio": {
                    "median": statistics.median(ratios),
                    "least": ratios[0],
                    "greatest": ratios[-1],
                },
            }
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--output", type=Path, required=True)
    output: Path = parser.parse_args().output
    import torch

    properties = torch.cuda.get_device_properties(0)
    result: dict[str, Any] = {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "gpu": properties.name,
        "gpu_memory_bytes": properties.total_memory,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "pairs": measured(torch),
    }
    output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for pair in result["pairs"]:
        print(f"{pair['rule']}: {pair['ratio']['median']:.2f}x for {pair['size']}")


if __name__ == "__main__":
    main()
