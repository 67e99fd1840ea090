"""Value iteration, tile coding and successor features."""

import numpy as np


class GridWorld:
    def __init__(self, side, slip):
        self.side, self.slip = side, slip
        self.states = side * side

    def transitions(self):
        p = np.zeros((4, self.states, self.states))
        for s in range(self.states):
            for a in range(4):
                for b in range(4):
                    p[a, s, self.neighbour(s, b)] += 1 - self.slip if a == b else self.slip / 3
        return p

    def neighbour(self, s, a):
        r, c = divmod(s, self.side)
        dr, dc = [(-1, 0), (1, 0), (0, -1), (0, 1)][a]
        return min(max(r + dr, 0), self.side - 1) * self.side + min(max(c + dc, 0), self.side - 1)

    @property
    def rewards(self):
        r = np.full(self.states, -0.1)
        r[-1] = 10
        return r


def value_iteration(world, gamma=0.99, tol=1e-6):
    v = np.zeros(world.states)
    while True:
        q = world.rewards + gamma * world.transitions() @ v  # note: loop-invariant-op
        new = q.max(0)
        if np.abs(new - v).max() < tol:
            return new
        v = new


def q_learning(env, episodes, centres, width, alpha=0.1, gamma=0.99):
    weights = np.zeros((env.action_space.n, len(centres)))

    def features(obs):
        return np.exp(-((obs - centres) ** 2).sum(1) / width)

    for _ in range(episodes):
        obs, _ = env.reset()
        done = False
        while not done:
            phi = features(obs)
            action = int(np.argmax(weights @ phi))
            obs, reward, done, _, _ = env.step(action)
            gap = np.linalg.norm(centres[:, None] - centres[None], axis=-1)
            target = reward + gamma * (weights @ features(obs)).max()
            weights[action] += alpha * (target - weights[action] @ phi) * (phi @ np.exp(-gap))
    return weights


def discounted(rewards, gamma):
    out, running = np.zeros(len(rewards)), 0.0
    for i in reversed(range(len(rewards))):
        running = rewards[i] + gamma * running
        out[i] = running
    return out


def evaluate_policies(world, policies, gamma=0.95):
    values = []
    p = world.transitions()
    for policy in policies:
        pi = np.einsum("sa,ast->st", policy, p)
        values.append(np.linalg.solve(np.eye(world.states) - gamma * pi, world.rewards))
    return values
