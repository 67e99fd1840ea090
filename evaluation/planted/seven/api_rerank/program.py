"""Reranking service with a load test: 8 concurrent clients."""
import asyncio
import os
import random
import socket
import statistics
import tempfile
import time

import httpx
import torch

from features import open_store
from server import build_app, build_store, serve

REQUESTS, CLIENTS = 130, 8


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


async def load(url):
    rng, lat, todo = random.Random(0), [], list(range(REQUESTS))

    async def client():
        async with httpx.AsyncClient(timeout=120) as http:
            while todo:
                i = todo.pop()
                body = {"request_id": i, "user": rng.randrange(2000),
                        "candidates": rng.sample(range(6000), 20)}
                t0 = time.perf_counter()
                r = await http.post(f"{url}/rank", json=body)
                r.raise_for_status()
                lat.append(time.perf_counter() - t0)

    t0 = time.perf_counter()
    await asyncio.gather(*[client() for _ in range(CLIENTS)])
    return lat, time.perf_counter() - t0


def main():
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as root:
        db = os.path.join(root, "docs.db")
        open_store(db)
        store_port, port = free_port(), free_port()
        store = serve(build_store(), store_port)
        cfg = {"db": db, "audit": os.path.join(root, "audit.log"),
               "store_url": f"http://127.0.0.1:{store_port}"}
        api = serve(build_app(cfg), port)
        while not (api.started and store.started):
            time.sleep(0.05)
        lat, wall = asyncio.run(load(f"http://127.0.0.1:{port}"))
        lat.sort()
        print(f"{len(lat)} requests in {wall:.1f}s, {len(lat) / wall:.1f}/s, "
              f"p50 {statistics.median(lat):.3f}s p95 {lat[int(.95 * len(lat))]:.3f}s")
        api.should_exit = store.should_exit = True
        time.sleep(0.5)


if __name__ == "__main__":
    main()
