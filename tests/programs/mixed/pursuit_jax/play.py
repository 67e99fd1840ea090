import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from agents import Reinforce


@dataclasses.dataclass
class Worlds:
    count: int = 256
    size: float = 10.0

    def reset(self, rng):
        return rng.uniform(0, self.size, (self.count, 8)).astype(np.float32)

    def step(self, places, actions):
        angles = 2 * np.pi * actions / 8
        places[:, :2] += 0.1 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        gap = np.linalg.norm(places[:, :2] - places[:, 2:4], axis=1)
        return np.clip(places, 0, self.size), -gap


def discounts(length, gamma=0.97):
    return gamma ** np.arange(length)


def rollout(worlds, agent, rng, key, length=100):
    places = worlds.reset(rng)
    seen, done, rewards = [], [], []
    for part in jax.random.split(key, length):
        actions = agent.act(places, part)
        seen.append(places.copy())
        done.append(actions)
        places, reward = worlds.step(places, actions)
        rewards.append(reward)
    rewards = np.stack(rewards)
    returns = np.cumsum((rewards * discounts(length)[:, None])[::-1], axis=0)[::-1]
    return np.concatenate(seen), np.concatenate(done), returns.ravel().astype(np.float32)


def evaluate(agent, observations, repeats):
    """How sure the policy is under noise."""
    entropies = []
    while len(entropies) < repeats:
        noisy = observations + np.random.normal(0, 0.1, observations.shape)

        @jax.jit  # finding: compiled-per-call
        def entropy(x):
            logits = agent._policy(agent.parameters, x)
            return -jnp.mean(jnp.sum(jax.nn.softmax(logits) * jax.nn.log_softmax(logits), -1))

        entropies.append(float(entropy(noisy)))
    return np.mean(entropies)


def main(turns=2_000):
    rng = np.random.default_rng(0)
    key = jax.random.PRNGKey(0)
    worlds, agent = Worlds(), Reinforce(key, 8, 8)
    for turn in range(turns):
        key, part = jax.random.split(key)
        batch = rollout(worlds, agent, rng, part)
        agent.update(batch)
        if turn % 100 == 0:
            print(turn, batch[2].mean(), agent.values("loss", batch))
    print("entropy", evaluate(agent, worlds.reset(rng), 50))


if __name__ == "__main__":
    main()
