"""Semantic search over help articles as a web service, with a replayed load in the same process."""
import asyncio
import tempfile
import time
from pathlib import Path

import torch

from audit import AuditLog, LatencyMonitor
from encoder import Encoder
from index import PassageIndex
from load import replay
from normalise import Normaliser
from profiles import ProfileStore
from service import create_app
from settings import Settings
from texts import make_world


def main():
    settings = Settings()
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    with tempfile.TemporaryDirectory(prefix="helpdesk-") as tmp:
        folder = Path(tmp)
        passages, load = make_world(settings, folder)
        encoder = Encoder(settings).eval()
        started = time.perf_counter()
        index = PassageIndex(encoder, passages, settings.top_k)
        ready = time.perf_counter()
        monitor = LatencyMonitor()
        app = create_app(
            encoder,
            index,
            Normaliser(folder / "synonyms.json"),
            ProfileStore(settings.profile_latency),
            AuditLog(folder / "audit.json"),
            monitor,
            settings,
        )
        monitor.start()
        answers = asyncio.run(replay(app, load, settings.clients))
        figures = monitor.stop()
        finished = time.perf_counter()
    top = sum(a["hits"][0]["score"] for a in answers.values()) / len(answers)
    which = sum(a["hits"][0]["passage"] for a in answers.values())
    print(f"{len(answers)} answers, mean best score {top:.4f}, checksum {which}")
    print({k: round(float(v) * 1000, 2) for k, v in figures.items()}, "ms")
    print(f"index in {ready - started:.1f} s, load in {finished - ready:.1f} s, {len(load) / (finished - ready):.1f} per s")


if __name__ == "__main__":
    main()
