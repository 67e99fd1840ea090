# requires: torch==2.1.2
"""Fine-tunes both CLIP towers on product photos (transformers 4.36)."""
import argparse
import json
import math

import torch
import torch.nn.functional as F
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from transformers import CLIPModel, CLIPProcessor


class Products(Dataset):
    def __init__(self, manifest, proc):
        self.rows = [json.loads(l) for l in open(manifest)]
        self.proc = proc

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        r = self.rows[i]
        im = Image.open(r["path"]).convert("RGB")
        return self.proc.image_processor(im, return_tensors="pt")["pixel_values"][0], r["category"]


class Towers(torch.nn.Module):
    def __init__(self, name, labels, device):
        super().__init__()
        self.clip = CLIPModel.from_pretrained(name).to(device)
        self.proc = CLIPProcessor.from_pretrained(name)
        self.tok = self.proc.tokenizer(["a product photo of " + l for l in labels], padding=True, return_tensors="pt").to(device)
        self.vision = torch.compile(self.image)

    def image(self, px):
        return F.normalize(self.clip.get_image_features(pixel_values=px), dim=-1)

    @property
    def classes(self):
        return F.normalize(self.clip.get_text_features(**self.tok), dim=-1)

    def logits(self, px, classes=None):
        w = self.classes if classes is None else classes
        return self.clip.logit_scale.exp() * self.vision(px) @ w.t()


class Cosine:
    def __init__(self, opt, total, peak):
        self.opt, self.total, self.peak, self.n = opt, total, peak, 0

    def __call__(self):
        self.n += 1
        for g in self.opt.param_groups:
            g["lr"] = 0.5 * self.peak * (1 + math.cos(math.pi * self.n / self.total))


@torch.no_grad()
def validate(model, data, dev):
    model.eval()
    w = model.classes
    good = n = 0
    for px, y in data:
        good += (model.logits(px.to(dev), w).argmax(1).cpu() == y).sum().item()
        n += len(y)
    return good / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("train")
    ap.add_argument("val")
    ap.add_argument("labels")
    ap.add_argument("--epochs", type=int, default=5)
    a = ap.parse_args()
    dev = "cuda"
    model = Towers("openai/clip-vit-base-patch32", json.load(open(a.labels)), dev)
    opts = dict(batch_size=128, num_workers=8, pin_memory=True, drop_last=True)
    train = DataLoader(Products(a.train, model.proc), shuffle=True, **opts)
    val = DataLoader(Products(a.val, model.proc), **opts)
    opt = torch.optim.AdamW(model.parameters(), 1e-5, weight_decay=0.1)
    tick = Cosine(opt, a.epochs * len(train), 1e-5)
    for e in range(a.epochs):
        model.train()
        for px, y in train:
            loss = F.cross_entropy(model.logits(px.to(dev)), y.to(dev))
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            tick()
        print(e, loss.item(), validate(model, val, dev))
    model.clip.save_pretrained("clip-products")


if __name__ == "__main__":
    main()
