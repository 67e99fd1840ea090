# requires: tensorflow==2.14
import time

import numpy as np
import tensorflow as tf


class HeatNet(tf.keras.Model):
    def __init__(self, width=40, depth=5):
        super().__init__()
        self.hidden = [tf.keras.layers.Dense(width, activation="tanh") for _ in range(depth)]
        self.out = tf.keras.layers.Dense(1)

    def call(self, xt):
        for layer in self.hidden:
            xt = layer(xt)
        return self.out(xt)


class Solver:
    def __init__(self, model, conductivity):
        self.model = model
        self.k = conductivity
        self.optimizer = tf.keras.optimizers.Adam(1e-3)
        self.losses = []

    def residual(self, x, t):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape(persistent=True) as inner:
                inner.watch([x, t])
                u = self.model(tf.concat([x, t], 1))
            u_x = inner.gradient(u, x)
            u_t = inner.gradient(u, t)
        return u_t - self.k * outer.gradient(u_x, x)

    def step(self, inside, start, edge):
        with tf.GradientTape() as tape:
            pde = tf.reduce_mean(tf.square(self.residual(*inside)))
            u0 = self.model(tf.concat(start[:2], 1))
            initial = tf.reduce_mean(tf.square(u0 - start[2]))
            border = tf.reduce_mean(tf.square(self.model(tf.concat(edge, 1))))
            loss = pde + 10.0 * initial + border
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        return loss

    def solve(self, points, iterations):
        inside, start, edge = points
        began = time.time()
        for i in range(iterations):  # finding: eager-loop
            loss = self.step(inside, start, edge)
            if i % 100 == 0:
                self.losses.append(float(loss))
                print(f"{i:6d} {self.losses[-1]:.3e} {time.time() - began:.1f}s")


class CompiledSolver(Solver):
    @tf.function
    def compiled(self, inside, start, edge):
        return self.step(inside, start, edge)

    def solve(self, points, iterations):
        for i in range(iterations):
            loss = self.compiled(*points)
            if i % 500 == 0:
                self.losses.append(float(loss))


def sample(n=10_000):
    rng = np.random.default_rng(0)
    column = lambda a: tf.constant(a.reshape(-1, 1), tf.float32)
    inside = column(rng.uniform(0, 1, n)), column(rng.uniform(0, 1, n))
    x0 = rng.uniform(0, 1, 500)
    start = column(x0), column(np.zeros(500)), column(np.sin(np.pi * x0))
    edge = column(rng.integers(0, 2, 500).astype(float)), column(rng.uniform(0, 1, 500))
    return inside, start, edge


def finite_differences(cells=200, steps=20_000, k=0.1):
    """A reference solution: explicit steps, each of which needs the last."""
    u = np.sin(np.pi * np.linspace(0, 1, cells))
    ratio = k * (1 / steps) / (1 / cells) ** 2
    for _ in range(steps):
        u[1:-1] += ratio * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def surface(model, n=101):
    """Predictions on a grid of points in space and time, for the plot."""
    values = np.zeros((n, n))
    for i, x in enumerate(np.linspace(0, 1, n)):
        for j, t in enumerate(np.linspace(0, 1, n)):
            values[i, j] = model(np.array([[x, t]], "float32")).numpy()[0, 0]  # finding: predict-per-item
    return values


if __name__ == "__main__":
    network = HeatNet()
    solver = Solver(network, 0.1)
    solver.solve(sample(), 20_000)
    fast = CompiledSolver(HeatNet(), 0.1)
    fast.solve(sample(), 20_000)
    print(np.abs(surface(network)[:, -1] - finite_differences()[::2][:101]).max())
