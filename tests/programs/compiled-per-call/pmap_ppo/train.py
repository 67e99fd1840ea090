import argparse
from dataclasses import dataclass

import flax.jax_utils
import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import optax

from networks import ActorCritic
from update import Learner


@dataclass
class Config:
    env: str = "CartPole-v1"
    envs: int = 64
    horizon: int = 128
    epochs: int = 4
    minibatches: int = 4
    clip: float = 0.2
    gamma: float = 0.99
    lr: float = 3e-4
    iterations: int = 1000


class Rollout:
    def __init__(self, arrays):
        self.arrays = arrays
        self.size = len(arrays["actions"])

    def minibatches(self, count):
        devices = jax.local_device_count()
        order = np.random.permutation(self.size)
        for part in np.array_split(order, count):
            part = part[: len(part) // devices * devices]
            yield {
                k: v[part].reshape((devices, -1) + v.shape[1:]) for k, v in self.arrays.items()
            }


def collect(act, params, envs, obs, config, key):
    rows = {"obs": [], "actions": [], "logp": [], "rewards": [], "values": [], "dones": []}
    for _ in range(config.horizon):
        key, sub = jax.random.split(key)
        action, logp, value = act(params, obs, sub)
        action = np.asarray(action)
        nxt, reward, term, trunc, _ = envs.step(action)
        for name, item in zip(rows, (obs, action, logp, reward, value, term | trunc)):
            rows[name].append(np.asarray(item))
        obs = nxt
    rows = {k: np.stack(v) for k, v in rows.items()}
    returns = np.zeros_like(rows["rewards"])
    running = rows["values"][-1]
    for t in reversed(range(config.horizon)):
        running = rows["rewards"][t] + config.gamma * running * (1 - rows["dones"][t])
        returns[t] = running
    rows["returns"] = returns
    rows["advantages"] = returns - rows["values"]
    flat = {k: v.reshape((-1,) + v.shape[2:]) for k, v in rows.items()}
    return Rollout(flat), obs, key


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--env", default=Config.env)
    parser.add_argument("--iterations", type=int, default=Config.iterations)
    args = parser.parse_args()
    config = Config(env=args.env, iterations=args.iterations)

    envs = gym.make_vec(config.env, num_envs=config.envs)
    network = ActorCritic(envs.single_action_space.n)
    key = jax.random.PRNGKey(0)
    obs, _ = envs.reset(seed=0)
    params = network.init(key, jnp.asarray(obs))["params"]
    tx = optax.adam(config.lr)
    opt_state = tx.init(params)

    @jax.jit
    def act(params, obs, key):
        logits, value = network.apply({"params": params}, obs)
        action = jax.random.categorical(key, logits)
        logp = jnp.take_along_axis(jax.nn.log_softmax(logits), action[:, None], 1)[:, 0]
        return action, logp, value

    learner = Learner(network, tx, config)
    for iteration in range(config.iterations):
        rollout, obs, key = collect(act, params, envs, obs, config, key)
        p, s = flax.jax_utils.replicate((params, opt_state))
        p, s, loss = learner.learn(p, s, rollout)
        params, opt_state = flax.jax_utils.unreplicate((p, s))
        if iteration % 10 == 0:
            print(iteration, loss)


if __name__ == "__main__":
    main()
