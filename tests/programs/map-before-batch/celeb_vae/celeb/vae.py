import tensorflow as tf
from tensorflow.keras import layers


class VAE(tf.keras.Model):
    def __init__(self, latent=64, channels=3, beta=1.0):
        super().__init__()
        self.beta = beta
        self.encoder = tf.keras.Sequential(
            [layers.Conv2D(f, 4, strides=2, padding="same", activation="relu") for f in (32, 64, 128)]
            + [layers.Flatten(), layers.Dense(2 * latent)]
        )
        self.decoder = tf.keras.Sequential(
            [layers.Dense(8 * 8 * 128, activation="relu"), layers.Reshape((8, 8, 128))]
            + [
                layers.Conv2DTranspose(f, 4, strides=2, padding="same", activation="relu")
                for f in (64, 32)
            ]
            + [layers.Conv2DTranspose(channels, 4, strides=2, padding="same")]
        )

    def train_step(self, images):
        with tf.GradientTape() as tape:
            mean, logvar = tf.split(self.encoder(images), 2, axis=1)
            z = mean + tf.exp(0.5 * logvar) * tf.random.normal(tf.shape(mean))
            restored = self.decoder(z)
            error = tf.reduce_sum(tf.square(images - restored), axis=[1, 2, 3])
            kl = -0.5 * tf.reduce_sum(1 + logvar - mean**2 - tf.exp(logvar), axis=1)
            loss = tf.reduce_mean(error + self.beta * kl)
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"loss": loss}
