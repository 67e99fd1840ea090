# requires: torch==2.2.*
"""Deblurring as a library and a small HTTP server (aiohttp). PyTorch 2."""
import argparse
import asyncio
import io
import logging

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from aiohttp import web
from PIL import Image

log = logging.getLogger("restore")


class ResBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a = nn.Conv2d(width, width, 3, padding=1)
        self.b = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x):
        return x + self.b(F.gelu(self.a(x)))


class Restorer(nn.Module):
    def __init__(self, width=64, depth=16):
        super().__init__()
        self.head = nn.Conv2d(3, width, 3, padding=1)
        self.body = nn.Sequential(*(ResBlock(width) for _ in range(depth)))
        self.tail = nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, x):
        return x + self.tail(self.body(self.head(x)))


def load(path, device):
    model = Restorer()
    model.load_state_dict(torch.load(path, map_location="cpu"))
    return model.eval().to(device)


def tiles(image, size, overlap):
    _, _, h, w = image.shape
    for top in range(0, max(h - overlap, 1), size - overlap):
        for left in range(0, max(w - overlap, 1), size - overlap):
            top, left = min(top, max(h - size, 0)), min(left, max(w - size, 0))
            yield top, left, image[:, :, top : top + size, left : left + size]


def restore(checkpoint, image, device="cuda", size=256, overlap=32):
    """Restores one picture, tile by tile."""
    model = load(checkpoint, device)
    fast = torch.compile(model, mode="max-autotune")  # finding: compiled-per-call
    x = torch.from_numpy(np.array(image)).permute(2, 0, 1)[None].float().to(device) / 255
    out, weight = torch.zeros_like(x), torch.zeros_like(x[:, :1])
    with torch.inference_mode():
        for top, left, tile in tiles(x, size, overlap):
            out[:, :, top : top + size, left : left + size] += fast(tile)
            weight[:, :, top : top + size, left : left + size] += 1
    result = (out / weight).clamp(0, 1).mul(255).byte()
    return Image.fromarray(result[0].permute(1, 2, 0).cpu().numpy())


class Server:
    def __init__(self, checkpoint, device):
        self.checkpoint, self.device = checkpoint, device
        self.lock = asyncio.Lock()

    async def handle(self, request):
        field = await (await request.multipart()).next()
        image = Image.open(io.BytesIO(await field.read())).convert("RGB")
        async with self.lock:
            loop = asyncio.get_running_loop()
            result = await loop.run_in_executor(None, restore, self.checkpoint, image, self.device)
        buffer = io.BytesIO()
        result.save(buffer, "PNG")
        return web.Response(body=buffer.getvalue(), content_type="image/png")

    def app(self):
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/restore", self.handle)
        app.router.add_get("/", self.index)
        return app

    async def index(self, request):
        return web.Response(text="POST a picture to /restore")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--port", type=int, default=8080)
    args = parser.parse_args()
    logging.basicConfig(level="INFO")
    web.run_app(Server(args.checkpoint, args.device).app(), port=args.port)


if __name__ == "__main__":
    main()
