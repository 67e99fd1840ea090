"""How far the shares that `deepperf run` tells are from those of work that is measured apart.

`python -m benchmarks.shares` prints them for twelve loops, in the processor's time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LOOPS = {
    "python": ["spin(1500)", "spin(300)", "spin(2400)", "spin(900)"],
    "unequal": ["spin(100)", "spin(4000)", "spin(400)"],
    "functions": ["outer(1200)", "spin(600)", "outer(300)"],
    "six parts": ["spin(300)", "spin(800)", "spin(450)", "spin(1550)", "spin(950)", "spin(950)"],
    "products": ["np.matmul(w, w, out=x)", "np.tanh(w, out=y)", "spin(4000)"],
    "elements": ["np.exp(w, out=x)", "np.multiply(w, x, out=y)", "np.sqrt(y, out=x)"],
    "small arrays": ["np.sin(v)", "np.add(v, v)", "v.sum()", "spin(20)"],
    "texts": ["words.index('-1')", "json.dumps(words)", "json.loads(listed)", "spin(500)"],
    "sorting": ["sorted(numbers)", "sum(numbers)", "spin(3000)", "max(numbers)"],
    "comprehensions": ["a = [n * n for n in numbers]", "len([n for n in words])", "spin(800)"],
    "operators and calls": ["spin(1000)", "x = w @ w", "spin(3000)", "y = w * 2.0 + w"],
    "long calls": ["np.linalg.svd(w[:90, :90])", "np.sort(big)", "np.cumsum(big)"],
}
SETUP = """\
import json
import random
import sys
import threading
import time

import numpy as np

w = np.random.default_rng(1).normal(size=(160, 160))
m = np.random.default_rng(1).normal(size=(64, 64))
v = np.random.default_rng(2).normal(size=(64,))
big = np.random.default_rng(3).normal(size=100_000)
numbers = random.Random(4).sample(range(100_000), 3000)
words = [str(number) for number in numbers[:1500]] + ["-1"]
listed = json.dumps(words)
x, y = np.ones_like(w), np.ones_like(w)


def spin(n):
    total = 0
    for i in range(n):
        total += i * i
    return total


def inner(n):
    return spin(n)


def outer(n):
    return inner(n) + spin(n // 2)


"""
APART = """\
def apart_{number}_{part}(times):
    began = time.thread_time()
    for _ in range(times):
        {line}
    return (time.thread_time() - began) / times


"""
LOOKED = """\
from deepperf.dynamic.recording.places import UserCode
from deepperf.dynamic.recording.sampler import Sampler

APART = 0.05
LEAST, MOST = 1000, 8000
results = []
sampler = Sampler(UserCode(), lambda: False, lambda: None, print, interval=0.004)
sampler.start()
sampler.pause()
for number, (name, lines) in enumerate(json.loads(sys.argv[1]).items()):
    function = globals()[f"loop_{number}"]
    first = function.__code__.co_firstlineno + 2
    begin, truth, worst = sampler.taken, [0.0] * len(lines), 1.0
    while sampler.taken - begin < MOST and (sampler.taken - begin < LEAST or worst > 0.03):
        # What is measured apart is measured in between, so that the machine is the same.
        for part in range(len(lines)):
            alone = globals()[f"apart_{number}_{part}"]
            truth[part] += alone(max(1, int(0.05 / (alone(1) + 1e-7))))
        sampler.resume()
        function(0.8)
        sampler.pause()
        found = [0] * len(lines)
        for seen in sampler.samples()[0]:
            if seen.function == function.__name__ and first <= seen.line < first + len(lines):
                found[seen.line - first] += seen.total - seen.waited
        shares = [[t / sum(truth), f / max(1, sum(found))] for t, f in zip(truth, found)]
        worst = max(abs(t - f) for t, f in shares)
    results.append([name, worst, sampler.taken - begin, shares])
sampler.stop()
print(json.dumps(results))
"""
"""Looks are taken until a loop's shares are within 3 points, or there are so many that they would
be if they were true."""


def program() -> str:
    text = SETUP
    for number, lines in enumerate(LOOPS.values()):
        text += f"def loop_{number}(seconds):\n    end = time.thread_time() + seconds\n"
        text += "    while time.thread_time() < end:\n"
        text += "".join(f"        {line}\n" for line in lines) + "\n\n"
        for part, line in enumerate(lines):
            text += APART.format(number=number, part=part, line=line)
    return text + LOOKED


def main() -> None:
    """Print, for each loop, the looks that were taken and each line's share, measured and told."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "loops.py"
        path.write_text(program(), encoding="utf-8")
        ran = subprocess.run(
            [sys.executable, str(path), json.dumps(LOOPS)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )
    for name, worst, looks, shares in json.loads(ran.stdout):
        told = ", ".join(f"{truth:.1%} told {found:.1%}" for truth, found in shares)
        print(f"{name}: {looks} looks, off by {worst:.1%}: {told}")


if __name__ == "__main__":
    main()
