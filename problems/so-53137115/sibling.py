"""Policy gradients for a toy corridor, in graph mode."""

import numpy as np
from sibling_agent import Agent

EPISODES = 15
LENGTH = 6


def episode(agent, rng):
    place, states, actions = 0, [], []
    while len(states) < LENGTH and place < 3:
        state = np.eye(4, dtype="float32")[place]
        right = rng.random() < agent.chance(state)
        states.append(state)
        actions.append(float(right))
        place = min(place + 1, 3) if right else max(place - 1, 0)
    return np.stack(states), np.array(actions), float(place == 3)


def main():
    rng = np.random.default_rng(11)
    agent = Agent(states=4)
    wins = 0.0
    for _ in range(EPISODES):
        states, actions, reward = episode(agent, rng)
        agent.learn(states, actions, reward - 0.4)
        wins += reward
    return wins


if __name__ == "__main__":
    print(main())
