import argparse
import collections
import random

import dm_env
import jax
import numpy as np
from agent import Agent, Transition
from world import Forage


class Replay:
    def __init__(self, capacity):
        self.rows = collections.deque(maxlen=capacity)

    def add(self, *row):
        self.rows.append(row)

    def sample(self, size):
        return Transition(*map(np.stack, zip(*random.sample(self.rows, size))))


class Loop:
    """The environment's and the agent's turns."""

    def __init__(self, environment: dm_env.Environment, agent: Agent, replay: Replay, seed: int):
        self.environment = environment
        self.agent = agent
        self.replay = replay
        self.keys = hk_keys(seed)
        self.state = agent.init(seed)
        self.target = self.state.params

    def episode(self, epsilon):
        total = 0.0
        step = self.environment.reset()
        while not step.last():
            action = self.agent.act(self.state.params, step.observation, next(self.keys), epsilon)
            following = self.environment.step(action)
            self.replay.add(step.observation, np.int32(action), np.float32(following.reward), following.observation)
            if len(self.replay.rows) > 1000:
                self.state, _ = self.agent.learn(self.state, self.target, self.replay.sample(64))
                if self.state.step % 500 == 0:
                    self.target = self.state.params
            total += following.reward
            step = following
        return total


def hk_keys(seed):
    key = jax.random.PRNGKey(seed)
    while True:
        key, sub = jax.random.split(key)
        yield sub


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--episodes", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    world = Forage()
    agent = Agent(world.action_spec().num_values, world.observation_spec().shape[0])
    loop = Loop(world, agent, Replay(100000), args.seed)
    for episode in range(args.episodes):
        total = loop.episode(max(0.05, 1.0 - episode / 500))
        if episode % 10 == 0:
            held = np.stack([row[0] for row in list(loop.replay.rows)[-256:]])
            print(episode, total, float(agent.evaluate(loop.state.params, held)))


if __name__ == "__main__":
    main()
