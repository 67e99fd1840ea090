import random
from collections import deque, namedtuple

import gymnasium as gym
import numpy as np
import torch
from torch import nn

Step = namedtuple("Step", "state action reward following done")


class Replay:
    def __init__(self, capacity):
        self.steps = deque(maxlen=capacity)

    def add(self, *values):
        self.steps.append(Step(*values))

    def draw(self, size):
        chosen = random.sample(self.steps, size)
        states = torch.stack([torch.as_tensor(s.state).float() / 4.8 for s in chosen])  # finding: sample-loop
        actions = torch.tensor([s.action for s in chosen])
        rewards = torch.tensor([s.reward for s in chosen])
        followings = torch.from_numpy(np.array([s.following for s in chosen])).float() / 4.8
        return states, actions, rewards, followings, torch.tensor([s.done for s in chosen])


class Q(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))

    def forward(self, x):
        return self.layers(x)


def returns(rewards, gamma):
    out = torch.zeros(len(rewards))
    total = 0.0
    for i in range(len(rewards) - 1, -1, -1):
        total = rewards[i] + gamma * total
        out[i] = total
    return out


def chosen_values(q, states, actions):
    values = q(states)
    return torch.stack([values[i, actions[i]] for i in range(len(actions))])  # finding: looped-lookup


def clipped_rewards(rewards: torch.Tensor):
    return torch.tensor([1.0 if r > 0 else -1.0 for r in rewards])  # finding: looped-branch


def main():
    env = gym.make("CartPole-v1")
    replay, q, target = Replay(10_000), Q(), Q()
    optimizer = torch.optim.Adam(q.parameters(), 1e-3)
    for episode in range(400):
        state, _ = env.reset()
        over = False
        while not over:
            with torch.no_grad():
                action = int(q(torch.from_numpy(state)[None] / 4.8).argmax())
            following, reward, done, cut, _ = env.step(action)
            replay.add(state, action, reward, following, done)
            state, over = following, done or cut
            if len(replay.steps) < 500:
                continue
            states, actions, rewards, followings, dones = replay.draw(64)
            with torch.no_grad():
                goals = clipped_rewards(rewards) + 0.99 * target(followings).max(1).values * ~dones
            loss = (chosen_values(q, states, actions) - goals).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if episode % 10 == 0:
            target.load_state_dict(q.state_dict())


if __name__ == "__main__":
    main()
