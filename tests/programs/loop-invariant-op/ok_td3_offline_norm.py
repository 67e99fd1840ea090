"""TD3+BC on a D4RL-like file; the states are normalised with the data set's statistics."""
import copy

import h5py
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, o))


class Data:
    def __init__(self, path, device):
        with h5py.File(path, "r") as f:
            self.obs = f["observations"][:-1].astype(np.float32)
            self.nxt = f["observations"][1:].astype(np.float32)
            self.act = f["actions"][:-1].astype(np.float32)
            self.rew = f["rewards"][:-1].astype(np.float32)
            self.done = f["terminals"][:-1].astype(np.float32)
        self.device = device

    def sample(self, n):
        pick = np.random.randint(0, len(self.obs), n)
        mean = self.obs.mean(axis=0)
        std = self.obs.std(axis=0) + 1e-3
        rows = ((self.obs[pick] - mean) / std, self.act[pick], self.rew[pick, None],
                (self.nxt[pick] - mean) / std, self.done[pick, None])
        return [torch.as_tensor(r, device=self.device) for r in rows]


def run(path, steps=1_000_000, batch=256, gamma=0.99, tau=0.005, alpha=2.5, device="cuda"):
    data = Data(path, device)
    obs_dim, act_dim = data.obs.shape[1], data.act.shape[1]
    actor, critic = mlp(obs_dim, act_dim).to(device), mlp(obs_dim + act_dim, 2).to(device)
    actor_t, critic_t = copy.deepcopy(actor), copy.deepcopy(critic)
    opt_a, opt_c = torch.optim.Adam(actor.parameters(), 3e-4), torch.optim.Adam(critic.parameters(), 3e-4)
    for step in range(steps):
        obs, act, rew, nxt, done = data.sample(batch)
        with torch.no_grad():
            noise = (0.2 * torch.randn_like(act)).clamp(-0.5, 0.5)
            a = (actor_t(nxt).tanh() + noise).clamp(-1, 1)
            goal = rew + gamma * (1 - done) * critic_t(torch.cat([nxt, a], 1)).min(1, keepdim=True).values
        q = critic(torch.cat([obs, act], 1))
        loss = F.mse_loss(q, goal.expand_as(q))
        opt_c.zero_grad()
        loss.backward()
        opt_c.step()
        if step % 2 == 0:
            pi = actor(obs).tanh()
            q = critic(torch.cat([obs, pi], 1))[:, :1]
            loss = -(alpha / q.abs().mean().detach()) * q.mean() + F.mse_loss(pi, act)
            opt_a.zero_grad()
            loss.backward()
            opt_a.step()
            with torch.no_grad():
                for net, target in ((actor, actor_t), (critic, critic_t)):
                    for p, t in zip(net.parameters(), target.parameters()):
                        t.lerp_(p, tau)
        if step % 10000 == 0:
            print(step, float(loss))


if __name__ == "__main__":
    import sys

    run(sys.argv[1])
