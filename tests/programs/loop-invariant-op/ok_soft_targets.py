"""DDPG for the reacher arm: targets follow slowly, so what they say differs in each step."""
import collections
import copy
import random

import gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp(sizes, last=nn.Identity):
    layers = []
    for i, o in zip(sizes, sizes[1:]):
        layers += [nn.Linear(i, o), nn.ReLU()]
    return nn.Sequential(*layers[:-1], last())


class Critic(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.q = mlp([obs + act, 256, 256, 1])

    def forward(self, s, a):
        return self.q(torch.cat([s, a], -1)).squeeze(-1)


class Agent:
    def __init__(self, env, gamma=0.99, tau=0.005):
        obs, act = env.observation_space.shape[0], env.action_space.shape[0]
        self.scale = torch.as_tensor(env.action_space.high)
        self.actor = mlp([obs, 256, 256, act], nn.Tanh)
        self.critic = Critic(obs, act)
        self.actor_target = copy.deepcopy(self.actor).eval()
        self.critic_target = copy.deepcopy(self.critic).eval()
        self.pi_opt = torch.optim.Adam(self.actor.parameters(), 1e-4)
        self.q_opt = torch.optim.Adam(self.critic.parameters(), 1e-3)
        self.gamma, self.tau = gamma, tau
        self.probe = torch.randn(256, obs)

    @torch.no_grad()
    def act(self, state, sigma):
        a = self.actor(torch.as_tensor(state, dtype=torch.float32)) * self.scale
        noise = sigma * torch.randn_like(a) * self.scale
        return torch.max(torch.min(a + noise, self.scale), -self.scale).numpy()

    def learn(self, batch):
        s, a, r, s2, done = batch
        with torch.no_grad():
            a2 = self.actor_target(s2) * self.scale
            target = r + self.gamma * (1 - done) * self.critic_target(s2, a2)
        q_loss = F.mse_loss(self.critic(s, a), target)
        self.q_opt.zero_grad()
        q_loss.backward()
        self.q_opt.step()
        pi_loss = -self.critic(s, self.actor(s) * self.scale).mean()
        self.pi_opt.zero_grad()
        pi_loss.backward()
        self.pi_opt.step()
        for net, slow in ((self.actor, self.actor_target), (self.critic, self.critic_target)):
            for p, q in zip(net.parameters(), slow.parameters()):
                q.data.mul_(1 - self.tau).add_(self.tau * p.data)

    @torch.no_grad()
    def drift(self):
        return (self.actor(self.probe) - self.actor_target(self.probe)).abs().mean().item()


def sample(memory, n):
    s, a, r, s2, d = map(np.array, zip(*random.sample(memory, n)))
    return [torch.as_tensor(x, dtype=torch.float32) for x in (s, a, r, s2, d)]


def main(steps=200_000):
    env = gym.make("Reacher-v4")
    agent = Agent(env)
    memory = collections.deque(maxlen=100_000)
    state, _ = env.reset()
    for t in range(steps):
        action = agent.act(state, 0.1)
        following, reward, done, cut, _ = env.step(action)
        memory.append((state, action, reward, following, float(done)))
        state = env.reset()[0] if done or cut else following
        if len(memory) > 1000:
            agent.learn(sample(memory, 256))
        if t % 5000 == 0:
            print(t, agent.drift())


if __name__ == "__main__":
    main()
