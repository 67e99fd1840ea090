import argparse
from collections import deque

import gym
import numpy as np
import tensorflow as tf

from agent import DQNAgent


def run(env, agent, episodes, limit=1000):
    window = deque(maxlen=100)
    for episode in range(1, episodes + 1):
        state, total = env.reset(), 0.0
        for t in range(limit):
            action = agent.act(state)
            following, reward, done, _ = env.step(action)
            agent.remember(state, action, reward, following, done)
            if t % 4 == 0:
                agent.learn()
            state = following
            total += reward
            if done:
                break
        agent.epsilon = max(0.01, agent.epsilon * 0.995)
        window.append(total)
        if episode % 100 == 0:
            print("episode %d: %.2f" % (episode, np.mean(window)))
        if np.mean(window) >= 200.0:
            print("solved in %d episodes" % episode)
            break


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--env", default="LunarLander-v2")
    parser.add_argument("--episodes", type=int, default=2000)
    args = parser.parse_args()
    env = gym.make(args.env)
    with tf.Session() as sess:
        agent = DQNAgent(sess, env.observation_space.shape[0], env.action_space.n)
        sess.run(tf.global_variables_initializer())
        run(env, agent, args.episodes)
        tf.train.Saver().save(sess, "checkpoints/lander")
