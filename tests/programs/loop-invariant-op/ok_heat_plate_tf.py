# requires: tensorflow>=2.10
import tensorflow as tf


class Plate:
    def __init__(self, n, alpha):
        self.n, self.alpha = n, alpha

    def laplace_matrix(self):
        main = tf.linalg.diag(tf.fill([self.n], -2.0))
        upper = tf.linalg.diag(tf.ones([self.n - 1]), k=1)
        return main + upper + tf.transpose(upper)


def implicit_steps(plate, heat, dt, steps):
    for _ in range(steps):
        system = tf.eye(plate.n) - dt * plate.alpha * plate.laplace_matrix()
        heat = tf.linalg.solve(system, heat)
    return heat


def adaptive_steps(plate, heat, dt, until):
    lap = plate.laplace_matrix()
    t = 0.0
    while t < until:
        heat = tf.linalg.solve(tf.eye(plate.n) - dt * plate.alpha * lap, heat)
        t += dt
        dt *= 1.01
    return heat


def ensemble(plate, members, dt):
    return [implicit_steps(plate, member, dt, 1000) for member in members]
