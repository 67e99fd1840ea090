import jax
import jax.numpy as jnp


def glorot(key, shape):
    return jax.random.normal(key, shape) * jnp.sqrt(2.0 / (shape[0] + shape[-1]))


def init(key, cfg):
    k = jax.random.split(key, 7)
    w = cfg.width
    return {
        "stem": {"w": glorot(k[0], (9 * 3, w)), "b": jnp.zeros(w)},
        "station": 0.05 * jax.random.normal(k[1], (cfg.stations, cfg.embed)),
        "site": {"w": glorot(k[2], (cfg.embed, w)), "b": jnp.zeros(w)},
        "refine": {"w": 0.5 * glorot(k[3], (5 * w, w)), "b": jnp.zeros(w)},
        "gate": {"w": 0.5 * glorot(k[4], (w, w)), "b": jnp.zeros(w)},
        "head": {"w": glorot(k[5], (w, 3)), "b": jnp.zeros(3)},
    }


def neighbours(x, reach, gap=1):
    """Each step beside its neighbours (zeros beyond the ends)."""
    pad = jnp.pad(x, ((0, 0), (reach * gap, reach * gap), (0, 0)))
    n = x.shape[1]
    return jnp.concatenate([pad[:, i * gap : i * gap + n] for i in range(2 * reach + 1)], axis=-1)


def dense(p, x):
    return x @ p["w"] + p["b"]


def apply(params, x, mask, station, steps):
    h = jnp.tanh(dense(params["stem"], neighbours(x, 4)))
    h = h + dense(params["site"], params["station"][station])[:, None, :]
    h = h * mask[..., None]

    def refine(h):
        new = jnp.tanh(dense(params["refine"], neighbours(h, 2, gap=2)))
        gate = jax.nn.sigmoid(dense(params["gate"], h))
        return (h + gate * (new - h)) * mask[..., None]

    for _ in range(steps):
        h = refine(h)
    return dense(params["head"], h)


def loss_fn(params, batch, steps):
    x, y, mask, station = batch
    logp = jax.nn.log_softmax(apply(params, x, mask, station, steps))
    weight = jnp.array([8.0, 8.0, 1.0])
    each = -(y * logp * weight).sum(-1)
    return (each * mask).sum() / mask.sum()
