"""Level sets of drops, solved on a grid in TensorFlow, and a net that imitates the solver."""

import tensorflow as tf


def laplace(u):
    return (
        tf.roll(u, 1, 0) + tf.roll(u, -1, 0) + tf.roll(u, 1, 1) + tf.roll(u, -1, 1) - 4.0 * u
    )


def solve(u, steps, dt=0.1):
    for _ in range(steps):  # finding: eager-loop
        change = laplace(u)
        u = u + dt * (change - u * (u - 0.3) * (u - 1.0))
    return u


@tf.function
def solve_compiled(u, steps, dt=0.1):
    for _ in tf.range(steps):
        u = u + dt * (laplace(u) - u * (u - 0.3) * (u - 1.0))
    return u


@tf.function
def simulate(u, steps: int):
    for _ in range(steps):
        u = u + 0.05 * laplace(u)
    return u


def energies(fields):
    values = []
    for field in fields:
        values.append(tf.reduce_sum(tf.square(field)))  # finding: per-slice-op
    return tf.stack(values)


def snapshots(u, last):
    frames = []
    for steps in range(1, last):
        frames.append(simulate(u, steps))  # finding: retracing
    return tf.stack(frames)


def upwind(speed, ahead, behind):
    flux = tf.TensorArray(tf.float32, size=speed.shape[0])
    for i in range(speed.shape[0]):  # finding: looped-branch
        if speed[i] > 0:
            flux = flux.write(i, speed[i] * behind[i])
        else:
            flux = flux.write(i, speed[i] * ahead[i])
    return flux.stack()


def sample_rows(fields, indices):
    rows = [fields[int(i)] for i in indices.numpy()]  # finding: looped-lookup
    return tf.stack(rows)


def starts(count, side):
    radii = tf.stack([tf.random.uniform([]) for _ in range(count)])  # finding: looped-draw
    grid = tf.linspace(-1.0, 1.0, side)
    distance = tf.sqrt(grid[:, None] ** 2 + grid[None, :] ** 2)
    return tf.cast(distance[None] < radii[:, None, None], tf.float32)


if __name__ == "__main__":
    fields = starts(200, 64)
    u = solve(fields[0], 500) + solve_compiled(fields[1], tf.constant(500))
    print(energies(fields), snapshots(u, 40).shape)
    speed = tf.random.normal([1000])
    print(upwind(speed, tf.roll(speed, 1, 0), tf.roll(speed, -1, 0)).shape)
    print(sample_rows(fields, tf.random.uniform([50], 0, 200, tf.int32)).shape)
