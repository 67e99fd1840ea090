"""DDPM for low-dose CT slices (512 x 512, one channel) with Lightning."""
import math
from dataclasses import dataclass

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class DiffusionConfig:
    steps: int = 1000
    beta_lo: float = 1e-4
    beta_hi: float = 2e-2
    width: int = 64
    lr: float = 2e-4
    side: int = 512


def timestep_embedding(t, freq):
    arg = t[:, None].float() * freq
    return torch.cat([arg.sin(), arg.cos()], -1)


class Block(nn.Module):
    def __init__(self, c, temb):
        super().__init__()
        self.norm = nn.GroupNorm(8, c)
        self.a = nn.Conv2d(c, c, 3, padding=1)
        self.b = nn.Conv2d(c, c, 3, padding=1)
        self.emb = nn.Linear(temb, c)

    def forward(self, x, temb):
        h = self.a(F.silu(self.norm(x))) + self.emb(temb)[:, :, None, None]
        return x + self.b(F.silu(h))


class Denoiser(nn.Module):
    def __init__(self, width, depth=8):
        super().__init__()
        half = width // 2
        self.register_buffer("freq", torch.exp(-math.log(1e4) * torch.arange(half) / half))
        self.stem = nn.Conv2d(1, width, 3, padding=1)
        self.body = nn.ModuleList(Block(width, width) for _ in range(depth))
        self.head = nn.Conv2d(width, 1, 3, padding=1)

    def forward(self, x, cond, t):
        temb = timestep_embedding(t, self.freq)
        h = self.stem(x) + cond
        for blk in self.body:
            h = blk(h, temb)
        return self.head(h)


class CTDiffusion(L.LightningModule):
    def __init__(self, cfg: DiffusionConfig):
        super().__init__()
        self.cfg = cfg
        self.net = Denoiser(cfg.width)
        self.cond_net = nn.Sequential(
            nn.Conv2d(1, cfg.width, 5, padding=2),
            nn.SiLU(),
            nn.Conv2d(cfg.width, cfg.width, 3, padding=1),
            nn.SiLU(),
            nn.Conv2d(cfg.width, cfg.width, 3, padding=1),
        )
        self.register_buffer("betas", torch.linspace(cfg.beta_lo, cfg.beta_hi, cfg.steps))

    def sqrt_terms(self, t):
        bar = torch.cumprod(1.0 - self.betas, dim=0)
        a = bar[t].view(-1, 1, 1, 1)
        return a.sqrt(), (1.0 - a).sqrt()

    def training_step(self, batch, _):
        low, full = batch
        t = torch.randint(0, self.cfg.steps, (full.size(0),), device=full.device)
        noise = torch.randn_like(full)
        a, s = self.sqrt_terms(t)
        loss = F.mse_loss(self.net(a * full + s * noise, self.cond_net(low), t), noise)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), self.cfg.lr)

    @torch.no_grad()
    def restore(self, low):
        """Ancestral sampling from pure noise, guided by the low-dose slice."""
        x = torch.randn_like(low)
        for i in reversed(range(self.cfg.steps)):
            t = torch.full((low.size(0),), i, device=low.device)
            kernel = torch.fft.rfft2(gaussian_bank(low))  # finding: loop-invariant-op
            smooth = torch.fft.irfft2(torch.fft.rfft2(x) * kernel, s=low.shape[-2:])
            edges = x - smooth
            cond = self.cond_net(low)  # finding: loop-invariant-op, predict-per-item
            eps = self.net(x, cond, t)
            a, s = self.sqrt_terms(t)
            beta = self.betas[i]
            x = (x - beta / s * eps) / (1.0 - beta).sqrt() + 0.01 * edges
            if i:
                x = x + beta.sqrt() * torch.randn_like(x)
        return x


def gaussian_bank(like, sigma=3.0):
    h, w = like.shape[-2:]
    y = torch.fft.fftfreq(h, 1.0 / h, device=like.device)
    x = torch.fft.fftfreq(w, 1.0 / w, device=like.device)
    g = torch.exp(-(y[:, None] ** 2 + x[None, :] ** 2) / (2 * sigma**2))
    return g / g.sum()


def main(train_loader, test_slices):
    cfg = DiffusionConfig()
    model = CTDiffusion(cfg)
    L.Trainer(max_epochs=50, precision="bf16-mixed").fit(model, train_loader)
    return [model.restore(s[None]) for s in test_slices]
