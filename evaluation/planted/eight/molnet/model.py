import jax
import jax.numpy as jnp

ROUNDS = 4
WIDTH = 32


def init(key, elements=5, radial=32):
    def dense(k, a, b):
        return {"w": jax.random.normal(k, (a, b)) * a**-0.5, "b": jnp.zeros(b)}

    ks = jax.random.split(key, 7)
    return {
        "embed": dense(ks[0], elements, WIDTH),
        "edge": dense(ks[1], radial, WIDTH),
        "msg": dense(ks[2], 2 * WIDTH, WIDTH),
        "gate": dense(ks[3], 2 * WIDTH, WIDTH),
        "cand": dense(ks[4], 2 * WIDTH, WIDTH),
        "read1": dense(ks[5], WIDTH, WIDTH),
        "read2": dense(ks[6], WIDTH, 1),
    }


def apply_dense(p, x):
    return x @ p["w"] + p["b"]


def forward(params, batch):
    h = jnp.tanh(apply_dense(params["embed"], batch["nodes"]))
    e = jax.nn.silu(apply_dense(params["edge"], batch["edges"]))
    count = h.shape[0]

    def gather(h):
        pick = jax.nn.one_hot(batch["senders"], count)
        return pick @ h

    def scatter(m):
        place = jax.nn.one_hot(batch["receivers"], count)
        return place.T @ m

    def round_(h):
        src = gather(h)
        m = jax.nn.silu(apply_dense(params["msg"], jnp.concatenate([src, e], -1)))
        agg = scatter(m)
        both = jnp.concatenate([h, agg], -1)
        gate = jax.nn.sigmoid(apply_dense(params["gate"], both))
        return gate * h + (1 - gate) * jnp.tanh(apply_dense(params["cand"], both))

    for _ in range(ROUNDS):
        h = round_(h)
    out = apply_dense(params["read2"], jax.nn.silu(apply_dense(params["read1"], h)))[:, 0]
    size = batch["target"].shape[0]
    total = jax.ops.segment_sum(out, batch["owner"], size)
    number = jax.ops.segment_sum(jnp.ones_like(out), batch["owner"], size)
    return total / jnp.maximum(number, 1)
