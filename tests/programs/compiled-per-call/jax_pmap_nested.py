import jax
import jax.numpy as jnp
import optax
from jax import lax

optimizer = optax.adam(1e-3)


def forward(params, images):
    return images @ params["kernel"] + params["bias"]


def update(params, state, images, labels):
    def device_step(params, state, images, labels):
        def loss(params):
            logits = forward(params, images)
            return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

        grads = lax.pmean(jax.grad(loss)(params), "device")
        updates, state = optimizer.update(grads, state)
        return optax.apply_updates(params, updates), state

    step = jax.pmap(device_step, axis_name="device")  # finding: compiled-per-call
    return step(params, state, images, labels)


def fit(params, state, loader):
    for images, labels in loader:
        params, state = update(params, state, images, labels)
    return params
