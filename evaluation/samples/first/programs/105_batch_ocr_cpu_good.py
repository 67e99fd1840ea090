"""CPU batch job: read page scans with a CRNN in a process pool."""
import argparse
import json
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import nn

ALPHABET = "-0123456789abcdefghijklmnopqrstuvwxyz .,:/"
HEIGHT, WIDTH = 32, 512
_model = None


class Crnn(nn.Module):
    def __init__(self, symbols):
        super().__init__()
        layers, c = [], 1
        for n, pool in ((64, (2, 2)), (128, (2, 2)), (256, (2, 1)), (512, (2, 1))):
            layers += [nn.Conv2d(c, n, 3, padding=1, bias=False), nn.BatchNorm2d(n),
                       nn.ReLU(inplace=True), nn.MaxPool2d(pool)]
            c = n
        self.cnn = nn.Sequential(*layers)
        self.rnn = nn.LSTM(1024, 256, 2, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(512, symbols)

    def forward(self, x):
        f = self.cnn(x).flatten(1, 2).transpose(1, 2)
        return self.fc(self.rnn(f)[0])


def init_worker(weights):
    global _model
    torch.set_num_threads(1)
    _model = Crnn(len(ALPHABET))
    _model.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
    _model.eval()


def read_lines(folder):
    files = sorted(folder.glob("line_*.png"))
    batch = np.zeros((len(files), 1, HEIGHT, WIDTH), np.float32)
    for k, f in enumerate(files):
        with Image.open(f) as im:
            im = im.convert("L").resize((WIDTH, HEIGHT))
            batch[k, 0] = np.asarray(im, np.float32) / 255.0
    return torch.from_numpy(batch)


def decode(best):
    text, last = [], 0
    for s in best:
        if s and s != last:
            text.append(ALPHABET[s])
        last = s
    return "".join(text)


@torch.inference_mode()
def transcribe(folder):
    lines = read_lines(folder)
    if len(lines) == 0:
        return {"page": folder.name, "lines": []}
    best = torch.cat([_model(part).argmax(-1) for part in lines.split(64)])
    return {"page": folder.name, "lines": [decode(row) for row in best.tolist()]}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("pages", type=Path)
    p.add_argument("--weights", default="crnn.pt")
    p.add_argument("--out", type=Path, default=Path("pages.jsonl"))
    args = p.parse_args()
    folders = sorted(d for d in args.pages.iterdir() if d.is_dir())
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn"),
                             initializer=init_worker, initargs=(args.weights,)) as pool:
        with args.out.open("w") as fh:
            for page in pool.map(transcribe, folders, chunksize=8):
                fh.write(json.dumps(page) + "\n")


if __name__ == "__main__":
    main()
