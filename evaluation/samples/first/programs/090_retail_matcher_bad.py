"""Contrastive image-text matching for a retail catalogue."""
import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision.io import ImageReadMode, read_image
from torchvision.models import resnet50
from torchvision.transforms import v2


class Pairs(Dataset):
    def __init__(self, root):
        self.root = Path(root)
        self.names = np.loadtxt(self.root / "images.txt", dtype="U64")
        self.tokens = np.load(self.root / "tokens.npy", mmap_mode="r")
        self.tf = v2.Compose([v2.RandomResizedCrop(224, (0.7, 1.0)),
                              v2.ToDtype(torch.float32, scale=True),
                              v2.Normalize([0.48, 0.46, 0.41], [0.27, 0.26, 0.28])])

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        image = read_image(str(self.root / "img" / self.names[i]), ImageReadMode.RGB)
        ids = torch.from_numpy(np.array(self.tokens[i], dtype=np.int64))
        return {"image": self.tf(image), "ids": ids, "mask": ids > 0}


class Matcher(nn.Module):
    def __init__(self, vocab=30522, dim=512):
        super().__init__()
        self.image = resnet50(weights="DEFAULT")
        self.image.fc = nn.Linear(2048, dim)
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        layer = nn.TransformerEncoderLayer(dim, 8, 2048, batch_first=True, norm_first=True)
        self.text = nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)
        self.scale = nn.Parameter(torch.tensor(2.6593))

    def forward(self, batch):
        v = nn.functional.normalize(self.image(batch["image"]), dim=-1)
        t = self.text(self.emb(batch["ids"]), src_key_padding_mask=~batch["mask"])
        t = nn.functional.normalize(t[:, 0], dim=-1)
        logits = self.scale.exp() * v @ t.T
        target = torch.arange(len(logits), device=logits.device)
        return 0.5 * (nn.functional.cross_entropy(logits, target)
                      + nn.functional.cross_entropy(logits.T, target))


def to_device(batch, device):
    return {k: v.to(device) for k, v in batch.items()}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root")
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--batch-size", type=int, default=256)
    p.add_argument("--lr", type=float, default=2e-4)
    args = p.parse_args()

    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda")
    loader = DataLoader(Pairs(args.root), batch_size=args.batch_size, shuffle=True,
                        num_workers=12, pin_memory=True, persistent_workers=True,
                        drop_last=True)
    model = Matcher().to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, fused=True)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, args.lr, args.epochs * len(loader))
    step = 0
    for epoch in range(args.epochs):
        for raw in loader:
            batch = to_device(raw, device)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = model(batch)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            step += 1
            if step % 200 == 0:
                print(epoch, step, loss.item())
    torch.save(model.state_dict(), "matcher.pt")


if __name__ == "__main__":
    main()
