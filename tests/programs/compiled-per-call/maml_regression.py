# requires: tensorflow==2.3.*
"""Model-agnostic meta-learning on sinusoids (Finn et al. 2017), for the reading group.

    python maml_regression.py --iterations 20000 --meta-batch 4
"""
import argparse
import os
import random
import time

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class SinusoidTask:
    def __init__(self, k, amplitude=None, phase=None):
        self.k = k
        self.amplitude = amplitude or np.random.uniform(0.1, 5.0)
        self.phase = phase or np.random.uniform(0, np.pi)

    def sample(self, n=None):
        n = n or self.k
        x = np.random.uniform(-5, 5, n)
        y = self.amplitude * np.sin(x - self.phase)
        return x[:, None].astype(np.float32), y[:, None].astype(np.float32)


def sinusoid_tasks(count, k):
    return [SinusoidTask(k) for _ in range(count)]


class RegressionNet(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden1 = layers.Dense(40, activation="relu", input_shape=(1,))
        self.hidden2 = layers.Dense(40, activation="relu")
        self.out = layers.Dense(1)

    def call(self, x):
        return self.out(self.hidden2(self.hidden1(x)))


def copy_model(model, x):
    copied = RegressionNet()
    copied(x)
    copied.set_weights(model.get_weights())
    return copied


def mse(y, pred):
    return tf.reduce_mean(tf.square(y - pred))


def make_adapt_step(model, optimizer):
    """One step of plain fine-tuning on a task."""

    @tf.function  # finding: compiled-per-call
    def adapt(x, y):
        with tf.GradientTape() as tape:
            loss = mse(y, model(x))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return loss

    return adapt


def evaluate_task(model, task, inner_lr, num_steps=(0, 1, 10)):
    x, y = task.sample()
    x_test, y_test = task.sample(100)
    copied = copy_model(model, x)
    adapt = make_adapt_step(copied, keras.optimizers.SGD(inner_lr))
    results = []
    for step in range(max(num_steps) + 1):
        if step in num_steps:
            results.append((step, float(mse(y_test, copied(x_test)))))
        adapt(x, y)
    return results


def train_maml(model, args):
    optimizer = keras.optimizers.Adam(args.meta_lr)
    x0, _ = SinusoidTask(args.k).sample()
    model(x0)
    losses, started = [], time.time()
    for iteration in range(args.iterations):
        task = random.choice(sinusoid_tasks(args.meta_batch, args.k))
        x, y = task.sample()
        with tf.GradientTape() as test_tape:
            with tf.GradientTape() as train_tape:
                train_loss = mse(y, model(x))
            gradients = train_tape.gradient(train_loss, model.trainable_variables)
            fast = [w - args.inner_lr * g for w, g in zip(model.trainable_variables, gradients)]
            hidden = tf.nn.relu(tf.matmul(x, fast[0]) + fast[1])
            hidden = tf.nn.relu(tf.matmul(hidden, fast[2]) + fast[3])
            test_loss = mse(y, tf.matmul(hidden, fast[4]) + fast[5])
        grads = test_tape.gradient(test_loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        losses.append(float(test_loss))
        if iteration and iteration % args.log_every == 0:
            spent = time.time() - started
            print("%d: loss %.4f, %.1f s" % (iteration, np.mean(losses[-100:]), spent))
            tasks = sinusoid_tasks(args.eval_tasks, args.k)
            curves = [evaluate_task(model, task, args.inner_lr) for task in tasks]
            for index, step in enumerate((0, 1, 10)):
                print("   after %d: %.4f" % (step, np.mean([c[index][1] for c in curves])))
            started = time.time()
    return losses


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=20000)
    parser.add_argument("--meta-batch", type=int, default=4)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--inner-lr", type=float, default=0.01)
    parser.add_argument("--meta-lr", type=float, default=0.001)
    parser.add_argument("--log-every", type=int, default=500)
    parser.add_argument("--eval-tasks", type=int, default=100)
    parser.add_argument("--out", default="runs/maml")
    args = parser.parse_args()
    model = RegressionNet()
    losses = train_maml(model, args)
    os.makedirs(args.out, exist_ok=True)
    np.save(os.path.join(args.out, "losses.npy"), losses)
    model.save_weights(os.path.join(args.out, "weights"))


if __name__ == "__main__":
    main()
