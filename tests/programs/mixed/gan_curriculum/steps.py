import tensorflow as tf

bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)


class Stepper:
    def __init__(self, generator, critic, latent=128):
        self.generator = generator
        self.critic = critic
        self.latent = latent
        self.g_opt = tf.keras.optimizers.Adam(2e-4, beta_1=0.5)
        self.c_opt = tf.keras.optimizers.Adam(2e-4, beta_1=0.5)

    @tf.function
    def critic_step(self, real, noise_level):
        z = tf.random.normal((tf.shape(real)[0], self.latent))
        with tf.GradientTape() as tape:
            fake = self.generator(z, training=True)
            blurred = real + noise_level * tf.random.normal(tf.shape(real))
            scores_real = self.critic(blurred, training=True)
            scores_fake = self.critic(fake, training=True)
            loss = bce(tf.ones_like(scores_real), scores_real) + bce(
                tf.zeros_like(scores_fake), scores_fake
            )
        weights = self.critic.trainable_variables
        self.c_opt.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return loss

    @tf.function(reduce_retracing=True)
    def generator_step(self, size):
        z = tf.random.normal((size, self.latent))
        with tf.GradientTape() as tape:
            scores = self.critic(self.generator(z, training=True), training=True)
            loss = bce(tf.ones_like(scores), scores)
        weights = self.generator.trainable_variables
        self.g_opt.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return loss

    @tf.function
    def blend(self, old, new, alpha):
        return alpha * new + (1.0 - alpha) * old
