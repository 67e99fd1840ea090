"""Image-text pairs of satellite scenes for contrastive training."""
import argparse
import json
import random
from pathlib import Path

import open_clip
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset


class SceneCaptions(Dataset):
    def __init__(self, root, split, transform, tokenizer):
        self.root = Path(root)
        self.split = split
        self.transform = transform
        self.tokenizer = tokenizer
        self.names = sorted(p.name for p in (self.root / split).glob("*.jpg"))
        with open(self.root / f"captions_{split}.json", encoding="utf-8") as fh:
            self.table = json.load(fh)

    def __len__(self):
        return len(self.names)

    def _captions(self, name):
        return self.table[name]["sentences"]

    def __getitem__(self, idx):
        name = self.names[idx]
        image = Image.open(self.root / self.split / name).convert("RGB")
        text = random.choice(self._captions(name))
        return self.transform(image), self.tokenizer(text)[0]


def contrastive(img, txt, scale):
    logits = scale * img @ txt.t()
    target = torch.arange(len(img), device=img.device)
    return 0.5 * (
        nn.functional.cross_entropy(logits, target) + nn.functional.cross_entropy(logits.t(), target)
    )


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--batch-size", type=int, default=256)
    args = ap.parse_args()

    device = torch.device("cuda")
    model, train_tf, _ = open_clip.create_model_and_transforms("ViT-B-32", "laion2b_s34b_b79k")
    model.to(device).train()
    ds = SceneCaptions(args.root, "train", train_tf, open_clip.get_tokenizer("ViT-B-32"))
    loader = DataLoader(
        ds, args.batch_size, shuffle=True, num_workers=8, pin_memory=True,
        persistent_workers=True, drop_last=True,
    )
    opt = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)
    for epoch in range(args.epochs):
        for step, (image, text) in enumerate(loader):
            image = image.to(device, non_blocking=True)
            text = text.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                img, txt, scale = model(image, text)
                loss = contrastive(img, txt, scale)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step % 100 == 0:
                print(epoch, step, loss.item())
    torch.save(model.state_dict(), "scene_clip.pt")


if __name__ == "__main__":
    main()
