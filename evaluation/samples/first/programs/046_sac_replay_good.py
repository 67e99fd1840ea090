"""Soft actor-critic on a pixel-feature control task."""
import argparse
import random
from collections import deque, namedtuple

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

Transition = namedtuple("Transition", "obs act rew nxt done")


class Replay:
    def __init__(self, capacity, device):
        self.data = deque(maxlen=capacity)
        self.device = device

    def push(self, *item):
        self.data.append(Transition(*item))

    def sample(self, n):
        batch = Transition(*zip(*random.sample(self.data, n)))
        cols = [torch.from_numpy(np.stack(c).astype(np.float32)).to(self.device) for c in batch]
        return Transition(*cols)


def mlp(i, o, h=256):
    return nn.Sequential(nn.Linear(i, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, o))


class SAC:
    def __init__(self, obs, act, device, gamma=0.99, tau=0.005, alpha=0.2):
        self.device, self.gamma, self.tau, self.alpha = device, gamma, tau, alpha
        self.pi = mlp(obs, 2 * act).to(device)
        self.q = nn.ModuleList(mlp(obs + act, 1) for _ in range(2)).to(device)
        self.target = nn.ModuleList(mlp(obs + act, 1) for _ in range(2)).to(device)
        self.target.load_state_dict(self.q.state_dict())
        self.pi_opt = torch.optim.Adam(self.pi.parameters(), 3e-4, fused=True)
        self.q_opt = torch.optim.Adam(self.q.parameters(), 3e-4, fused=True)

    def policy(self, obs):
        mean, log_std = self.pi(obs).chunk(2, -1)
        dist = torch.distributions.Normal(mean, log_std.clamp(-8, 2).exp())
        raw = dist.rsample()
        act = raw.tanh()
        return act, (dist.log_prob(raw) - torch.log1p(-act.pow(2) + 1e-6)).sum(-1, keepdim=True)

    @torch.no_grad()
    def act(self, obs):
        return self.policy(torch.from_numpy(obs).float().to(self.device))[0].cpu().numpy()

    def values(self, nets, obs, act):
        x = torch.cat([obs, act], -1)
        return [net(x) for net in nets]

    def update(self, b):
        with torch.no_grad():
            act, logp = self.policy(b.nxt)
            soft = torch.min(*self.values(self.target, b.nxt, act)) - self.alpha * logp
            goal = b.rew[:, None] + self.gamma * (1 - b.done[:, None]) * soft
        q_loss = sum(F.mse_loss(q, goal) for q in self.values(self.q, b.obs, b.act))
        self.q_opt.zero_grad()
        q_loss.backward()
        self.q_opt.step()
        act, logp = self.policy(b.obs)
        pi_loss = (self.alpha * logp - torch.min(*self.values(self.q, b.obs, act))).mean()
        self.pi_opt.zero_grad()
        pi_loss.backward()
        self.pi_opt.step()
        with torch.no_grad():
            torch._foreach_lerp_(list(self.target.parameters()), list(self.q.parameters()), self.tau)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--env", default="Humanoid-v5")
    ap.add_argument("--steps", type=int, default=1_000_000)
    ap.add_argument("--batch-size", type=int, default=1024)
    args = ap.parse_args()
    env = gym.make(args.env)
    device = torch.device("cuda")
    agent = SAC(env.observation_space.shape[0], env.action_space.shape[0], device)
    replay = Replay(1_000_000, device)
    obs, _ = env.reset(seed=0)
    for step in range(args.steps):
        act = env.action_space.sample() if step < 10_000 else agent.act(obs)
        nxt, rew, term, trunc, _ = env.step(act)
        replay.push(obs, act, rew, nxt, term)
        obs = env.reset()[0] if term or trunc else nxt
        if step >= 10_000:
            agent.update(replay.sample(args.batch_size))


if __name__ == "__main__":
    main()
