"""One PPO update over all local devices."""
import functools

import jax
import jax.numpy as jnp
import optax


def ppo_loss(params, apply_fn, batch, clip):
    logits, values = apply_fn({"params": params}, batch["obs"])
    logp = jnp.take_along_axis(jax.nn.log_softmax(logits), batch["actions"][:, None], 1)[:, 0]
    ratio = jnp.exp(logp - batch["logp"])
    adv = batch["advantages"]
    policy = -jnp.minimum(ratio * adv, jnp.clip(ratio, 1 - clip, 1 + clip) * adv).mean()
    value = jnp.square(values - batch["returns"]).mean()
    return policy + 0.5 * value


def update(apply_fn, tx, clip, params, opt_state, batch):
    loss, grads = jax.value_and_grad(ppo_loss)(params, apply_fn, batch, clip)
    grads = jax.lax.pmean(grads, axis_name="devices")
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "devices")


class Learner:
    def __init__(self, network, tx, config):
        self.network = network
        self.tx = tx
        self.config = config
        self.updates = 0

    def learn(self, params, opt_state, rollout):
        """Several epochs of minibatches over one rollout."""
        step = jax.pmap(  # finding: compiled-per-call
            functools.partial(update, self.network.apply, self.tx, self.config.clip),
            axis_name="devices",
            donate_argnums=(0, 1),
        )
        losses = []
        for _ in range(self.config.epochs):
            for batch in rollout.minibatches(self.config.minibatches):
                params, opt_state, loss = step(params, opt_state, batch)
                losses.append(loss)
                self.updates += 1
        return params, opt_state, float(jnp.mean(jnp.stack(losses)))
