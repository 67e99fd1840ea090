import asyncio
import os
import random
import tempfile
import time

import httpx
import torch

from engine import TENANTS
from service import FeatureServer, make_app


async def worker(client, words, number, count, totals):
    rng = random.Random(number)
    for i in range(count):
        text = " ".join(rng.choice(words) for _ in range(rng.randint(6, 40)))
        body = {"key": f"{number}-{i}", "tenant": TENANTS[number % len(TENANTS)], "text": text}
        reply = await client.post("/recommend", json=body)
        reply.raise_for_status()
        data = reply.json()
        totals.append(sum(score for score, _ in data["neighbours"]) + max(data["tags"]))


async def load(logfile, workers=16, count=36):
    totals = []
    async with FeatureServer() as features:
        app = make_app(logfile, features.url)
        transport = httpx.ASGITransport(app=app)
        client = httpx.AsyncClient(transport=transport, base_url="http://service", timeout=60)
        words = app.state.engine.words
        await asyncio.gather(*(worker(client, words, n, count, totals) for n in range(workers)))
        await client.aclose()
    return totals


def main():
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as outdir:
        start = time.perf_counter()
        totals = asyncio.run(load(os.path.join(outdir, "audit.jsonl")))
        seconds = time.perf_counter() - start
    print(f"{len(totals)} replies, mean score {sum(totals) / len(totals):.4f}, {len(totals) / seconds:.1f} per second")
    print(f"cpu {time.process_time():.1f}s")


if __name__ == "__main__":
    main()
