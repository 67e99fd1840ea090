import argparse

import gym
import numpy as np
from policy import Actor, Critic


def rollout(env, actor, steps, sigma):
    states, actions, rewards, ends = [], [], [], []
    state = env.reset()
    for _ in range(steps):
        action = actor.act(state, sigma)
        following, reward, done, _ = env.step(action)
        states.append(state)
        actions.append(action)
        rewards.append(reward)
        ends.append(done)
        state = env.reset() if done else following
    return np.array(states), np.array(actions), np.array(rewards), np.array(ends)


def returns(rewards, ends, gamma):
    total, out = 0.0, []
    for reward, end in zip(rewards[::-1], ends[::-1]):
        total = reward + gamma * total * (1 - end)
        out.append(total)
    return np.array(out[::-1])


def train_seed(args, seed):
    env = gym.make(args.env)
    env.seed(seed)
    np.random.seed(seed)
    dims = env.observation_space.shape[0], env.action_space.shape[0]
    actor, critic = Actor(*dims), Critic(dims[0])
    for update in range(args.updates):
        states, actions, rewards, ends = rollout(env, actor, args.steps, args.sigma)
        targets = returns(rewards, ends, args.gamma)
        advantages = targets - critic.values(states)
        critic.fit(states, targets)
        loss = actor.learn(states, actions, advantages, rounds=4)
        if update % 100 == 0:
            print(seed, update, loss, rewards.mean())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--env", default="Reacher-v2")
    parser.add_argument("--updates", type=int, default=5000)
    parser.add_argument("--steps", type=int, default=128)
    parser.add_argument("--sigma", type=float, default=0.2)
    parser.add_argument("--gamma", type=float, default=0.97)
    args = parser.parse_args()
    for seed in (0, 1, 2):
        train_seed(args, seed)


if __name__ == "__main__":
    main()
