"""Person re-identification embeddings, trained in fp32."""
import argparse
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class TrackFeatures(Dataset):
    """Precomputed frame features, one sequence of 32 frames per item."""

    def __init__(self, prefix):
        self.frames = np.load(f"{prefix}_frames.npy", mmap_mode="r")
        self.person = np.load(f"{prefix}_person.npy")

    def __len__(self):
        return len(self.person)

    def __getitem__(self, i):
        seq = np.array(self.frames[i], dtype=np.float32)
        return torch.from_numpy(seq), int(self.person[i])


class TrackEncoder(nn.Module):
    def __init__(self, features=2048, dim=1024, depth=8, out=256):
        super().__init__()
        self.inp = nn.Linear(features, dim)
        layer = nn.TransformerEncoderLayer(dim, 16, 4 * dim, 0.1, "gelu",
                                           batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.out = nn.Linear(dim, out)

    def forward(self, seq):
        return nn.functional.normalize(self.out(self.body(self.inp(seq)).mean(1)), dim=-1)


class ArcFace(nn.Module):
    def __init__(self, dim, people, scale=30.0, margin=0.35):
        super().__init__()
        self.centres = nn.Parameter(torch.randn(people, dim))
        self.scale, self.margin = scale, margin

    def forward(self, emb, person):
        cos = emb @ nn.functional.normalize(self.centres, dim=-1).T
        theta = torch.acos(cos.clamp(-1 + 1e-6, 1 - 1e-6))
        hit = nn.functional.one_hot(person, len(self.centres)).bool()
        logits = torch.where(hit, torch.cos(theta + self.margin), cos)
        return nn.functional.cross_entropy(self.scale * logits, person)


def setup(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_float32_matmul_precision("high")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("--people", type=int, default=4101)
    p.add_argument("--epochs", type=int, default=60)
    args = p.parse_args()
    setup(11)
    device = torch.device("cuda")
    loader = DataLoader(TrackFeatures(args.data), batch_size=256, shuffle=True,
                        num_workers=8, pin_memory=True, persistent_workers=True,
                        drop_last=True)
    net = TrackEncoder().to(device)
    head = ArcFace(256, args.people).to(device)
    params = [*net.parameters(), *head.parameters()]
    opt = torch.optim.AdamW(params, lr=2e-4, weight_decay=0.05, fused=True)
    for epoch in range(args.epochs):
        total = torch.zeros((), device=device)
        for seq, person in loader:
            seq = seq.to(device, non_blocking=True)
            person = person.to(device, non_blocking=True)
            loss = head(net(seq), person)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.detach()
        print(epoch, total.item() / len(loader))
    torch.save(net.state_dict(), "tracks.pt")


if __name__ == "__main__":
    main()
