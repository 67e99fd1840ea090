"""Masked autoencoder pretraining on aerial patches."""
import argparse
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Config:
    patch: int = 16
    dim: int = 768
    depth: int = 12
    mask: float = 0.75
    batch_size: int = 256
    steps: int = 200_000


class Patches(Dataset):
    def __init__(self, path):
        self.data = np.load(path, mmap_mode="r")

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return torch.from_numpy(np.array(self.data[i])).permute(2, 0, 1)


class Mae(nn.Module):
    def __init__(self, cfg, tokens=196):
        super().__init__()
        self.cfg = cfg
        self.embed = nn.Conv2d(3, cfg.dim, cfg.patch, cfg.patch)
        self.pos = nn.Parameter(torch.zeros(1, tokens, cfg.dim))
        layer = nn.TransformerEncoderLayer(cfg.dim, 12, 4 * cfg.dim, 0.0, "gelu",
                                           batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, cfg.depth, enable_nested_tensor=False)
        self.mask_token = nn.Parameter(torch.zeros(1, 1, cfg.dim))
        self.head = nn.Linear(cfg.dim, 3 * cfg.patch**2)

    def forward(self, images):
        x = self.embed(images).flatten(2).transpose(1, 2)
        hide = torch.rand(x.shape[:2], device=x.device) < self.cfg.mask
        x = torch.where(hide[..., None], self.mask_token.to(x.dtype), x) + self.pos
        pred = self.head(self.encoder(x))
        target = nn.functional.unfold(images, self.cfg.patch, stride=self.cfg.patch)
        err = (pred.float() - target.transpose(1, 2)).square().mean(-1)
        return (err * hide).sum() / hide.sum()


class Engine:
    def __init__(self, model, lr):
        self.model = model
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr, betas=(0.9, 0.95),
                                     weight_decay=0.05, fused=True)
        self.clip = 1.0

    def finish(self, loss):
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.opt.step()
        self.opt.zero_grad(set_to_none=True)

    def run(self, loader, steps, log_every=500):
        done = 0
        while done < steps:
            for images in loader:
                images = images.cuda(non_blocking=True).float().div_(255).sub_(0.5)
                with torch.autocast("cuda", dtype=torch.bfloat16):
                    loss = self.model(images)
                self.finish(loss)
                done += 1
                if done % log_every == 0:
                    print(done, loss.item(), flush=True)
                if done >= steps:
                    break


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("--lr", type=float, default=1.5e-4)
    args = p.parse_args()
    cfg = Config()
    torch.set_float32_matmul_precision("high")
    loader = DataLoader(Patches(args.data), cfg.batch_size, shuffle=True, num_workers=12,
                        pin_memory=True, persistent_workers=True, drop_last=True)
    model = Mae(cfg).cuda()
    Engine(model, args.lr).run(loader, cfg.steps)
    torch.save(model.state_dict(), "mae.pt")


if __name__ == "__main__":
    main()
