"""Run the zero-shot classifier over a night's shelf photos and write a CSV."""
import argparse
import csv
from pathlib import Path

from PIL import Image

from labels import PRODUCTS
from zero_shot import ZeroShot


def batches(paths, size):
    for i in range(0, len(paths), size):
        yield paths[i:i + size]


def audit(folder, out, batch_size):
    model = ZeroShot()
    paths = sorted(Path(folder).rglob("*.jpg"))
    with open(out, "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(["photo", "label", "confidence"])
        for chunk in batches(paths, batch_size):
            images = [Image.open(p).convert("RGB") for p in chunk]
            probs = model.classify(images)
            conf, index = probs.max(dim=-1)
            for path, c, i in zip(chunk, conf.tolist(), index.tolist()):
                writer.writerow([path.name, PRODUCTS[i], f"{c:.3f}"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--out", default="audit.csv")
    parser.add_argument("--batch-size", type=int, default=32)
    args = parser.parse_args()
    audit(args.folder, args.out, args.batch_size)
