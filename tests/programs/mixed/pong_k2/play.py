import sys

import gym
import numpy as np

from actor import ActorCritic


def discounted(rewards, gamma=0.99):
    returns = np.zeros(len(rewards))
    running = 0.0
    for step in reversed(range(len(rewards))):
        running = rewards[step] + gamma * running
        returns[step] = running
    return returns


def shrink(frame):
    frame = frame[35:195:2, ::2, 0].astype(float)
    frame[(frame == 144) | (frame == 109)] = 0
    frame[frame != 0] = 1
    return frame.ravel()


def episode(env, agent):
    previous = None
    frame, done = env.reset(), False
    states, actions, rewards = [], [], []
    while not done:
        now = shrink(frame)
        state = now - previous if previous is not None else np.zeros_like(now)
        previous = now
        action = agent.act(state)
        frame, reward, done, _ = env.step(action + 2)
        states.append(state)
        actions.append(action)
        rewards.append(reward)
    return states, actions, discounted(rewards)


def main(episodes):
    env = gym.make("Pong-v0")
    agent = ActorCritic(6400, 2)
    for number in range(episodes):
        states, actions, returns = episode(env, agent)
        losses = agent.learn(states, actions, returns)
        print(number, returns[0], losses)


if __name__ == "__main__":
    main(int(sys.argv[1]))
