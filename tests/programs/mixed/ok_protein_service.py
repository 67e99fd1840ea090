# requires: jax==0.4.26
"""HTTP service for per-residue disorder scores; Haiku model, padded to buckets."""
import asyncio
import bisect
import functools
import pickle

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
from aiohttp import web

ALPHABET = {c: i + 1 for i, c in enumerate("ACDEFGHIKLMNPQRSTVWY")}
BUCKETS = (128, 256, 512, 1024)


def network(ids):
    x = hk.Embed(22, 128)(ids)
    live = (ids > 0)[..., None]
    for rate in (1, 2, 4, 8, 16):
        h = hk.LayerNorm(-1, True, True)(x)
        x = x + jax.nn.gelu(hk.Conv1D(128, 9, rate=rate)(h * live))
    return hk.Linear(1)(x)[..., 0]


MODEL = hk.without_apply_rng(hk.transform(network))


@functools.lru_cache(maxsize=None)
def scorer(bucket, smooth):
    """Forward pass for one padded length."""
    kernel = jnp.ones(smooth) / smooth

    def run(params, ids):
        p = jax.nn.sigmoid(MODEL.apply(params, ids))
        return jax.vmap(lambda r: jnp.convolve(r, kernel, mode="same"))(p)

    return jax.jit(run)


def encode(seq, width):
    out = np.zeros(width, np.int32)
    out[: len(seq)] = [ALPHABET.get(c, 21) for c in seq]
    return out


class Worker:
    def __init__(self, params, smooth=7, size=8):
        self.params, self.smooth, self.size = params, smooth, size
        self.queues = {b: asyncio.Queue() for b in BUCKETS}

    async def score(self, seq):
        b = BUCKETS[bisect.bisect_left(BUCKETS, len(seq))]
        fut = asyncio.get_running_loop().create_future()
        await self.queues[b].put((seq, fut))
        return await fut

    def compute(self, bucket, seqs):
        ids = np.stack([encode(s, bucket) for s in seqs] + [np.zeros(bucket, np.int32)] * (self.size - len(seqs)))
        return np.asarray(scorer(bucket, self.smooth)(self.params, ids))

    async def drain(self, bucket):
        q = self.queues[bucket]
        while True:
            jobs = [await q.get()]
            while len(jobs) < self.size and not q.empty():
                jobs.append(q.get_nowait())
            seqs = [s for s, _ in jobs]
            rows = await asyncio.get_running_loop().run_in_executor(None, self.compute, bucket, seqs)
            for (s, fut), row in zip(jobs, rows):
                fut.set_result(row[: len(s)].tolist())


async def handle(request):
    seq = (await request.text()).strip().upper()
    if not seq or len(seq) > BUCKETS[-1]:
        raise web.HTTPBadRequest()
    return web.json_response(await request.app["worker"].score(seq))


async def lifespan(app):
    with open("disorder.pkl", "rb") as fh:
        params = jax.device_put(pickle.load(fh))
    app["worker"] = w = Worker(params)
    tasks = [asyncio.create_task(w.drain(b)) for b in BUCKETS]
    yield
    for t in tasks:
        t.cancel()


def main():
    app = web.Application()
    app.router.add_post("/disorder", handle)
    app.cleanup_ctx.append(lifespan)
    web.run_app(app, port=9000)


if __name__ == "__main__":
    main()
