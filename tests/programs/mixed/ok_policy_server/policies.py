"""Torch policies.  torch 2.13 keeps compiled code by code object, so re-wrapping finds it again."""
import functools

import torch
from torch import nn


class GaussianPolicy(nn.Module):
    def __init__(self, n_obs, n_act, width=512):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_obs, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.mu = nn.Linear(width, n_act)
        self.log_std = nn.Parameter(torch.zeros(n_act))

    def forward(self, obs):
        h = self.body(obs)
        return self.mu(h), self.log_std.exp().expand(obs.size(0), -1)


def squash(mu, std, noise):
    return torch.tanh(mu + std * noise)


class Actor:
    def __init__(self, path, n_obs, n_act):
        self.net = GaussianPolicy(n_obs, n_act)
        self.net.load_state_dict(torch.load(path, map_location="cpu"))
        self.net.eval()
        self._fast = None

    @property
    def fast(self):
        if self._fast is None:
            self._fast = torch.compile(self.net, dynamic=True)
        return self._fast

    @torch.inference_mode()
    def act(self, obs, greedy=False):
        mu, std = self.fast(obs)
        if greedy:
            return torch.tanh(mu)
        head = torch.compile(squash)
        return head(mu, std, torch.randn_like(mu))


@functools.lru_cache(maxsize=8)
def actor(name, n_obs, n_act):
    return Actor(f"/policies/{name}.pt", n_obs, n_act)
