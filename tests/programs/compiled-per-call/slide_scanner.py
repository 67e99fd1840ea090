"""Tile classifier for whole-slide images: a worker that takes slides from a queue."""
import json
import queue
import sys
import threading
from pathlib import Path

import numpy as np
import openslide
import torch
import torchvision

TILE = 256
DEVICE = "cuda:0"


def load(path):
    model = torchvision.models.efficientnet_b0(num_classes=4)
    model.load_state_dict(torch.load(path, map_location="cpu"))
    return model.to(DEVICE).eval()


def tiles(slide, level=1):
    width, height = slide.level_dimensions[level]
    scale = int(slide.level_downsamples[level])
    for y in range(0, height - TILE, TILE):
        for x in range(0, width - TILE, TILE):
            region = slide.read_region((x * scale, y * scale), level, (TILE, TILE)).convert("RGB")
            pixels = np.asarray(region)
            if pixels.mean() < 235:
                yield (x, y), pixels


def batched(stream, size):
    where, block = [], []
    for xy, pixels in stream:
        where.append(xy)
        block.append(pixels)
        if len(block) == size:
            yield where, np.stack(block)
            where, block = [], []
    if block:
        yield where, np.stack(block)


@torch.no_grad()
def score_batch(model, block):
    x = torch.from_numpy(block).to(DEVICE).permute(0, 3, 1, 2).float().div_(255)
    scripted = torch.jit.trace(model, x)  # finding: compiled-per-call
    return scripted(x).softmax(1).cpu().numpy()


def score_slide(model, path, size=128):
    slide = openslide.OpenSlide(str(path))
    try:
        out = []
        for where, block in batched(tiles(slide), size):
            for xy, p in zip(where, score_batch(model, block)):
                out.append({"x": xy[0], "y": xy[1], "p": [round(float(v), 4) for v in p]})
        return out
    finally:
        slide.close()


def worker(model, jobs, results_dir):
    while True:
        path = jobs.get()
        if path is None:
            break
        try:
            rows = score_slide(model, path)
            (results_dir / (path.stem + ".json")).write_text(json.dumps(rows))
        except openslide.OpenSlideError as error:
            print(path, error, file=sys.stderr)
        finally:
            jobs.task_done()


def main(weights, inbox, outbox):
    model = load(weights)
    jobs = queue.Queue()
    outbox = Path(outbox)
    outbox.mkdir(exist_ok=True)
    thread = threading.Thread(target=worker, args=(model, jobs, outbox))
    thread.start()
    for path in sorted(Path(inbox).glob("*.svs")):
        jobs.put(path)
    jobs.put(None)
    thread.join()


if __name__ == "__main__":
    main(*sys.argv[1:4])
