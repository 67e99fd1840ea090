# requires: tensorflow==2.9
import dataclasses
from typing import Callable, Dict

import gym
import numpy as np
import tensorflow as tf


@dataclasses.dataclass
class Cfg:
    env: str = "LunarLander-v2"
    n_envs: int = 16
    horizon: int = 32
    gamma: float = 0.99
    lam: float = 0.95
    lr: float = 7e-4
    ent: float = 0.01
    updates: int = 20000
    use_graph: bool = True


class ActorCritic(tf.keras.Model):
    def __init__(self, n_actions):
        super().__init__()
        self.body = tf.keras.Sequential([tf.keras.layers.Dense(256, "tanh") for _ in range(2)])
        self.pi = tf.keras.layers.Dense(n_actions)
        self.v = tf.keras.layers.Dense(1)

    def call(self, obs):
        h = self.body(obs)
        return self.pi(h), tf.squeeze(self.v(h), -1)


class GraphMixin:
    cfg: Cfg

    def lower(self, fn: Callable) -> Callable:
        if not self.cfg.use_graph:
            return fn
        return tf.function(fn, experimental_relax_shapes=True)  # finding: compiled-per-call


class Learner(GraphMixin):
    def __init__(self, cfg, n_actions):
        self.cfg = cfg
        self.net = ActorCritic(n_actions)
        self.opt = tf.keras.optimizers.RMSprop(cfg.lr, rho=0.99, epsilon=1e-5)
        self.policy = self.lower(self.net.call)

    def sample(self, obs):
        logits, v = self.policy(tf.convert_to_tensor(obs, tf.float32))
        return tf.random.categorical(logits, 1)[:, 0].numpy(), v.numpy()

    def _update(self, obs, act, ret, adv):
        with tf.GradientTape() as tape:
            logits, v = self.net(obs)
            nll = tf.nn.sparse_softmax_cross_entropy_with_logits(act, logits)
            p = tf.nn.softmax(logits)
            ent = -tf.reduce_sum(p * tf.nn.log_softmax(logits), -1)
            loss = tf.reduce_mean(nll * adv + 0.5 * (ret - v) ** 2 - self.cfg.ent * ent)
        grads, _ = tf.clip_by_global_norm(tape.gradient(loss, self.net.trainable_variables), 0.5)
        self.opt.apply_gradients(zip(grads, self.net.trainable_variables))
        return loss

    def learn(self, batch: Dict[str, np.ndarray]):
        args = [tf.constant(batch[k]) for k in ("obs", "act", "ret", "adv")]
        return self.lower(self._update)(*args)


def gae(rew, done, val, last, cfg):
    adv, run = np.zeros_like(rew), np.zeros(rew.shape[1], np.float32)
    nxt = last
    for t in reversed(range(len(rew))):
        delta = rew[t] + cfg.gamma * nxt * (1 - done[t]) - val[t]
        run = delta + cfg.gamma * cfg.lam * (1 - done[t]) * run
        adv[t], nxt = run, val[t]
    return adv


def collect(envs, obs, learner, cfg):
    o, a, r, d, v = [], [], [], [], []
    for _ in range(cfg.horizon):
        act, val = learner.sample(obs)
        o.append(obs.astype(np.float32)), a.append(act), v.append(val)
        obs, rew, done, _ = envs.step(act)
        r.append(rew.astype(np.float32)), d.append(done.astype(np.float32))
    _, last = learner.sample(obs)
    val = np.stack(v)
    adv = gae(np.stack(r), np.stack(d), val, last, cfg)
    flat = lambda z: z.reshape((-1,) + z.shape[2:])
    return obs, dict(obs=flat(np.stack(o)), act=flat(np.stack(a)), ret=flat(adv + val), adv=flat(adv))


def main(cfg=Cfg()):
    envs = gym.vector.make(cfg.env, cfg.n_envs)
    learner = Learner(cfg, envs.single_action_space.n)
    obs = envs.reset()
    u = 0
    while u < cfg.updates:
        obs, batch = collect(envs, obs, learner, cfg)
        loss = learner.learn(batch)
        u += 1
        if u % 100 == 0:
            print(u, float(loss))


if __name__ == "__main__":
    main()
