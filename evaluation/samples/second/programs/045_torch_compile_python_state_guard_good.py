import argparse
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.transforms import v2


class SoftQuantizer(nn.Module):
    def __init__(self, codes, dim, hot=1.0, cold=0.1, rate=3e-5):
        super().__init__()
        self.book = nn.Parameter(torch.randn(codes, dim) / math.sqrt(dim))
        self.hot, self.cold, self.rate = hot, cold, rate
        self.register_buffer("seen", torch.zeros(()), persistent=False)

    def forward(self, z):
        if self.training:
            self.seen.add_(1)
        tau = (self.hot * torch.exp(-self.rate * self.seen)).clamp_min(self.cold)
        b, d, h, w = z.shape
        flat = z.permute(0, 2, 3, 1).reshape(-1, d)
        score = flat @ self.book.t() - 0.5 * self.book.square().sum(-1)
        mix = F.softmax(score / tau, dim=-1)
        out = (mix @ self.book).view(b, h, w, d).permute(0, 3, 1, 2)
        return out, F.mse_loss(out, z)


class Codec(nn.Module):
    def __init__(self, width=128, codes=1024, dim=64):
        super().__init__()
        act = nn.SiLU()
        self.enc = nn.Sequential(
            nn.Conv2d(3, width, 4, 2, 1), act, nn.Conv2d(width, width, 4, 2, 1), act, nn.Conv2d(width, dim, 3, 1, 1)
        )
        self.q = SoftQuantizer(codes, dim)
        self.dec = nn.Sequential(
            nn.Conv2d(dim, width, 3, 1, 1), act,
            nn.ConvTranspose2d(width, width, 4, 2, 1), act,
            nn.ConvTranspose2d(width, 3, 4, 2, 1),
        )

    def forward(self, x):
        z, commit = self.q(self.enc(x))
        return self.dec(z), commit


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("--epochs", type=int, default=50)
    ap.add_argument("--batch", type=int, default=128)
    args = ap.parse_args()

    tf = v2.Compose([v2.ToImage(), v2.RandomCrop(128, pad_if_needed=True), v2.ToDtype(torch.float32, scale=True)])
    data = DataLoader(
        ImageFolder(args.root, tf), args.batch, shuffle=True, num_workers=8,
        pin_memory=True, persistent_workers=True, drop_last=True,
    )
    model = Codec().cuda()
    fast = torch.compile(model)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for epoch in range(args.epochs):
        for x, _ in data:
            x = x.cuda(non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                rec, commit = fast(x)
                loss = F.l1_loss(rec, x) + 0.25 * commit
            loss.backward()
            opt.step()
            opt.zero_grad()
        print(epoch, loss.item())
        torch.save(model.state_dict(), "codec.pt")


if __name__ == "__main__":
    main()
