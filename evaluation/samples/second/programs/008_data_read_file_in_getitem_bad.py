import argparse
import json
from pathlib import Path

import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from transformers import AutoProcessor, CLIPModel


class CaptionedProducts(Dataset):
    """One JPEG per product, captions for the whole catalogue in captions.json."""

    def __init__(self, root, split, max_captions=5):
        self.root = Path(root)
        self.ids = (self.root / f"{split}.txt").read_text().split()
        self.max_captions = max_captions

    @property
    def captions(self):
        with open(self.root / "captions.json", encoding="utf-8") as fh:
            return json.load(fh)

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        pid = self.ids[i]
        image = Image.open(self.root / "img" / f"{pid}.jpg").convert("RGB")
        choices = self.captions[pid][: self.max_captions]
        pick = int(torch.randint(len(choices), ()))
        return image, choices[pick]


class Collate:
    def __init__(self, name):
        self.proc = AutoProcessor.from_pretrained(name)

    def __call__(self, rows):
        images, texts = zip(*rows)
        return self.proc(text=list(texts), images=list(images), return_tensors="pt", padding=True, truncation=True)


def train(args):
    device = "cuda"
    model = CLIPModel.from_pretrained(args.model).to(device)
    data = DataLoader(
        CaptionedProducts(args.root, "train"),
        batch_size=args.batch,
        shuffle=True,
        num_workers=12,
        collate_fn=Collate(args.model),
        pin_memory=True,
        persistent_workers=True,
        drop_last=True,
    )
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, fused=True)
    for epoch in range(args.epochs):
        for step, batch in enumerate(data):
            batch = {k: v.to(device, non_blocking=True) for k, v in batch.items()}
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = model(**batch, return_loss=True).loss
            loss.backward()
            opt.step()
            opt.zero_grad()
            if step % 200 == 0:
                print(epoch, step, loss.item())
        model.save_pretrained(f"{args.out}/epoch{epoch}")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--root", default="/mnt/catalogue")
    p.add_argument("--model", default="openai/clip-vit-base-patch32")
    p.add_argument("--out", default="runs/clip")
    p.add_argument("--batch", type=int, default=256)
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--lr", type=float, default=1e-5)
    train(p.parse_args())
