"""Double DQN with a categorical head and soft updates of the target network."""
import random
from collections import deque
from typing import NamedTuple

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Transition(NamedTuple):
    obs: np.ndarray
    action: int
    reward: float
    next_obs: np.ndarray
    done: bool


class CategoricalNet(nn.Module):
    def __init__(self, obs_dim, n_actions, atoms=51, v_min=-10.0, v_max=10.0):
        super().__init__()
        self.n_actions, self.atoms = n_actions, atoms
        self.v_min, self.v_max = v_min, v_max
        self.delta = (v_max - v_min) / (atoms - 1)
        self.register_buffer("support", torch.linspace(v_min, v_max, atoms))
        self.body = nn.Sequential(nn.Linear(obs_dim, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU())
        self.head = nn.Linear(256, n_actions * atoms)

    def forward(self, obs):
        logits = self.head(self.body(obs)).view(-1, self.n_actions, self.atoms)
        return F.log_softmax(logits, dim=-1)

    def q(self, obs):
        return (self(obs).exp() * self.support).sum(-1)


def project(target, batch_obs, reward, done, gamma, action):
    probs = target(batch_obs).exp()
    probs = probs[torch.arange(len(action), device=action.device), action]
    tz = (reward[:, None] + gamma * (1 - done[:, None]) * target.support).clamp(target.v_min, target.v_max)
    b = (tz - target.v_min) / target.delta
    lower, upper = b.floor().long(), b.ceil().long()
    out = torch.zeros_like(probs)
    out.scatter_add_(1, lower, probs * (upper.float() - b + (lower == upper).float()))
    out.scatter_add_(1, upper, probs * (b - lower.float()))
    return out


class Replay:
    def __init__(self, capacity):
        self.data = deque(maxlen=capacity)

    def sample(self, n, device):
        rows = random.sample(self.data, n)
        obs, action, reward, nxt, done = zip(*rows)
        return (torch.as_tensor(np.stack(obs), device=device), torch.as_tensor(action, device=device),
                torch.as_tensor(reward, dtype=torch.float32, device=device),
                torch.as_tensor(np.stack(nxt), device=device),
                torch.as_tensor(done, dtype=torch.float32, device=device))


def soft_update(target, online, tau=0.005):
    with torch.no_grad():
        for p, q in zip(target.parameters(), online.parameters()):
            p.lerp_(q, tau)


def run(env_id="LunarLander-v2", steps=300_000, batch=256, device="cuda"):
    env = gym.make(env_id)
    online = CategoricalNet(env.observation_space.shape[0], env.action_space.n).to(device)
    target = CategoricalNet(env.observation_space.shape[0], env.action_space.n).to(device)
    target.load_state_dict(online.state_dict())
    opt = torch.optim.Adam(online.parameters(), lr=2.5e-4)
    replay = Replay(100_000)
    obs, _ = env.reset()
    for step in range(steps):
        if step < 5000 or random.random() < 0.02:
            action = env.action_space.sample()
        else:
            with torch.no_grad():
                action = int(online.q(torch.as_tensor(obs, device=device)[None]).argmax())
        nxt, reward, terminated, truncated, _ = env.step(action)
        replay.data.append(Transition(obs, action, reward, nxt, terminated))
        obs = env.reset()[0] if terminated or truncated else nxt
        if step < 5000 or step % 4:
            continue
        o, a, r, n, d = replay.sample(batch, device)
        with torch.no_grad():
            best = online.q(n).argmax(-1)
            goal = project(target, n, r, d, 0.99, best)
        logp = online(o)[torch.arange(batch, device=device), a]
        loss = -(goal * logp).sum(-1).mean()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        soft_update(target, online)


if __name__ == "__main__":
    run()
