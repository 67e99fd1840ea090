"""Denoising diffusion on precipitation fields."""
import argparse
import copy

import numpy as np
import torch
import torch.nn.functional as F
from diffusers import UNet2DModel
from torch.utils.data import DataLoader, Dataset


class Fields(Dataset):
    def __init__(self, path):
        self.data = np.load(path, mmap_mode="r")

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return torch.from_numpy(np.log1p(self.data[i]).astype(np.float32))[None] / 3 - 1


class Diffusion:
    def __init__(self, steps, device):
        self.steps = steps
        self.device = device
        t = torch.linspace(0, 1, steps + 1, device=device)
        f = torch.cos((t + 0.008) / 1.008 * torch.pi / 2) ** 2
        self.abar = (f / f[0])[1:].clamp(1e-4, 0.9999)

    def corrupt(self, x):
        noise = torch.randn_like(x)
        t = torch.randint(0, self.steps, (x.size(0),), device=self.device)
        a = self.abar[t][:, None, None, None]
        return a.sqrt() * x + (1 - a).sqrt() * noise, noise, t

    def loss(self, net, x):
        noisy, noise, t = self.corrupt(x)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            pred = net(noisy, t).sample
        snr = self.abar[t] / (1 - self.abar[t])
        weight = torch.clamp(snr, max=5.0) / snr
        return (weight * F.mse_loss(pred.float(), noise, reduction="none").mean((1, 2, 3))).mean()


class Ema:
    def __init__(self, net, decay=0.9995):
        self.net = copy.deepcopy(net).eval().requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def update(self, net):
        torch._foreach_lerp_(list(self.net.parameters()), list(net.parameters()), 1 - self.decay)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("fields")
    ap.add_argument("--size", type=int, default=256)
    ap.add_argument("--epochs", type=int, default=200)
    ap.add_argument("--batch-size", type=int, default=32)
    args = ap.parse_args()

    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda")
    net = UNet2DModel(
        sample_size=args.size, in_channels=1, out_channels=1, layers_per_block=2,
        block_out_channels=(64, 128, 256, 256),
        down_block_types=("DownBlock2D", "DownBlock2D", "DownBlock2D", "AttnDownBlock2D"),
        up_block_types=("AttnUpBlock2D", "UpBlock2D", "UpBlock2D", "UpBlock2D"),
    ).to(device)
    ema = Ema(net)
    diffusion = Diffusion(1000, device)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-4, fused=True)
    loader = DataLoader(
        Fields(args.fields), args.batch_size, shuffle=True, drop_last=True, num_workers=6,
        pin_memory=True, persistent_workers=True,
    )
    step = 0
    for epoch in range(args.epochs):
        for x in loader:
            loss = diffusion.loss(net, x.to(device, non_blocking=True))
            opt.zero_grad()
            loss.backward()
            opt.step()
            ema.update(net)
            if step % 200 == 0:
                print(f"epoch {epoch} step {step} loss {loss.item():.4f}")
            step += 1
    torch.save(ema.net.state_dict(), "diffusion.pt")


if __name__ == "__main__":
    main()
