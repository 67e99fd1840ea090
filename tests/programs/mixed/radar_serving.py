"""Nowcasts of rain: a worker that answers messages of a queue, PyTorch."""

import asyncio
import functools
import json
import logging
import pathlib

import aiofiles
import numpy as np
import redis.asyncio as redis
import torch

MODELS = pathlib.Path("/models")
log = logging.getLogger("radar")


class Nowcast(torch.nn.Module):
    def __init__(self, steps=12):
        super().__init__()
        self.steps = steps
        self.encode = torch.nn.Conv2d(4, 64, 3, padding=1)
        self.cell = torch.nn.Conv2d(64, 64, 3, padding=1)
        self.decode = torch.nn.Conv2d(64, 1, 1)

    def forward(self, frames):
        state = torch.relu(self.encode(frames))
        future = []
        for _ in range(self.steps):
            state = torch.tanh(self.cell(state))
            future.append(self.decode(state))
        return torch.cat(future, 1)


def load_region(region):
    model = Nowcast()
    model.load_state_dict(torch.load(MODELS / f"{region}.pt", map_location="cpu"))
    return model.eval()


@functools.lru_cache(maxsize=8)
def cached_region(region):
    return load_region(region)


class Worker:
    def __init__(self, url):
        self.queue = redis.from_url(url)
        self.fallback = load_region("default")

    async def frames(self, key):
        async with aiofiles.open(key, "rb") as handle:
            blob = await handle.read()
        return np.frombuffer(blob, np.uint8).reshape(4, 256, 256)

    async def serve(self):
        while True:
            _, message = await self.queue.blpop("jobs")
            job = json.loads(message)
            frames = await self.frames(job["frames"])
            if job.get("fast"):
                rain = self.quick(job["region"], frames)
            else:
                rain = self.answer(frames)
            await self.queue.set(job["id"], rain.tobytes())

    @torch.inference_mode()
    def quick(self, region, frames):
        model = cached_region(region)
        return model(torch.from_numpy(frames / 255.0).float()[None])[0].numpy()

    @torch.inference_mode()
    def answer(self, frames):
        model = torch.jit.load(str(MODELS / "large.pt"))  # finding: model-per-turn
        rain = model(torch.from_numpy(frames / 255.0).float()[None])[0]
        return self.to_rate(rain.numpy())

    def to_rate(self, reflectivity):
        """Millimetres an hour; other formulas for drizzle and for hail."""
        rate = np.zeros(reflectivity.shape)
        for index in np.ndindex(reflectivity.shape):  # finding: looped-branch
            z = reflectivity[index]
            if z < 10:
                rate[index] = 0.0
            elif z > 55:
                rate[index] = 100.0
            else:
                rate[index] = (10 ** (z / 10) / 200) ** 0.625
        return rate


def verify(worker, archive):
    """Once a month, over a dozen storms."""
    scores = []
    for storm in sorted(archive.glob("*.npz"))[:12]:
        data = np.load(storm)
        rain = worker.quick("default", data["before"])
        scores.append(float(np.abs(rain - data["after"]).mean()))
    log.info("error %.3f", np.mean(scores))


def train(archive, epochs=10):
    storms = []
    for path in archive.glob("*.npz"):
        storms.append(np.load(path)["frames"])  # finding: whole-dataset-array
    frames = torch.from_numpy(np.stack(storms)).float() / 255
    model = Nowcast()
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(epochs):
        for part in torch.randperm(len(frames)).split(8):
            loss = torch.nn.functional.mse_loss(model(frames[part, :4]), frames[part, 4:])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    torch.save(model.state_dict(), MODELS / "default.pt")


if __name__ == "__main__":
    logging.basicConfig(level="INFO")
    asyncio.run(Worker("redis://queue").serve())
