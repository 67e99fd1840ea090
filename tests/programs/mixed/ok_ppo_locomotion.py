"""PPO for vectorised locomotion tasks. Single file, torch 2.13 + gymnasium."""
import dataclasses
import math

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Normal


@dataclasses.dataclass
class Args:
    env: str = "HalfCheetah-v5"
    envs: int = 16
    horizon: int = 512
    updates: int = 900
    epochs: int = 10
    minibatch: int = 1024
    gamma: float = 0.99
    lam: float = 0.95
    clip: float = 0.2


class Actor(nn.Module):
    def __init__(self, obs, act, hidden=(256, 256)):
        super().__init__()
        sizes, mods = [obs, *hidden], []
        for i in range(len(hidden)):
            lin = nn.Linear(sizes[i], sizes[i + 1])
            nn.init.orthogonal_(lin.weight, math.sqrt(2))
            mods += [lin, nn.Tanh()]
        self.body = nn.Sequential(*mods)
        self.mu, self.log_std = nn.Linear(hidden[-1], act), nn.Linear(hidden[-1], act)

    def forward(self, x):
        h = self.body(x)
        return Normal(self.mu(h), self.log_std(h).clamp(-5, 2).exp())


def gae(rew, done, val, last, gamma, lam):
    adv, run = torch.zeros_like(rew), torch.zeros_like(last)
    for t in reversed(range(rew.shape[0])):
        nxt = last if t == rew.shape[0] - 1 else val[t + 1]
        delta = rew[t] + gamma * nxt * (1 - done[t]) - val[t]
        run = delta + gamma * lam * (1 - done[t]) * run
        adv[t] = run
    return adv


class RunningNorm:
    def __init__(self, dim):
        self.mean, self.var, self.n = np.zeros(dim), np.ones(dim), 1e-4

    def update(self, x):
        d, n = x.mean(0) - self.mean, self.n + len(x)
        self.mean = self.mean + d * len(x) / n
        self.var = (self.var * self.n + x.var(0) * len(x) + d**2 * self.n * len(x) / n) / n
        self.n = n

    def __call__(self, x):
        return np.clip((x - self.mean) / np.sqrt(self.var + 1e-8), -10, 10)


def train(a: Args):
    env = gym.make_vec(a.env, num_envs=a.envs)
    od, ad = env.single_observation_space.shape[0], env.single_action_space.shape[0]
    actor = Actor(od, ad)
    critic = nn.Sequential(nn.Linear(od, 256), nn.Tanh(), nn.Linear(256, 1))
    opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=3e-4, eps=1e-5)
    norm = RunningNorm(od)
    raw, _ = env.reset(seed=1)
    for update in range(a.updates):
        obs = torch.zeros(a.horizon, a.envs, od)
        act = torch.zeros(a.horizon, a.envs, ad)
        logp, rew, done, val = (torch.zeros(a.horizon, a.envs) for _ in range(4))
        for t in range(a.horizon):
            norm.update(raw)
            obs[t] = torch.as_tensor(norm(raw), dtype=torch.float32)
            with torch.no_grad():
                dist = actor(obs[t])
                act[t] = dist.sample()
                logp[t] = dist.log_prob(act[t]).sum(-1)
                val[t] = critic(obs[t]).squeeze(-1)
            raw, r, term, trunc, _ = env.step(act[t].numpy())
            rew[t] = torch.as_tensor(r, dtype=torch.float32)
            done[t] = torch.as_tensor(term | trunc, dtype=torch.float32)
        with torch.no_grad():
            last = critic(torch.as_tensor(norm(raw), dtype=torch.float32)).squeeze(-1)
        adv = gae(rew, done, val, last, a.gamma, a.lam)
        ret = (adv + val).flatten()
        fo, fa, fl, fadv = obs.flatten(0, 1), act.flatten(0, 1), logp.flatten(), adv.flatten()
        for _ in range(a.epochs):
            for idx in torch.randperm(fo.shape[0]).split(a.minibatch):
                dist = actor(fo[idx])
                ratio = (dist.log_prob(fa[idx]).sum(-1) - fl[idx]).exp()
                g = (fadv[idx] - fadv[idx].mean()) / (fadv[idx].std() + 1e-8)
                pg = -torch.min(ratio * g, ratio.clamp(1 - a.clip, 1 + a.clip) * g).mean()
                loss = pg + 0.5 * (critic(fo[idx]).squeeze(-1) - ret[idx]).pow(2).mean() - 1e-3 * dist.entropy().sum(-1).mean()
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(actor.parameters(), 0.5)
                opt.step()
        if update % 10 == 0:
            for name, q in (("p10", 0.1), ("p50", 0.5), ("p90", 0.9)):
                print(update, name, torch.quantile(ret, q).item())


if __name__ == "__main__":
    train(Args())
