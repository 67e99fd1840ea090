import time

import tensorflow as tf

import steps


def scheduled(model, optimizer, ds, epochs):
    schedule = steps.Schedule(1e-3, 1000)
    count = 0
    for epoch in range(epochs):
        for x, y in ds:
            count += 1
            loss = steps.train_step(model, optimizer, x, y, schedule(count))  # finding: retracing
        tf.print(epoch, loss)


def scheduled_tensor(model, optimizer, ds, epochs):
    schedule = steps.Schedule(1e-3, 1000)
    count = 0
    for epoch in range(epochs):
        for x, y in ds:
            count += 1
            rate = tf.constant(schedule(count), tf.float32)
            loss = steps.train_step(model, optimizer, x, y, rate)
        tf.print(epoch, loss)


def eager(model, optimizer, ds, epochs):
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    for epoch in range(epochs):
        started = time.time()
        for x, y in ds:  # finding: eager-loop
            with tf.GradientTape() as tape:
                loss = loss_of(y, model(x, training=True))
            grads = tape.gradient(loss, model.trainable_variables)
            grads, _ = tf.clip_by_global_norm(grads, 1.0)
            optimizer.apply_gradients(zip(grads, model.trainable_variables))
        print(epoch, float(loss), time.time() - started)


def progressive(model, ds, rounds):
    for r in range(rounds):
        optimizer = tf.keras.optimizers.SGD(0.1 / (r + 1))
        step = steps.make_step(model, optimizer)
        for x, y in ds:
            step(x, y)


def once(model, ds, epochs):
    step = steps.make_step(model, tf.keras.optimizers.Adam())
    for _ in range(epochs):
        for x, y in ds:
            step(x, y)


def both_modes(model, ds):
    for x, _ in ds:
        steps.stepped(model, x, training=True)
        steps.stepped(model, x, training=False)


def accuracy(model, ds):
    return sum(float(steps.eval_step(model, x, y)) for x, y in ds) / len(ds)


def mixup(ds, alpha):
    gamma = tf.random.gamma((), alpha)
    return ds.map(lambda x, y: (gamma * x + (1 - gamma) * tf.reverse(x, [0]), y), num_parallel_calls=tf.data.AUTOTUNE)


class Trainer:
    def __init__(self, model, on_epoch=()):
        self.model = model
        self.on_epoch = list(on_epoch)
        self._step = None

    def compile(self, optimizer):
        self._step = steps.make_step(self.model, optimizer)

    def fit(self, ds, epochs):
        for epoch in range(epochs):
            losses = [self._step(x, y) for x, y in ds]
            for hook in self.on_epoch:
                hook(epoch, tf.add_n(losses) / len(losses))

    def score(self, rows):
        forward = tf.function(lambda x: tf.nn.softmax(self.model(x)))  # finding: compiled-per-call
        return [forward(row) for row in rows]

    def serve(self, stream):
        for rows in stream:
            yield self.score(rows)


def ensemble_weights(models, x, y):
    scale = []
    for model in models:
        target = tf.one_hot(y, 10)
        scale.append(tf.reduce_mean(tf.square(model(x) - target)))
    return tf.stack(scale)
