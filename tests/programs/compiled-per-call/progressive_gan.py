# requires: tensorflow==2.4.1
"""A GAN for 64 x 64 faces, with a trainer class, callbacks and a classifier beside it."""

import abc
import time

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

LATENT = 128
cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True)


def generator():
    return keras.Sequential(
        [
            layers.Dense(8 * 8 * 256, input_shape=(LATENT,)),
            layers.Reshape((8, 8, 256)),
            layers.Conv2DTranspose(128, 4, 2, "same", activation="relu"),
            layers.Conv2DTranspose(64, 4, 2, "same", activation="relu"),
            layers.Conv2DTranspose(3, 4, 2, "same", activation="tanh"),
        ]
    )


def discriminator():
    return keras.Sequential(
        [
            layers.Conv2D(64, 4, 2, "same", input_shape=(64, 64, 3)),
            layers.LeakyReLU(0.2),
            layers.Conv2D(128, 4, 2, "same"),
            layers.Flatten(),
            layers.Dense(1),
        ]
    )


def make_generator_step(gen, disc, optimizer):
    @tf.function  # finding: compiled-per-call
    def step(noise):
        with tf.GradientTape() as tape:
            logits = disc(gen(noise, training=True), training=True)
            loss = cross_entropy(tf.ones_like(logits), logits)
        optimizer.apply_gradients(
            zip(tape.gradient(loss, gen.trainable_variables), gen.trainable_variables)
        )
        return loss

    return step


def make_discriminator_step(gen, disc, optimizer):
    @tf.function
    def step(images, noise):
        with tf.GradientTape() as tape:
            real, fake = disc(images, training=True), disc(gen(noise), training=True)
            loss = cross_entropy(tf.ones_like(real), real)
            loss += cross_entropy(tf.zeros_like(fake), fake)
        optimizer.apply_gradients(
            zip(tape.gradient(loss, disc.trainable_variables), disc.trainable_variables)
        )
        return loss

    return step


class Loop(abc.ABC):
    def __init__(self, dataset, epochs):
        self.dataset = dataset
        self.epochs = epochs

    @abc.abstractmethod
    def on_step(self, images):
        ...

    def on_epoch(self, epoch, seconds):
        print("epoch %d: %.1f s" % (epoch, seconds))

    def run(self):
        for epoch in range(self.epochs):
            start = time.time()
            for images in self.dataset:
                self.on_step(images)
            self.on_epoch(epoch, time.time() - start)


class GanLoop(Loop):
    def __init__(self, dataset, epochs, gen, disc):
        super().__init__(dataset, epochs)
        self.gen, self.disc = gen, disc
        self.g_opt, self.d_opt = keras.optimizers.Adam(1e-4), keras.optimizers.Adam(1e-4)
        self.train_disc = make_discriminator_step(gen, disc, self.d_opt)
        self.sample = tf.function(gen.call)

    def on_step(self, images):
        noise = tf.random.normal([tf.shape(images)[0], LATENT])
        self.train_disc(images, noise)
        train_gen = make_generator_step(self.gen, self.disc, self.g_opt)
        train_gen(noise)

    def on_epoch(self, epoch, seconds):
        super().on_epoch(epoch, seconds)
        tf.io.write_file(
            "sample.png", tf.io.encode_png(tf.cast(self.sample(tf.zeros([1, LATENT]))[0] * 255, tf.uint8))
        )


class PenaltyLoop(GanLoop):
    def gradient_penalty(self, images):
        with tf.GradientTape() as tape:
            tape.watch(images)
            logits = self.disc(images)
        grads = tape.gradient(logits, images)
        return tf.reduce_mean((tf.norm(tf.reshape(grads, [-1, 64 * 64 * 3]), axis=1) - 1.0) ** 2)

    def on_step(self, images):
        super().on_step(images)
        penalty = tf.function(self.gradient_penalty)  # finding: compiled-per-call
        tf.summary.scalar("penalty", penalty(images), step=self.d_opt.iterations)


class Sharpness(keras.callbacks.Callback):
    """Loss in the neighbourhood of the weights after each batch."""

    def __init__(self, x, y, radius=1e-3):
        super().__init__()
        self.x, self.y, self.radius = x, y, radius

    def on_train_batch_end(self, batch, logs=None):
        @tf.function  # finding: compiled-per-call
        def loss_near():
            moved = [w + tf.random.normal(w.shape) * self.radius for w in self.model.weights[-2:]]
            features = self.model.layers[-2].output_shape[-1]
            hidden = tf.reshape(self.x, [-1, features])
            return tf.reduce_mean(tf.matmul(hidden, moved[0]) + moved[1])

        logs["sharpness"] = float(loss_near())


class Distilled(keras.Model):
    """Compiles its step when it is first asked for it."""

    def __init__(self, net):
        super().__init__()
        self.net = net
        self._fast = None

    def call(self, x, training=False):
        return self.net(x, training=training)

    def fast(self, x):
        if self._fast is None:
            self._fast = tf.function(self.net, experimental_relax_shapes=True)
        return self._fast(x)

    def train_step(self, data):
        images, labels = data

        @tf.function
        def forward(x):
            return self.net(x, training=True)

        with tf.GradientTape() as tape:
            loss = self.compiled_loss(labels, forward(images))
        variables = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return {"loss": loss}


def anneal(disc, iterator, optimizer, steps):
    def clip_step(images):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(disc(images, training=True))
        grads, _ = tf.clip_by_global_norm(tape.gradient(loss, disc.trainable_variables), 1.0)
        optimizer.apply_gradients(zip(grads, disc.trainable_variables))
        return loss

    step = 0
    while step < steps:
        loss = tf.function(clip_step)(next(iterator))  # finding: compiled-per-call
        step += 1
    return loss


def main():
    files = tf.data.Dataset.list_files("faces/*.jpg")
    images = files.map(
        lambda p: tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(p)), [64, 64]) / 127.5 - 1.0,
        num_parallel_calls=tf.data.experimental.AUTOTUNE,
    )
    dataset = images.batch(64, drop_remainder=True).prefetch(2)

    gen, disc = generator(), discriminator()
    compiled = {name: tf.function(net) for name, net in (("gen", gen), ("disc", disc))}
    compiled["disc"](compiled["gen"](tf.zeros([64, LATENT])))
    PenaltyLoop(dataset, 50, gen, disc).run()
    anneal(disc, iter(dataset.repeat()), keras.optimizers.SGD(1e-4), 2000)

    student = Distilled(discriminator())
    student.compile("adam", "mse")
    x, y = tf.random.normal([256, 64, 64, 3]), tf.zeros([256, 1])
    student.fit(x, y, epochs=3, callbacks=[Sharpness(x, y)])
    for part in dataset.take(100):
        print(student.fast(part).shape)


if __name__ == "__main__":
    main()
