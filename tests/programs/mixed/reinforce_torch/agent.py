from collections import deque
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Policy(nn.Module):
    def __init__(self, inputs=8, actions=4):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, actions))

    def forward(self, x):
        return self.body(x)


class Memory:
    def __init__(self, size=100000):
        self.items = deque(maxlen=size)

    def push(self, *item):
        self.items.append(item)

    def sample(self, n):
        return random.sample(self.items, n)


def act(policy, state, epsilon):
    if random.random() < epsilon:
        return random.randrange(4)
    with torch.no_grad():
        return int(policy(torch.as_tensor(state).float().unsqueeze(0)).argmax())


def discounted(rewards, gamma=0.99):
    total, out = 0.0, []
    for r in reversed(rewards):
        total = r + gamma * total
        out.insert(0, total)
    return torch.tensor(out)


def clipped(advantages):
    out = np.zeros(len(advantages))
    for i in range(len(advantages)):  # finding: looped-branch
        if advantages[i] > 10.0:
            out[i] = 10.0 + np.log(advantages[i] - 9.0)
        else:
            out[i] = advantages[i]
    return out


def learn(policy, target, memory, optimizer, gamma, batch=64):
    transitions = memory.sample(batch)
    states, actions, rewards, following, done = map(np.array, zip(*transitions))
    q = policy(torch.from_numpy(states).float())
    q = q.gather(1, torch.from_numpy(actions).long().unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        best = target(torch.from_numpy(following).float()).max(1).values
    goal = torch.from_numpy(rewards).float() + gamma * best * (1 - torch.from_numpy(done).float())
    loss = F.smooth_l1_loss(q, goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def learn_slow(policy, target, memory, optimizer, gamma, batch=64):
    goals = []
    states = []
    for state, action, reward, following, done in memory.sample(batch):
        states.append(torch.tensor(state).float())
        row = target(torch.tensor(following).float().unsqueeze(0))  # finding: predict-per-item
        goals.append(reward + (0 if done else gamma * row.max()))
    loss = F.mse_loss(policy(torch.stack(states)).max(1).values, torch.tensor(goals))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def explore(env, policy, target, memory, episodes=2000):
    optimizer = torch.optim.Adam(policy.parameters(), 1e-3)
    epsilon = 1.0
    for episode in range(episodes):
        state, done = env.reset(), False
        while not done:
            action = act(policy, state, epsilon)
            following, reward, done, _ = env.step(action)
            memory.push(state, action, reward, following, done)
            state = following
            if len(memory.items) > 1000:
                learn(policy, target, memory, optimizer, 0.99)
        epsilon = max(0.01, epsilon * 0.995)
        if episode % 50 == 0:
            target.load_state_dict(policy.state_dict())


def rollout_noise(steps, actions):
    noise = []
    for _ in range(steps):
        noise.append(np.random.normal(0.0, 0.2, actions))
    return np.stack(noise)


def ornstein(steps, theta=0.15, sigma=0.2):
    x, path = 0.0, []
    for _ in range(steps):
        x += -theta * x + sigma * np.random.normal()  # finding: looped-draw
        path.append(x)
    return np.array(path)
