"""Precipitation nowcasting from radar mosaics, several GPUs.

    torchrun --nproc-per-node 8 nowcast_ddp.py --data radar.npy --accum 8

radar.npy: uint8 [n, 16, 256, 256]; 12 frames are given, 4 are predicted.
"""
import argparse
import os
from contextlib import nullcontext

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

N_IN, N_OUT = 12, 4


class RadarSequences(Dataset):
    def __init__(self, path):
        self.frames = np.load(path, mmap_mode="r")

    def __len__(self):
        return len(self.frames)

    def __getitem__(self, i):
        seq = torch.from_numpy(np.array(self.frames[i]))
        return seq[:N_IN], seq[N_IN:]


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(
            nn.GroupNorm(8, width), nn.SiLU(), nn.Conv2d(width, width, 3, padding=1),
            nn.GroupNorm(8, width), nn.SiLU(), nn.Conv2d(width, width, 3, padding=1),
        )

    def forward(self, x):
        return x + self.body(x)


def build_model(width, depth):
    return nn.Sequential(
        nn.Conv2d(N_IN, width, 4, stride=4),
        *[Residual(width) for _ in range(depth)],
        nn.ConvTranspose2d(width, N_OUT, 4, stride=4),
    )


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--data", required=True)
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--batch-size", type=int, default=4, help="per GPU and micro-batch")
    p.add_argument("--accum", type=int, default=8)
    p.add_argument("--width", type=int, default=256)
    p.add_argument("--depth", type=int, default=16)
    p.add_argument("--lr", type=float, default=2e-4)
    p.add_argument("--workers", type=int, default=4)
    return p.parse_args()


def main():
    args = parse_args()
    cuda = torch.cuda.is_available()
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device(f"cuda:{os.environ['LOCAL_RANK']}" if cuda else "cpu")
    if cuda:
        torch.cuda.set_device(device)

    dataset = RadarSequences(args.data)
    sampler = DistributedSampler(dataset, shuffle=True, drop_last=True)
    loader = DataLoader(dataset, batch_size=args.batch_size, sampler=sampler, drop_last=True,
                        num_workers=args.workers, persistent_workers=args.workers > 0,
                        pin_memory=cuda)
    net = build_model(args.width, args.depth).to(device)
    model = DDP(net, device_ids=[device.index] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)

    updates = 0
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for i, (past, future) in enumerate(loader):
            last = (i + 1) % args.accum == 0 or i + 1 == len(loader)
            past = past.to(device, non_blocking=True).float() / 255
            future = future.to(device, non_blocking=True).float() / 255
            with nullcontext() if last else model.no_sync():
                loss = F.smooth_l1_loss(model(past), future)
                (loss / args.accum).backward()
            if last:
                optimizer.step()
                optimizer.zero_grad()
                updates += 1
                if updates % 50 == 0 and dist.get_rank() == 0:
                    print(f"epoch {epoch} update {updates} loss {loss.item():.5f}")
        if dist.get_rank() == 0:
            torch.save(net.state_dict(), f"nowcast_{epoch:02d}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
