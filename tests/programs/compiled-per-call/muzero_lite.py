"""A small planner for a gymnax game: the network is asked at each node of the search."""
import dataclasses
import math

import flax.linen as nn
import gymnax
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Net(nn.Module):
    actions: int
    width: int = 64

    @nn.compact
    def __call__(self, obs):
        h = nn.relu(nn.Dense(self.width)(obs))
        h = nn.relu(nn.Dense(self.width)(h))
        return nn.Dense(self.actions)(h), nn.Dense(1)(h)[..., 0]


@dataclasses.dataclass
class Node:
    state: object
    obs: object
    reward: float = 0.0
    done: bool = False
    prior: np.ndarray = None
    visits: int = 0
    value: float = 0.0
    children: dict = dataclasses.field(default_factory=dict)


class Planner:
    def __init__(self, env, env_params, net, simulations=50, c=1.25, gamma=0.99):
        self.env, self.env_params, self.net = env, env_params, net
        self.simulations, self.c, self.gamma = simulations, c, gamma

    def evaluate(self, params, node):
        logits, value = jax.jit(self.net.apply)(params, node.obs)  # finding: compiled-per-call
        node.prior = np.asarray(jax.nn.softmax(logits))
        return float(value)

    def expand(self, key, node, action):
        obs, state, reward, done, _ = jax.jit(self.env.step)(key, node.state, action, self.env_params)  # finding: compiled-per-call
        child = Node(state, obs, float(reward), bool(done))
        node.children[action] = child
        return child

    def select(self, node):
        total = math.sqrt(node.visits + 1)
        best, best_score = 0, -np.inf
        for action, p in enumerate(node.prior):
            child = node.children.get(action)
            q = child.reward + self.gamma * child.value if child else 0.0
            n = child.visits if child else 0
            score = q + self.c * p * total / (1 + n)
            if score > best_score:
                best, best_score = action, score
        return best

    def search(self, key, params, root):
        self.evaluate(params, root)
        for _ in range(self.simulations):
            node, path = root, [root]
            while True:
                action = self.select(node)
                child = node.children.get(action)
                if child is None:
                    key, sub = jax.random.split(key)
                    child = self.expand(sub, node, action)
                    value = 0.0 if child.done else self.evaluate(params, child)
                    path.append(child)
                    break
                path.append(child)
                node = child
                if node.done:
                    value = 0.0
                    break
            for n in reversed(path):
                n.visits += 1
                n.value += (value - n.value) / n.visits
                value = n.reward + self.gamma * value
        counts = np.array([root.children[a].visits if a in root.children else 0 for a in range(len(root.prior))])
        return counts / counts.sum()


def make_update(net, tx):
    def loss_fn(params, obs, policy, value):
        logits, v = net.apply(params, obs)
        return optax.softmax_cross_entropy(logits, policy).mean() + ((v - value) ** 2).mean()

    @jax.jit
    def update(params, opt_state, obs, policy, value):
        loss, grads = jax.value_and_grad(loss_fn)(params, obs, policy, value)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    return update


def main(games=200):
    env, env_params = gymnax.make("CartPole-v1")
    net = Net(env.num_actions)
    key = jax.random.PRNGKey(0)
    params = net.init(key, jnp.zeros(4))
    tx = optax.adam(1e-3)
    opt_state, update = tx.init(params), make_update(net, tx)
    planner = Planner(env, env_params, net)
    for game in range(games):
        key, reset_key = jax.random.split(key)
        obs, state = env.reset(reset_key, env_params)
        seen, policies, rewards, done = [], [], [], False
        while not done:
            key, k1, k2, k3 = jax.random.split(key, 4)
            policy = planner.search(k1, params, Node(state, obs))
            action = int(jax.random.choice(k2, len(policy), p=jnp.asarray(policy)))
            seen.append(obs)
            policies.append(policy)
            obs, state, reward, done, _ = env.step(k3, state, action, env_params)
            rewards.append(float(reward))
        returns = np.cumsum(rewards[::-1])[::-1].copy()
        params, opt_state, loss = update(params, opt_state, jnp.stack(seen), jnp.asarray(policies), jnp.asarray(returns))
        print(game, sum(rewards), float(loss))


if __name__ == "__main__":
    main()
