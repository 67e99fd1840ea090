import jax
import jax.numpy as jnp
import numpy as np
from jax import jit, lax, vmap


class Policy:
    def __init__(self, key, obs, act):
        self.w = jax.random.normal(key, (obs, act)) * 0.1
        self.apply = jit(self._apply)

    def _apply(self, w, obs):
        return jax.nn.log_softmax(obs @ w)

    def act(self, obs, key):
        logits = jit(lambda o: o @ self.w)(obs)  # finding: compiled-per-call
        return int(jax.random.categorical(key, logits))


def advantages_loop(rewards, values, gamma=0.99, lam=0.95):
    out = jnp.zeros_like(rewards)
    last = 0.0
    for t in reversed(range(rewards.shape[0])):  # finding: eager-loop
        delta = rewards[t] + gamma * values[t + 1] - values[t]
        last = delta + gamma * lam * last
        out = out.at[t].set(last)
    return out


@jit
def advantages(rewards, values):
    def body(carry, row):
        reward, value, following = row
        carry = reward + 0.99 * following - value + 0.9405 * carry
        return carry, carry

    return lax.scan(body, 0.0, (rewards, values[:-1], values[1:]), reverse=True)[1]


def rollout(env, policy, key, length):
    obs, rows = env.reset(), []
    for _ in range(length):
        key, sub = jax.random.split(key)
        action = policy.act(obs, sub)
        following, reward, done, _ = env.step(action)
        rows.append((obs, action, reward))
        obs = env.reset() if done else following
    return rows, key


def losses(policy, batches):
    score = jit(vmap(policy._apply, in_axes=(None, 0)))
    return [float(score(policy.w, b).mean()) for b in batches]


def main(env, updates=300):
    key = jax.random.PRNGKey(0)
    policy = Policy(key, 4, 2)
    for _ in range(updates):
        rows, key = rollout(env, policy, key, 2048)
        rewards = jnp.asarray(np.array([r for _, _, r in rows]))
        values = jnp.zeros(len(rows) + 1)
        adv = advantages_loop(rewards, values)
        policy.w = policy.w + 1e-3 * adv.mean()
