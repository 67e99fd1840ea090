"""Progressive growing in TF 2: each stage has its own networks, hence its own traced step."""
import tensorflow as tf
from tensorflow.keras import layers

STAGES = [(4, 20000, 64), (8, 30000, 64), (16, 40000, 32), (32, 60000, 32), (64, 80000, 16)]
Z = 256


def width(res):
    return min(256, 4096 // res)


def build_generator(res):
    z = tf.keras.Input((Z,))
    x = layers.Reshape((4, 4, 256))(layers.Dense(4 * 4 * 256)(z))
    size = 4
    while size < res:
        size *= 2
        x = layers.UpSampling2D()(x)
        x = layers.LeakyReLU(0.2)(layers.Conv2D(width(size), 3, padding="same", name=f"g{size}")(x))
    return tf.keras.Model(z, layers.Conv2D(3, 1, name=f"rgb{res}")(x))


def build_critic(res):
    image = tf.keras.Input((res, res, 3))
    x, size = layers.Conv2D(width(res), 1, name=f"from{res}")(image), res
    while size > 4:
        x = layers.LeakyReLU(0.2)(layers.Conv2D(width(size // 2), 3, padding="same", name=f"d{size}")(x))
        x, size = layers.AveragePooling2D()(x), size // 2
    return tf.keras.Model(image, layers.Dense(1)(layers.Flatten()(x)))


def inherit(new, old):
    if old is None:
        return
    known = {layer.name: layer for layer in old.layers}
    for layer in new.layers:
        if layer.name in known and [w.shape for w in layer.weights] == [w.shape for w in known[layer.name].weights]:
            layer.set_weights(known[layer.name].get_weights())


def make_train_step(gen, critic, batch):
    g_opt, d_opt = tf.keras.optimizers.Adam(1e-3, 0.0), tf.keras.optimizers.Adam(1e-3, 0.0)

    @tf.function
    def step(real):
        z = tf.random.normal([batch, Z])
        with tf.GradientTape() as gt, tf.GradientTape() as dt:
            fake = gen(z, training=True)
            s_fake, s_real = critic(fake, training=True), critic(real, training=True)
            d_loss = tf.reduce_mean(tf.nn.softplus(s_fake)) + tf.reduce_mean(tf.nn.softplus(-s_real))
            g_loss = tf.reduce_mean(tf.nn.softplus(-s_fake))
        g_opt.apply_gradients(zip(gt.gradient(g_loss, gen.trainable_variables), gen.trainable_variables))
        d_opt.apply_gradients(zip(dt.gradient(d_loss, critic.trainable_variables), critic.trainable_variables))
        return g_loss, d_loss

    return step


def images(res, batch):
    def read(path):
        img = tf.image.decode_jpeg(tf.io.read_file(path), channels=3)
        return tf.image.resize(tf.cast(img, tf.float32) / 127.5 - 1.0, [res, res], antialias=True)

    ds = tf.data.Dataset.list_files("celeba/*.jpg").map(read, tf.data.AUTOTUNE)
    return ds.cache(f"cache_{res}").shuffle(4096).repeat().batch(batch, drop_remainder=True).prefetch(2)


def main():
    gen = critic = None
    for res, steps, batch in STAGES:
        new_gen, new_critic = build_generator(res), build_critic(res)
        inherit(new_gen, gen)
        inherit(new_critic, critic)
        gen, critic = new_gen, new_critic
        step = make_train_step(gen, critic, batch)
        for i, real in enumerate(images(res, batch).take(steps)):
            g, d = step(real)
            if i % 500 == 0:
                tf.print(res, i, g, d)
        gen.save(f"gen_{res}")


if __name__ == "__main__":
    main()
