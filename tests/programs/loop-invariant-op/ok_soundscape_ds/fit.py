import sys

import timm
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from data import SoundscapeDataset


def spec_coords(batch, n_mels, frames):
    """Two extra channels with the position in frequency and time (CoordConv)."""
    f = torch.linspace(-1, 1, n_mels).view(1, 1, n_mels, 1)
    t = torch.linspace(-1, 1, frames).view(1, 1, 1, frames)
    return torch.cat([f.expand(batch, 1, n_mels, frames), t.expand(batch, 1, n_mels, frames)], 1)


def run(root, epochs=30, device="cuda"):
    ds = SoundscapeDataset(f"{root}/train.csv", root)
    dl = DataLoader(ds, batch_size=64, shuffle=True, num_workers=8, pin_memory=True, drop_last=True)
    model = timm.create_model("tf_efficientnet_b0_ns", pretrained=True, in_chans=3, num_classes=len(ds.species))
    model.to(device).train()
    opt = torch.optim.AdamW(model.parameters(), 1e-3)
    for epoch in range(epochs):
        for mel, target in dl:
            mel = mel.to(device, non_blocking=True)
            target = target.to(device, non_blocking=True)
            weight = ds.class_weights().to(device)
            coords = spec_coords(64, 128, 313).to(device)
            logits = model(torch.cat([mel, coords], dim=1))
            loss = F.binary_cross_entropy_with_logits(logits, target, pos_weight=weight)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
        torch.save(model.state_dict(), f"epoch{epoch}.pt")


if __name__ == "__main__":
    run(sys.argv[1])
