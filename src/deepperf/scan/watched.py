"""Runs public training scripts under `deepperf run`, and keeps what was found."""

from __future__ import annotations

import datetime
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from deepperf.scan.corpus import CorpusError
from deepperf.scan.judgements import Judgement
from deepperf.scan.judgements import Verdict as Judged
from deepperf.scan.package import Hit
from deepperf.scan.scripts import OWN, Script

QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "MPLBACKEND": "agg"}
TO_END = 60.0
"""Seconds that a script has to end once it was interrupted, the report included."""
KEPT = ("signal", "rule", "cause", "message", "evidence", "weight", "share", "standing")


def watch(script: Script, home: Path, packages: Path) -> dict[str, Any]:
    """What `deepperf run` finds in a script. Raises `CorpusError` where it does not run.

    `home` is the folder of the scripts' file, `packages` where packages were unpacked.
    """
    source = script.package.folder(packages) if script.package else home / OWN
    with tempfile.TemporaryDirectory(prefix="deepperf-") as temporary:
        # Links in temporary paths would make the script's own paths look foreign.
        work = Path(temporary).resolve() / "work"
        shutil.copytree(source / script.folder, work)
        DATA[script.data](work)
        report = work.with_name("report.json")
        words = ["run", "--format", "json", "--report", str(report), *script.words]
        process = subprocess.Popen(
            [sys.executable, "-m", "deepperf", *words],
            cwd=work,
            env={**os.environ, **QUIET, **script.environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        is_over, said = _until(process, script.seconds)
        if not report.exists():
            raise CorpusError(f"{script.name}: {' '.join(said.split())[-300:]}")
        # Interrupted, it may say what it likes: its workers were, too.
        if is_over and process.returncode:
            reason = " ".join(said.split())[-300:]
            raise CorpusError(f"{script.name}: ended with {process.returncode}: {reason}")
        return kept(script, json.loads(report.read_text(encoding="utf-8")), work)


def _until(process: subprocess.Popen[str], seconds: float) -> tuple[bool, str]:
    """Whether a process came to its end, and what it said on its standard error.

    After some time it is interrupted.
    """
    try:
        return True, process.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGINT)
    try:
        return False, process.communicate(timeout=TO_END)[1]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return False, process.communicate()[1]


def kept(script: Script, told: Mapping[str, Any], work: Path) -> dict[str, Any]:
    """What of a report says something to others than this machine's owner."""
    run = told["run"]
    return {
        "script": script.name,
        "version": script.version,
        "date": str(datetime.datetime.now(tz=datetime.timezone.utc).date()),
        "python": run["python"],
        "versions": run["versions"],
        "cores": run["machine"]["cores"],
        "seconds": round(run["seconds"] - run["importing_seconds"], 1),
        "coreless": round(run["coreless_seconds"] / run["seconds"], 2),
        "steps": max(run["steps"].values(), default=0),
        "overhead": round(run["overhead_seconds"] / run["seconds"], 4),
        "problems": run["problems"],
        "findings": [_item(item, work) for item in told["findings"]],
        "notes": [_item(item, work) for item in told["notes"]],
    }


def _item(item: Mapping[str, Any], work: Path) -> dict[str, Any]:
    file = Path(item["file"]) if item["file"] else None
    path, text = "", ""
    if file is not None:
        path = file.relative_to(work).as_posix() if file.is_relative_to(work) else file.name
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        text = lines[item["line"] - 1].strip() if 0 < item["line"] <= len(lines) else ""
    told = {key: item[key] for key in KEPT}
    told["share"] = round(told["share"], 3)
    return {"path": path, "line": item["line"], "text": text, **told}


def hits(results: Iterable[Mapping[str, Any]]) -> tuple[Hit, ...]:
    """The findings of results, as what is judged; a note is none."""
    return tuple(
        Hit(
            package=result["script"],
            version=result["version"],
            path=item["path"],
            line=item["line"],
            column=1,
            rule=item["rule"] or item["signal"],
            level="warning",
            role="source",
            message=item["message"],
            text=item["text"],
            occurrence=1,
        )
        for result in results
        for item in result["findings"]
    )


def read_results(folder: Path) -> tuple[dict[str, Any], ...]:
    """All stored results, by script."""
    return tuple(
        json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))
    )


