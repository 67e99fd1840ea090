import tensorflow as tf
from tensorflow.keras import layers

from steps import Stepper

BATCH = 64


def make_generator(latent=128):
    return tf.keras.Sequential([
        layers.Input((latent,)),
        layers.Dense(4 * 4 * 256),
        layers.Reshape((4, 4, 256)),
        layers.Conv2DTranspose(128, 4, 2, "same", activation="relu"),
        layers.Conv2DTranspose(64, 4, 2, "same", activation="relu"),
        layers.Conv2DTranspose(3, 4, 2, "same", activation="tanh"),
    ])


def make_critic():
    return tf.keras.Sequential([
        layers.Input((32, 32, 3)),
        layers.Conv2D(64, 4, 2, "same", activation=tf.nn.leaky_relu),
        layers.Conv2D(128, 4, 2, "same", activation=tf.nn.leaky_relu),
        layers.Flatten(),
        layers.Dense(1),
    ])


def data():
    (images, _), _ = tf.keras.datasets.cifar10.load_data()
    images = images.astype("float32") / 127.5 - 1.0
    held = tf.data.Dataset.from_tensor_slices(images).shuffle(10_000)
    return held.batch(BATCH, drop_remainder=True).prefetch(2)


def main():
    stepper = Stepper(make_generator(), make_critic())
    batches = data()
    step = 0
    previous = next(iter(batches))
    for epoch in range(50):
        for real in batches:
            noise = max(0.0, 0.3 * (1.0 - step / 20_000))
            c_loss = stepper.critic_step(real, noise)  # finding: retracing
            g_loss = stepper.generator_step(BATCH)
            mixture = stepper.blend(previous, real, tf.constant(0.5))
            previous = real
            step += 1
        tf.print(epoch, c_loss, g_loss, tf.reduce_mean(mixture))


if __name__ == "__main__":
    main()
