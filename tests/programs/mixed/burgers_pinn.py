# requires: tensorflow==2.11.0
"""Physics-informed network for the viscous Burgers equation."""
import logging
import math

import numpy as np
import tensorflow as tf

log = logging.getLogger("pinn")
NU = 0.01 / math.pi
GRID = tf.reshape(tf.linspace(-1.0, 1.0, 512), (-1, 1))


class Mlp(tf.Module):
    def __init__(self, widths=(2, 40, 40, 40, 40, 1), name=None):
        super().__init__(name)
        init = tf.keras.initializers.GlorotNormal(7)
        self.w = [tf.Variable(init((a, b))) for a, b in zip(widths, widths[1:])]
        self.b = [tf.Variable(tf.zeros([b])) for b in widths[1:]]

    def __call__(self, x, t):
        h = tf.concat([x, t], 1)
        for w, b in zip(self.w[:-1], self.b[:-1]):
            h = tf.tanh(h @ w + b)
        return h @ self.w[-1] + self.b[-1]


def residual(net, x, t):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch([x, t])
            u = net(x, t)
        ux, ut = inner.gradient(u, x), inner.gradient(u, t)
    return ut + u * ux - NU * outer.gradient(ux, x)


class Pinn:
    def __init__(self, points=10000):
        rng = np.random.default_rng(0)
        f32 = lambda a: tf.constant(a, tf.float32)
        self.net = Mlp()
        self.xr, self.tr = f32(rng.uniform(-1, 1, (points, 1))), f32(rng.uniform(0, 1, (points, 1)))
        self.x0 = f32(rng.uniform(-1, 1, (400, 1)))
        self.u0 = -tf.sin(math.pi * self.x0)
        self.tb = f32(rng.uniform(0, 1, (400, 1)))
        self.opts = {"adam": tf.keras.optimizers.Adam(1e-3), "sgd": tf.keras.optimizers.SGD(1e-4, 0.9)}
        for o in self.opts.values():
            o.build(self.net.trainable_variables)
        self.callbacks = []
        self.measure = tf.function(self.loss)

    def loss(self):
        r = tf.reduce_mean(residual(self.net, self.xr, self.tr) ** 2)
        i = tf.reduce_mean((self.net(self.x0, tf.zeros_like(self.x0)) - self.u0) ** 2)
        e = tf.reduce_mean(self.net(tf.ones_like(self.tb), self.tb) ** 2)
        e += tf.reduce_mean(self.net(-tf.ones_like(self.tb), self.tb) ** 2)
        return r + i + e

    def mover(self, kind):
        opt, params = self.opts[kind], self.net.trainable_variables

        def move():
            with tf.GradientTape() as tape:
                loss = self.loss()
            opt.apply_gradients(zip(tape.gradient(loss, params), params))
            return loss

        return tf.function(move, jit_compile=False)  # finding: compiled-per-call

    def advance(self, it, switch):
        return self.mover("adam" if it < switch else "sgd")()

    def train(self, total, switch):
        it = 0
        while it < total:
            loss = self.advance(it, switch)
            for every, cb in self.callbacks:
                if it % every == 0:
                    cb(self, it, loss)
            it += 1
        return float(self.measure())


def snapshot(pinn, it, loss):
    @tf.function  # finding: compiled-per-call
    def worst(t):
        return tf.reduce_max(tf.abs(residual(pinn.net, GRID, tf.fill(tf.shape(GRID), t))))

    log.info("%d loss %.3e worst %s", it, loss, [float(worst(tf.constant(t))) for t in (0.25, 0.5, 0.75)])


def main():
    logging.basicConfig(level=logging.INFO)
    pinn = Pinn()
    pinn.callbacks.append((25, snapshot))
    log.info("final %.3e", pinn.train(12000, 9000))
    tf.train.Checkpoint(net=pinn.net).save("burgers")


if __name__ == "__main__":
    main()
