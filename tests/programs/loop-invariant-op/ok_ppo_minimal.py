# requires: torch==1.8.*, gym==0.18.*
"""PPO on a walking robot, in one file."""

import argparse
from collections import namedtuple

import gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Normal

Batch = namedtuple("Batch", "states actions logprobs rewards dones")


class Memory:
    def __init__(self):
        self.states, self.actions, self.logprobs, self.rewards, self.dones = [], [], [], [], []

    def push(self, state, action, logprob, reward, done):
        self.states.append(state)
        self.actions.append(action)
        self.logprobs.append(logprob)
        self.rewards.append(reward)
        self.dones.append(done)

    def clear(self):
        for kept in (self.states, self.actions, self.logprobs, self.rewards, self.dones):
            del kept[:]

    def __len__(self):
        return len(self.states)


class ActorCritic(nn.Module):
    def __init__(self, n_states, n_actions, hidden=64):
        super().__init__()
        self.actor = nn.Sequential(
            nn.Linear(n_states, hidden), nn.Tanh(), nn.Linear(hidden, n_actions), nn.Tanh()
        )
        self.critic = nn.Sequential(nn.Linear(n_states, hidden), nn.Tanh(), nn.Linear(hidden, 1))
        self.log_std = nn.Parameter(torch.full((n_actions,), -0.5))

    def act(self, state):
        policy = Normal(self.actor(state), self.log_std.exp())
        action = policy.sample()
        return action, policy.log_prob(action).sum(-1)

    def evaluate(self, states, actions):
        policy = Normal(self.actor(states), self.log_std.exp())
        logprobs = policy.log_prob(actions).sum(-1)
        return logprobs, self.critic(states).squeeze(-1), policy.entropy().sum(-1)


def discounted(rewards, dones, gamma):
    found, running = [], 0.0
    for reward, done in zip(reversed(rewards), reversed(dones)):
        running = reward + gamma * running * (1 - done)
        found.append(running)
    return found[::-1]


class PPO:
    def __init__(self, n_states, n_actions, args):
        self.args = args
        self.policy = ActorCritic(n_states, n_actions)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=args.lr)

    def update(self, memory):
        returns = torch.tensor(discounted(memory.rewards, memory.dones, self.args.gamma))
        for _ in range(self.args.epochs):
            states = torch.stack(memory.states)
            actions = torch.stack(memory.actions)
            old = torch.stack(memory.logprobs)
            logprobs, values, entropy = self.policy.evaluate(states, actions)
            advantages = returns - values.detach()
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            ratios = torch.exp(logprobs - old)
            clipped = torch.clamp(ratios, 1 - self.args.clip, 1 + self.args.clip)
            loss = -torch.min(ratios * advantages, clipped * advantages)
            loss = loss + 0.5 * (values - returns) ** 2 - 0.01 * entropy
            self.optimizer.zero_grad()
            loss.mean().backward()
            self.optimizer.step()
        memory.clear()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--env", default="BipedalWalker-v3")
    parser.add_argument("--epochs", type=int, default=80)
    parser.add_argument("--horizon", type=int, default=4000)
    parser.add_argument("--steps", type=int, default=3_000_000)
    parser.add_argument("--lr", type=float, default=3e-4)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--clip", type=float, default=0.2)
    args = parser.parse_args()

    env = gym.make(args.env)
    agent = PPO(env.observation_space.shape[0], env.action_space.shape[0], args)
    memory = Memory()
    state, episode, scores = env.reset(), 0.0, []
    for step in range(args.steps):
        tensor = torch.as_tensor(state, dtype=torch.float32)
        with torch.no_grad():
            action, logprob = agent.policy.act(tensor)
        state, reward, done, _ = env.step(action.numpy())
        memory.push(tensor, action, logprob, reward, float(done))
        episode += reward
        if done:
            scores.append(episode)
            state, episode = env.reset(), 0.0
            if len(scores) % 20 == 0:
                print(step, np.mean(scores[-20:]))
        if len(memory) >= args.horizon:
            agent.update(memory)


if __name__ == "__main__":
    main()
