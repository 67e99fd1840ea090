import argparse

import gym
import numpy as np
import tensorflow as tf

from agent import BoltzmannAgent, DQNAgent
from replay import Replay

AGENTS = {"dqn": DQNAgent, "boltzmann": BoltzmannAgent}


def stack(frames):
    return np.stack(frames[-4:], axis=-1).astype(np.uint8)


def episode(env, agent, replay, epsilon, batch_size):
    frames = [env.reset()] * 4
    state, total, done = stack(frames), 0.0, False
    while not done:
        action = agent.act(state, epsilon)
        frame, reward, done, _ = env.step(action)
        frames.append(frame)
        following = stack(frames)
        replay.add(state, action, np.sign(reward), following, float(done))
        state, total = following, total + reward
        if len(replay) > 20 * batch_size:
            agent.learn(*replay.sample(batch_size))
    return total


def main(flags):
    env = gym.make(flags.env)
    with tf.Session() as session:
        agent = AGENTS[flags.agent](session, env.action_space.n)
        replay = Replay()
        writer = tf.summary.FileWriter(flags.logdir, session.graph)
        for number in range(flags.episodes):
            epsilon = max(0.1, 1.0 - number / 1000.0)
            score = episode(env, agent, replay, epsilon, flags.batch_size)
            value = tf.Summary.Value(tag="score", simple_value=score)
            writer.add_summary(tf.Summary(value=[value]), number)
            if number % 10 == 0:
                agent.hard_sync()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--env", default="BreakoutNoFrameskip-v4")
    parser.add_argument("--agent", choices=sorted(AGENTS), default="boltzmann")
    parser.add_argument("--episodes", type=int, default=20000)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--logdir", default="runs")
    main(parser.parse_args())
