import jax
import jax.numpy as jnp
import optax


class Learner:
    """Actor-critic; everything is compiled once, in the constructor."""

    def __init__(self, network, rate, discount):
        self.optimizer = optax.adam(rate)

        def loss(params, batch):
            values = network.apply(params, batch["obs"])
            following = network.apply(params, batch["next_obs"])
            target = batch["reward"] + discount * jax.lax.stop_gradient(following)
            return jnp.mean((values - target) ** 2)

        def update(params, state, batch):
            grads = jax.grad(loss)(params, batch)
            updates, state = self.optimizer.update(grads, state)
            return optax.apply_updates(params, updates), state

        self._update = jax.jit(update)
        self._act = jax.jit(lambda params, obs: network.apply(params, obs).argmax(-1))

    def run(self, params, state, replay, steps):
        for _ in range(steps):
            params, state = self._update(params, state, replay.sample(256))
        return params, state
