"""Nightly audit: which products are seen on the photos that the stores sent?"""
import argparse
import csv
from pathlib import Path

import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from classifier import ZeroShotClassifier
from prompts import load_products


class Photos(Dataset):
    def __init__(self, folder, processor):
        self.paths = sorted(Path(folder).glob("*.jpg"))
        self.processor = processor

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        image = Image.open(self.paths[i]).convert("RGB")
        out = self.processor(images=image, return_tensors="pt")
        return out["pixel_values"][0], str(self.paths[i])


def audit(classifier, loader, products, threshold):
    seen = {}
    for pixels, paths in loader:
        probs = classifier.score(pixels, products)
        top, index = probs.max(dim=-1)
        for path, p, i in zip(paths, top.tolist(), index.tolist()):
            if p >= threshold:
                seen[path] = (products[i], p)
    return seen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("photos")
    parser.add_argument("--products", default="products.json")
    parser.add_argument("--threshold", type=float, default=0.4)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--out", default="audit.csv")
    args = parser.parse_args()

    classifier = ZeroShotClassifier(device="cuda" if torch.cuda.is_available() else "cpu")
    products = load_products(args.products)
    loader = DataLoader(
        Photos(args.photos, classifier.processor), batch_size=args.batch_size, num_workers=8
    )
    seen = audit(classifier, loader, products, args.threshold)
    with open(args.out, "w", newline="") as f:
        writer = csv.writer(f)
        for path, (product, p) in sorted(seen.items()):
            writer.writerow([path, product, f"{p:.3f}"])


if __name__ == "__main__":
    main()
