"""Learning the Hamiltonian of chained pendulums."""
from functools import partial
from typing import NamedTuple

import haiku as hk
import jax
import jax.numpy as jnp
import optax


class State(NamedTuple):
    params: hk.Params
    opt: optax.OptState
    step: int


def energy(q, p):
    return hk.nets.MLP([64, 64, 1], activation=jnp.tanh)(jnp.concatenate([q, p]))[0]


class Learner:
    def __init__(self, pendulums, rate, seed=0):
        self.net = hk.without_apply_rng(hk.transform(energy))
        self.tx = optax.adamw(rate)
        blank = jnp.zeros(pendulums)
        params = self.net.init(jax.random.PRNGKey(seed), blank, blank)
        self.state = State(params, self.tx.init(params), 0)

    def flow(self, params, q, p):
        by_q, by_p = jax.grad(self.net.apply, (1, 2))(params, q, p)
        return by_p, -by_q

    def loss(self, params, q, p, dq, dp):
        guess_q, guess_p = jax.vmap(self.flow, (None, 0, 0))(params, q, p)
        return jnp.mean((guess_q - dq) ** 2 + (guess_p - dp) ** 2)

    def update(self, batch):
        value_and_grad = jax.jit(jax.value_and_grad(self.loss))  # finding: compiled-per-call
        loss, slopes = value_and_grad(self.state.params, *batch)
        changes, opt = self.tx.update(slopes, self.state.opt, self.state.params)
        params = optax.apply_updates(self.state.params, changes)  # finding: eager-loop
        self.state = State(params, opt, self.state.step + 1)
        return loss

    def fit(self, batches):
        for batch in batches:
            yield self.state.step, self.update(batch)

    @partial(jax.jit, static_argnums=0)
    def energies(self, params, q, p):
        return jax.vmap(self.net.apply, (None, 0, 0))(params, q, p)

    def simulate(self, q, p, steps, dt=0.01):
        def leap(carry, _):
            q, p = carry
            _, dp = self.flow(self.state.params, q, p)
            p = p + dt * dp
            dq, _ = self.flow(self.state.params, q, p)
            return (q + dt * dq, p), q

        return jax.lax.scan(leap, (q, p), None, length=steps)[1]


def drift(learner, starts, steps):
    """How much energy the learned pendulum gains or loses."""
    worst = []
    for q, p in starts:
        path = jax.jit(lambda q, p: learner.simulate(q, p, steps))(q, p)  # finding: compiled-per-call
        worst.append(float(jnp.ptp(path, 0).max()))
    return max(worst)
