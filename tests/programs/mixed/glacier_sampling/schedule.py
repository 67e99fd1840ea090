"""Noise schedules of diffusion models, and sampling with them."""
import abc
import math

import torch


class Schedule(abc.ABC):
    def __init__(self, steps):
        self.steps = steps

    @abc.abstractmethod
    def betas(self):
        ...

    @property
    def alphas_bar(self):
        return torch.cumprod(1.0 - self.betas(), dim=0)

    def noised(self, x, t, noise):
        a = self.alphas_bar[t].view(-1, 1, 1, 1)
        return a.sqrt() * x + (1 - a).sqrt() * noise


class Linear(Schedule):
    def betas(self):
        return torch.linspace(1e-4, 0.02, self.steps)


class Cosine(Schedule):
    def betas(self):
        t = torch.linspace(0, 1, self.steps + 1)
        f = torch.cos((t + 0.008) / 1.008 * math.pi / 2) ** 2
        return (1 - f[1:] / f[:-1]).clamp(max=0.999)


class Sampler:
    def __init__(self, model, schedule, shape):
        self.model = model
        self.schedule = schedule
        self.shape = shape

    @torch.no_grad()
    def ancestral(self, count):
        x = torch.randn(count, *self.shape)
        for t in reversed(range(self.schedule.steps)):
            alphas_bar = self.schedule.alphas_bar
            beta = 1 - alphas_bar[t] / (alphas_bar[t - 1] if t else 1.0)
            noise = self.model(x, torch.full((count,), t))
            x = (x - beta / (1 - alphas_bar[t]).sqrt() * noise) / (1 - beta).sqrt()
            if t:
                x = x + beta.sqrt() * torch.randn_like(x)
        return x

    @torch.no_grad()
    def deterministic(self, count, jumps=50):
        table = self.schedule.alphas_bar
        x = torch.randn(count, *self.shape)
        times = torch.linspace(self.schedule.steps - 1, 0, jumps).long().tolist()
        for now, then in zip(times, times[1:]):
            noise = self.model(x, torch.full((count,), now))
            clean = (x - (1 - table[now]).sqrt() * noise) / table[now].sqrt()
            x = table[then].sqrt() * clean + (1 - table[then]).sqrt() * noise
        return x
