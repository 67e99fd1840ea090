import argparse

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from acme_asr.data import FeatureShards, pad_features


class Subsample(nn.Module):
    def __init__(self, mels, dim):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(mels, dim, 3, 2, 1), nn.GELU(), nn.Conv1d(dim, dim, 3, 2, 1), nn.GELU()
        )

    def forward(self, x, lengths):
        return self.conv(x.transpose(1, 2)).transpose(1, 2), (lengths + 3) // 4


class StatsPool(nn.Module):
    def forward(self, x, lengths):
        top = int(lengths.max())
        x = x[:, :top]
        keep = torch.arange(top, device=x.device)[None] < lengths[:, None]
        w = keep.unsqueeze(-1).to(x.dtype)
        n = w.sum(1).clamp_min(1)
        mean = (x * w).sum(1) / n
        var = ((x - mean[:, None]).square() * w).sum(1) / n
        return torch.cat([mean, (var + 1e-5).sqrt()], dim=-1)


class SpeakerNet(nn.Module):
    def __init__(self, speakers, mels=80, dim=512, depth=6):
        super().__init__()
        self.front = Subsample(mels, dim)
        self.mid = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))
            for _ in range(depth)
        )
        self.pool = StatsPool()
        self.emb = nn.Linear(2 * dim, 256)
        self.out = nn.Linear(256, speakers, bias=False)

    def forward(self, x, lengths):
        x, lengths = self.front(x, lengths)
        for block in self.mid:
            x = x + block(x)
        e = F.normalize(self.emb(self.pool(x, lengths)), dim=-1)
        return 30.0 * F.linear(e, F.normalize(self.out.weight, dim=-1))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("shards")
    ap.add_argument("--speakers", type=int, default=7205)
    ap.add_argument("--epochs", type=int, default=20)
    args = ap.parse_args()

    net = SpeakerNet(args.speakers).cuda()
    net.compile(mode="max-autotune-no-cudagraphs")
    data = DataLoader(
        FeatureShards(args.shards, crop=400), 256, shuffle=True, num_workers=8, collate_fn=pad_features,
        pin_memory=True, persistent_workers=True, drop_last=True,
    )
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3, fused=True)
    for epoch in range(args.epochs):
        for feats, lengths, who in data:
            feats, lengths, who = (t.cuda(non_blocking=True) for t in (feats, lengths, who))
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = F.cross_entropy(net(feats, lengths), who)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())
        torch.save(net.state_dict(), f"spk_{epoch:02d}.pt")


if __name__ == "__main__":
    main()