def table(
    scripts: Sequence[Script], results: Iterable[Mapping[str, Any]], judged: Iterable[Judgement]
) -> str:
    """A row for each script that ran, and what its findings were judged, in Markdown."""
    verdicts = {judgement.key: judgement.verdict for judgement in judged}
    by_name = {result["script"]: result for result in results}
    rows = [
        "| script | what it does | seconds | steps | findings | true | arguable | false | notes |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    whole = dict.fromkeys(Judged, 0)
    for script in scripts:
        result = by_name.get(script.name)
        if result is None:
            continue
        found = [verdicts.get(hit_key(hit)) for hit in hits([result])]
        counts = {verdict: found.count(verdict) for verdict in Judged}
        whole = {verdict: whole[verdict] + counts[verdict] for verdict in Judged}
        told = " | ".join(str(counts[verdict] or "") for verdict in Judged)
        rows.append(
            f"| {script.name}{' (clean)' if script.is_clean else ''} | {script.what} | "
            f"{result['seconds']:.0f} | {result['steps']:,} | {len(found) or ''} | {told} | "
            f"{len(result['notes']) or ''} |"
        )
    told = " | ".join(f"**{whole[verdict]}**" for verdict in Judged)
    rows.append(f"| **all** | | | | **{sum(whole.values())}** | {told} | |")
    return "\n".join(rows)


def hit_key(hit: Hit) -> tuple[str, str, str, int, str]:
    """What a judgement knows a hit by."""
    return (hit.package, hit.version, hit.path, hit.line, hit.rule)


def _mnist(work: Path) -> None:
    """Files that look like those of MNIST and of Fashion-MNIST, with stripes on them."""
    _write_digits(work, 1)


def _mnist_beside(work: Path) -> None:
    """The same, in the folder beside the script's where some look for it."""
    _write_digits(work.with_name("data"), 1)


def _datasets(work: Path) -> None:
    """The same as often as makes up the real numbers of images, for who counts on them."""
    _write_digits(work / "datasets", 10)


def _write_digits(folder: Path, times: int) -> None:
    raw = folder / "MNIST" / "raw"
    raw.mkdir(parents=True)
    for part, several in (("train", 6000), ("t10k", 1000)):
        labels = bytes(number % 10 for number in range(several)) * times
        digits = enumerate(labels[:several])
        images = b"".join(_digit(label, number) for number, label in digits) * times
        count = len(labels)
        heads = (struct.pack(">IIII", 2051, count, 28, 28), struct.pack(">II", 2049, count))
        for name, content in (
            (f"{part}-images-idx3-ubyte", heads[0] + images),
            (f"{part}-labels-idx1-ubyte", heads[1] + labels),
        ):
            (raw / name).write_bytes(content)
    shutil.copytree(raw, folder / "FashionMNIST" / "raw")


def _digit(label: int, number: int) -> bytes:
    noise = zlib.crc32(number.to_bytes(4, "big")).to_bytes(4, "big") * 196
    return bytes(
        (value >> 2) + 190 * ((at // 28 + at % 28 * label) % 10 == label)
        for at, value in enumerate(noise)
    )


def _text(work: Path) -> None:
    """A text of repeated phrases."""
    words = ("the tide turns", "at noon", "and the gauge", "falls by", "a hand", "or two\n")
    said = (words[zlib.crc32(bytes([n % 251, n % 241])) % len(words)] for n in range(40_000))
    (work / "text.txt").write_text(" ".join(said), encoding="ascii")


def _nothing(_: Path) -> None:
    """Some scripts make their data themselves."""


DATA: Mapping[str, Callable[[Path], None]] = {
    "": _nothing,
    "mnist": _mnist,
    "mnist-beside": _mnist_beside,
    "datasets": _datasets,
    "text": _text,
}
