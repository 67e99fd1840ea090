# requires: torch==2.1 transformers==4.36
import argparse
import json
from pathlib import Path

import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from transformers import CLIPModel, CLIPProcessor

PROMPTS = {
    "plain": lambda c: f"a photo of a {c}.",
    "blurry": lambda c: f"a blurry photo of a {c}.",
    "art": lambda c: f"an art of the {c}.",
    "close": lambda c: f"a close-up photo of the {c}.",
}


class Folder(Dataset):
    def __init__(self, root, proc):
        self.proc = proc
        self.classes = sorted(p.name for p in Path(root).iterdir() if p.is_dir())
        self.items = [(f, i) for i, c in enumerate(self.classes) for f in (Path(root) / c).glob("*.jpg")]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, k):
        f, y = self.items[k]
        img = Image.open(f).convert("RGB")
        return self.proc(images=img, return_tensors="pt")["pixel_values"][0], y


class ZeroShot:
    def __init__(self, name, device):
        self.model = CLIPModel.from_pretrained(name).eval().to(device)
        self.proc = CLIPProcessor.from_pretrained(name)
        self.device = device
        self._classes = []

    @property
    def classes(self):
        return self._classes

    @classes.setter
    def classes(self, names):
        self._classes = [n.replace("_", " ") for n in names]

    @property
    def head(self):
        cols = []
        for c in self.classes:
            tok = self.proc(text=[p(c) for p in PROMPTS.values()], padding=True, return_tensors="pt")
            z = self.model.get_text_features(**tok.to(self.device))  # finding: loop-invariant-op
            z = torch.nn.functional.normalize(z, dim=-1).mean(0)
            cols.append(z / z.norm())
        return torch.stack(cols, 1)

    def logits(self, px):
        z = self.model.get_image_features(pixel_values=px.to(self.device))
        z = torch.nn.functional.normalize(z, dim=-1)
        return self.model.logit_scale.exp() * z @ self.head


class Accuracy:
    def __init__(self, topk=(1, 5)):
        self.k, self.n = topk, 0
        self.hits = dict.fromkeys(topk, 0)

    def update(self, logits, y):
        rank = logits.topk(max(self.k), 1).indices.cpu()
        for k in self.k:
            self.hits[k] += (rank[:, :k] == y[:, None]).any(1).sum().item()
        self.n += len(y)

    def summary(self):
        return {f"top{k}": h / max(self.n, 1) for k, h in self.hits.items()}


@torch.inference_mode()
def evaluate(clf, loader):
    acc = Accuracy()
    stream = iter(loader)
    while True:
        try:
            px, y = next(stream)
        except StopIteration:
            break
        acc.update(clf.logits(px), y)
    return acc.summary()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("--model", default="openai/clip-vit-base-patch32")
    ap.add_argument("--bs", type=int, default=128)
    a = ap.parse_args()
    dev = "cuda" if torch.cuda.is_available() else "cpu"
    clf = ZeroShot(a.model, dev)
    data = Folder(a.root, clf.proc)
    clf.classes = data.classes
    print(json.dumps(evaluate(clf, DataLoader(data, a.bs, num_workers=8))))


if __name__ == "__main__":
    main()
