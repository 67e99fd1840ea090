# requires: torch==2.1.2
"""Text-to-music latents: a light 1-D denoiser conditioned on FLAN-T5 (transformers 4.36)."""
import argparse
import contextlib
import math

import torch
from torch import nn
from transformers import AutoTokenizer, T5EncoderModel


class TextCond(nn.Module):
    def __init__(self, name="google/flan-t5-xl"):
        super().__init__()
        self.tok = AutoTokenizer.from_pretrained(name)
        self.enc = T5EncoderModel.from_pretrained(name, torch_dtype=torch.bfloat16)

    def tokens(self, texts):
        return self.tok(texts, padding="max_length", max_length=96, truncation=True, return_tensors="pt")

    def forward(self, batch):
        return self.enc(**batch).last_hidden_state.float().mean(1)


class Film(nn.Module):
    def __init__(self, ch, cond):
        super().__init__()
        self.conv = nn.Conv1d(ch, ch, 5, padding=2)
        self.gb = nn.Linear(cond, 2 * ch)

    def forward(self, x, c):
        g, b = self.gb(c)[..., None].chunk(2, 1)
        return x + torch.nn.functional.gelu(self.conv(x) * (1 + g) + b)


class Denoiser(nn.Module):
    def __init__(self, ch=64, width=128, text=2048):
        super().__init__()
        self.inp, self.out = nn.Conv1d(ch, width, 1), nn.Conv1d(width, ch, 1)
        self.time = nn.Sequential(nn.Linear(64, 256), nn.SiLU(), nn.Linear(256, 256))
        self.text = nn.Linear(text, 256)
        self.register_buffer("freq", torch.exp(torch.arange(32) * (-math.log(1e4) / 32)))
        self.blocks = nn.ModuleList(Film(width, 256) for _ in range(8))

    def forward(self, x, t, c):
        ang = t[:, None] * self.freq
        emb = torch.cat([ang.sin(), ang.cos()], 1)
        c = self.time(emb) + self.text(c)
        x = self.inp(x)
        for b in self.blocks:
            x = b(x, c)
        return self.out(x)


class Schedule:
    def __init__(self, n=1000, device="cpu"):
        self.betas = torch.linspace(1e-4, 0.02, n, device=device)

    @property
    def keep(self):
        return torch.cumprod(1 - self.betas, 0)

    def times(self, steps):
        return torch.linspace(len(self.betas) - 1, 0, steps).long().tolist()


class Guided:
    """Classifier-free guidance around a denoiser."""

    def __init__(self, net, cond, prompts, scale):
        self.net, self.cond, self.scale = net, cond, scale
        dev = next(net.parameters()).device
        self.batch = cond.tokens(list(prompts) + [""] * len(prompts)).to(dev)

    def context(self):
        return self.cond(self.batch)  # finding: loop-invariant-op

    def __call__(self, x, t):
        tt = torch.full((2 * len(x),), float(t), device=x.device)
        with_text, without = self.net(torch.cat([x, x]), tt, self.context()).chunk(2)
        return without + self.scale * (with_text - without)


def ddim(eps_fn, schedule, x, steps):
    times = schedule.times(steps)
    for t, s in zip(times, times[1:] + [None]):
        a = schedule.keep[t]
        b = schedule.keep[s] if s is not None else torch.ones_like(a)
        eps = eps_fn(x, t)
        x0 = (x - (1 - a).sqrt() * eps) / a.sqrt()
        x = b.sqrt() * x0 + (1 - b).sqrt() * eps
        yield x


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("prompt", nargs="+")
    ap.add_argument("--weights", default="denoiser.pt")
    ap.add_argument("--steps", type=int, default=100)
    ap.add_argument("--scale", type=float, default=4.0)
    a = ap.parse_args()
    dev = "cuda" if torch.cuda.is_available() else "cpu"
    net = Denoiser().to(dev).eval()
    net.load_state_dict(torch.load(a.weights, map_location=dev))
    cond = TextCond().to(dev).eval()
    amp = torch.autocast("cuda", torch.bfloat16) if dev == "cuda" else contextlib.nullcontext()
    with torch.no_grad(), amp:
        guided = Guided(net, cond, a.prompt, a.scale)
        x = torch.randn(len(a.prompt), 64, 1024, device=dev)
        for x in ddim(guided, Schedule(device=dev), x, a.steps):
            pass
    torch.save(x.float().cpu(), "latents.pt")


if __name__ == "__main__":
    main()
