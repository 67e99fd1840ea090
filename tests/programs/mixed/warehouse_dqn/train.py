import argparse

import gym
import tensorflow as tf

from warehouse import DQN, DoubleDQN

AGENTS = {"dqn": DQN, "double": DoubleDQN}


def summarise(writer, step, **values):
    summary = tf.Summary(value=[tf.Summary.Value(tag=k, simple_value=v) for k, v in values.items()])
    writer.add_summary(summary, step)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--agent", choices=sorted(AGENTS), default="double")
    parser.add_argument("--env", default="Warehouse-v0")
    parser.add_argument("--episodes", type=int, default=5000)
    parser.add_argument("--logdir", default="runs")
    args = parser.parse_args()

    env = gym.make(args.env)
    agent = AGENTS[args.agent](env.observation_space.shape[0], env.action_space.n)
    writer = tf.summary.FileWriter(args.logdir, agent.sess.graph)
    step = 0
    for episode in range(args.episodes):
        observation, total, done = env.reset(), 0.0, False
        while not done:
            action = agent.act(observation)
            following, reward, done, _ = env.step(action)
            agent.memory.add(observation, action, reward, following, done)
            observation, total, step = following, total + reward, step + 1
            if len(agent.memory) > 1000:
                summarise(writer, step, loss=agent.learn())
        agent.anneal(episode / float(args.episodes))
        summarise(writer, step, reward=total)


if __name__ == "__main__":
    main()
