"""Text-guided sampling with a small latent diffusion model."""

import torch
from torch import nn
from tqdm import tqdm


class Schedule:
    def __init__(self, steps, device):
        self.steps = steps
        self.device = device

    def alpha_bar(self):
        betas = torch.linspace(1e-4, 0.02, self.steps, device=self.device)
        return torch.cumprod(1 - betas, dim=0)

    def at(self, t):
        return self.alpha_bar()[t]


class Pipeline:
    def __init__(self, unet, encoder, tokenizer, schedule, guidance=7.5):
        self.unet = unet.eval()
        self.encoder = encoder.eval()
        self.tokenizer = tokenizer
        self.schedule = schedule
        self.guidance = guidance

    def embed(self, prompts):
        tokens = self.tokenizer(prompts, padding="max_length", max_length=77, return_tensors="pt")
        return self.encoder(tokens.input_ids.to(self.schedule.device))[0]

    @torch.no_grad()
    def __call__(self, prompts, shape):
        x = torch.randn(len(prompts), *shape, device=self.schedule.device)
        for t in tqdm(reversed(range(1, self.schedule.steps))):
            cond = self.embed(prompts)  # note: loop-invariant-op
            uncond = self.embed([""] * len(prompts))  # note: loop-invariant-op
            a, prev = self.schedule.at(t), self.schedule.at(t - 1)
            step = torch.full((len(prompts),), t, device=self.schedule.device)
            eps_c, eps_u = self.unet(x, step, cond), self.unet(x, step, uncond)
            eps = eps_u + self.guidance * (eps_c - eps_u)
            x0 = (x - (1 - a).sqrt() * eps) / a.sqrt()
            x = prev.sqrt() * x0 + (1 - prev).sqrt() * eps
        return x


def build(depth, width):
    blocks = []
    for _ in range(depth):
        blocks.append(nn.Sequential(nn.Linear(width, width), nn.SiLU()))
    return nn.Sequential(*blocks)


def captions(pipeline, lines, shape):
    for line in lines:
        yield line, pipeline([line], shape)
