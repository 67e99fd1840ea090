"""The same results, whatever runs the batches."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.scan.builders import SLOW, each

from deepperf.config.options import WrongUse
from deepperf.scan.cage import Broken, end, scan_batch
from deepperf.scan.engines import Engine
from deepperf.scan.make import engine_digest
from deepperf.scan.package import Batch, Limits, Package, Scanned, State

FOUR = tuple(Package(f"package-{n}", "1", "") for n in range(4))


def batch_of(*packages: Package, engine: str = "rules") -> Batch:
    return Batch(packages, Limits(), engine)


def gathered(engine: Engine) -> list[Scanned]:
    pending = {engine.submit(batch_of(one)) for one in FOUR}
    results: list[Scanned] = []
    while pending:
        ready = engine.first(pending, 30.0)
        pending -= ready
        results += (result for answer in ready for result in answer.result())
    return sorted(results, key=lambda result: result.package)


def test_a_batch_survives_whoever_watches_over_it(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SLOW)
    (tmp_path / "requirements.txt").write_text("tensorflow==2.4.0\n")
    good = Package("flowers", "1.0", str(tmp_path))
    broken = Package("broken", "1.0", str(tmp_path / "nowhere"))
    killed: list[int] = []

    def kill_the_first(process: subprocess.Popen[bytes]) -> None:
        if not killed:
            killed.append(process.pid)
            end(process)

    results = scan_batch(batch_of(good, broken, engine=engine_digest()), kill_the_first)

    assert [one.state for one in results] == [State.DONE, State.UNREADABLE]
    assert "serial-map" in {hit.rule for hit in results[0].hits}
    assert results[0].spent.peak > 10**7
    assert killed


def test_workers_with_other_rules_are_not_asked() -> None:
    with pytest.raises(Broken, match="the workers have other rules than this machine"):
        scan_batch(batch_of(*FOUR, engine="others"))


def test_a_batch_whose_every_process_is_killed_gives_rows_that_say_so() -> None:
    results = scan_batch(batch_of(*FOUR[:2]), end)

    assert [(one.package, one.state) for one in results] == [
        ("package-0", State.KILLED),
        ("package-1", State.KILLED),
    ]


def test_the_local_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    from deepperf.scan.engines import local

    monkeypatch.setattr(local, "scan_batch", lambda batch, **_: each(batch))
    with local.local(2) as engine:
        assert [one.package for one in gathered(engine)] == [one.name for one in FOUR]


def test_a_dask_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    from deepperf.scan.engines import dask

    monkeypatch.setattr(dask, "scan_batch", each)
    with dask.dask("", 2) as engine:
        assert [one.package for one in gathered(engine)] == [one.name for one in FOUR]


def test_a_ray_cluster_that_runs_already_gives_what_this_machine_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without it the cluster wants a token, which lies in the home of whoever started one first.
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    pytest.importorskip("ray", reason="ray is not installed")
    from deepperf.scan.engines import ray

    (tmp_path / "train.py").write_text(SLOW)
    (tmp_path / "requirements.txt").write_text("tensorflow==2.4.0\n")
    batch = batch_of(Package("flowers", "1.0", str(tmp_path)), engine=engine_digest())
    command = [sys.executable, "-m", "ray.scripts.scripts"]
    address = f"127.0.0.1:{free_port()}"
    start = ["start", "--head", f"--port={address[10:]}", "--num-cpus=1"]
    subprocess.run([*command, *start, "--include-dashboard=false"], check=True)
    try:
        with ray.ray(address, 8) as engine:
            assert engine.slots == 1
            (there,) = engine.submit(batch).result(400)
            with pytest.raises(Exception, match="the workers have other rules"):
                engine.submit(batch_of(*FOUR, engine="others")).result(60)
    finally:
        subprocess.run([*command, "stop", "--force"], check=True)

    (here,) = scan_batch(batch)
    assert "serial-map" in {hit.rule for hit in there.hits}
    assert there.hits == here.hits


def test_an_address_without_a_ray_cluster_is_named() -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    from deepperf.scan.engines import ray

    address = f"127.0.0.1:{free_port()}"
    with pytest.raises(WrongUse, match=address), ray.ray(address, 1):
        pass


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
