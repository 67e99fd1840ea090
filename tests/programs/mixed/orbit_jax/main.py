import jax
import jax.numpy as jnp
import numpy as np

import physics


def run_eager(count, steps, dt):
    bodies = physics.create(jax.random.PRNGKey(0), count)
    for _ in range(steps):  # finding: eager-loop
        bodies = physics.leap(bodies, dt)
    return bodies


def run_compiled(count, steps, dt):
    bodies = physics.create(jax.random.PRNGKey(0), count)
    track = []
    for _ in range(steps):
        bodies = physics.leap_jit(bodies, dt)
        track.append(bodies.where)
    return jnp.stack(track)


def run_scan(count, rounds, dt):
    bodies = physics.create(jax.random.PRNGKey(0), count)
    for _ in range(rounds):
        bodies, track = physics.many(bodies, dt)
    return bodies, track


def unrolled(x):
    for power in (1, 2, 3):
        x = x + jnp.sin(x) ** power
    return x


def drift(bodies, dts):
    drifts = []
    while dts:
        dt = dts.pop()
        step = jax.jit(lambda b: physics.leap(b, dt))  # finding: compiled-per-call
        drifts.append(physics.energy(step(bodies)))
    return drifts


@jax.jit
def smoothed(track):
    kernel = jnp.ones(5) / 5
    rows = []
    for axis in range(3):
        rows.append(jnp.convolve(track[:, axis], kernel, mode="same"))
    return jnp.stack(rows, 1)


def truncated(values, k):
    return jnp.sort(values)[:k].mean()


truncated_jit = jax.jit(truncated, static_argnums=1)


def sweep(values):
    best = []
    for k in range(1, len(values)):
        best.append(truncated_jit(values, k))  # finding: retracing
    return best


def lengths(tracks: jnp.ndarray):
    return jnp.stack([jnp.linalg.norm(tracks[i], axis=-1) for i in range(tracks.shape[0])])  # finding: per-slice-op


def batched_lengths(tracks):
    return jax.vmap(lambda t: jnp.linalg.norm(t, axis=-1))(tracks)


def spectrum(tracks, rounds):
    window = jnp.hanning(1024)
    total = 0
    for _ in range(rounds):
        total = total + jnp.abs(jnp.fft.rfft(tracks * window))
        tracks = jnp.roll(tracks, 1, axis=0)
    return total


def relax(matrix: jnp.ndarray, x, rounds=2000):
    for _ in range(rounds):
        values = jnp.linalg.eigvalsh(matrix)  # finding: loop-invariant-op
        x = leap_towards(x, matrix, values[-1])
    return x


@jax.jit
def leap_towards(x, matrix, top):
    return x - (matrix @ x) / top


if __name__ == "__main__":
    print(physics.energy(run_eager(500, 10000, 1e-3)))
    np.save("track.npy", run_compiled(500, 10000, 1e-3))
