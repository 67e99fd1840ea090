import flax.linen as nn
import jax.numpy as jnp


class ActorCritic(nn.Module):
    actions: int
    width: int = 256

    @nn.compact
    def __call__(self, obs):
        h = nn.tanh(nn.Dense(self.width)(obs))
        h = nn.tanh(nn.Dense(self.width)(h))
        logits = nn.Dense(self.actions)(h)
        value = nn.Dense(1)(h)
        return logits, jnp.squeeze(value, -1)
