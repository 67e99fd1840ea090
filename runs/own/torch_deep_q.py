"""Learns to leave a grid by deep Q-learning, as PyTorch's tutorial on it does."""

import math
import random
from collections import deque, namedtuple

import torch
from torch import nn, optim
from torch.nn import functional

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))
BATCH = 128
DISCOUNT = 0.99
RATE = 0.005


class Grid:
    """A walk from a corner to the opposite one."""

    def reset(self):
        self.place, self.left = [0, 0], 60
        return [0.0, 0.0]

    def step(self, action):
        axis, move = divmod(action, 2)
        self.place[axis] = min(max(self.place[axis] + 2 * move - 1, 0), 7)
        self.left -= 1
        arrived = self.place == [7, 7]
        return (
            [value / 7 for value in self.place],
            1.0 if arrived else -0.01,
            arrived,
            not self.left,
        )


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Linear(2, 128)
        self.layer2 = nn.Linear(128, 128)
        self.layer3 = nn.Linear(128, 4)

    def forward(self, x):
        return self.layer3(functional.relu(self.layer2(functional.relu(self.layer1(x)))))


def optimize(memory, policy, target, optimizer):
    if len(memory) < BATCH:
        return
    batch = Transition(*zip(*random.sample(memory, BATCH), strict=True))
    is_going_on = torch.tensor([state is not None for state in batch.next_state])
    following = torch.cat([state for state in batch.next_state if state is not None])
    values = policy(torch.cat(batch.state)).gather(1, torch.cat(batch.action))
    next_values = torch.zeros(BATCH)
    with torch.no_grad():
        next_values[is_going_on] = target(following).max(1).values
    expected = next_values * DISCOUNT + torch.cat(batch.reward)
    loss = functional.smooth_l1_loss(values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(policy.parameters(), 100)
    optimizer.step()


def main():
    random.seed(0)
    torch.manual_seed(0)
    grid, policy, target = Grid(), Network(), Network()
    target.load_state_dict(policy.state_dict())
    optimizer = optim.AdamW(policy.parameters(), lr=1e-4, amsgrad=True)
    memory = deque(maxlen=10000)
    steps, lengths = 0, []
    for episode in range(80):
        state = torch.tensor(grid.reset(), dtype=torch.float32).unsqueeze(0)
        is_over = False
        while not is_over:
            threshold = 0.05 + 0.85 * math.exp(-steps / 1000)
            steps += 1
            if random.random() > threshold:
                with torch.no_grad():
                    action = policy(state).max(1).indices.view(1, 1)
            else:
                action = torch.tensor([[random.randrange(4)]], dtype=torch.long)
            seen, reward, arrived, stopped = grid.step(action.item())
            is_over = arrived or stopped
            following = None if arrived else torch.tensor(seen, dtype=torch.float32).unsqueeze(0)
            memory.append(Transition(state, action, following, torch.tensor([reward])))
            state = following
            optimize(memory, policy, target, optimizer)
            weights, new = target.state_dict(), policy.state_dict()
            for key in new:
                weights[key] = new[key] * RATE + weights[key] * (1 - RATE)
            target.load_state_dict(weights)
        lengths.append(60 - grid.left)
        if episode % 20 == 0:
            print(f"episode {episode}: {lengths[-1]} steps")


if __name__ == "__main__":
    main()
