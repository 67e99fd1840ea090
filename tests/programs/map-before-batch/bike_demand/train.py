import jax
import jax.numpy as jnp
import optax

from inputs import batches, scaled
from settings import Settings


def init(key, sizes):
    keys = jax.random.split(key, len(sizes))
    return [
        (jax.random.normal(k, (m, n)) / jnp.sqrt(m), jnp.zeros(n))
        for k, m, n in zip(keys, sizes[:-1], sizes[1:])
    ]


def predict(params, x):
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return (x @ w + b)[:, 0]


def loss_fn(params, x, y):
    return jnp.mean((predict(params, x) - y) ** 2)


def main():
    settings = Settings()
    first, _ = next(batches(settings).as_numpy_iterator())
    mean, std = first.mean(0), first.std(0) + 1e-6
    params = init(jax.random.PRNGKey(0), (first.shape[1], *settings.hidden, 1))
    optimizer = optax.adam(settings.lr)
    state = optimizer.init(params)

    @jax.jit
    def step(params, state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, state = optimizer.update(grads, state)
        return optax.apply_updates(params, updates), state, loss

    data = scaled(settings, mean, std)
    for epoch in range(settings.epochs):
        for x, y in data.as_numpy_iterator():
            params, state, loss = step(params, state, x, y)
        print(epoch, float(loss))


if __name__ == "__main__":
    main()
