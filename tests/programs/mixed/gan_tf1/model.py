import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def generator(z, reuse=False):
    with tf.variable_scope("gen", reuse=reuse):
        h = tf.layers.dense(z, 128, activation=tf.nn.relu)  # finding: graph-growth
        return tf.layers.dense(h, 784, activation=tf.nn.sigmoid)  # finding: graph-growth


def discriminator(x, reuse=False):
    with tf.variable_scope("disc", reuse=reuse):
        h = tf.layers.dense(x, 128, activation=tf.nn.leaky_relu)
        return tf.layers.dense(h, 1)


class Gan(object):
    def __init__(self, batch_size, z_dim=64):
        self.batch_size, self.z_dim = batch_size, z_dim
        self.x = tf.placeholder(tf.float32, [None, 784])
        self.z = tf.placeholder(tf.float32, [None, z_dim])
        self.fake = generator(self.z)
        real_logit = discriminator(self.x)
        fake_logit = discriminator(self.fake, reuse=True)
        ce = tf.nn.sigmoid_cross_entropy_with_logits
        self.d_loss = tf.reduce_mean(ce(labels=tf.ones_like(real_logit), logits=real_logit)) + tf.reduce_mean(
            ce(labels=tf.zeros_like(fake_logit), logits=fake_logit)
        )
        self.g_loss = tf.reduce_mean(ce(labels=tf.ones_like(fake_logit), logits=fake_logit))
        names = tf.trainable_variables()
        self.d_vars = [v for v in names if v.name.startswith("disc")]
        self.g_vars = [v for v in names if v.name.startswith("gen")]
        self.d_step = tf.train.AdamOptimizer(2e-4).minimize(self.d_loss, var_list=self.d_vars)
        self.g_step = tf.train.AdamOptimizer(2e-4).minimize(self.g_loss, var_list=self.g_vars)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def clip_weights(self, bound):
        for v in self.d_vars:
            self.sess.run(v.assign(tf.clip_by_value(v, -bound, bound)))  # finding: graph-growth

    def sample(self, count):
        noise = tf.random_normal([count, self.z_dim])  # finding: graph-growth
        images = generator(noise, reuse=True)
        return self.sess.run(images)

    def sample_fed(self, noise):
        return self.sess.run(self.fake, {self.z: noise})

    def restore_weights(self, values):
        for variable, value in zip(self.d_vars + self.g_vars, values):
            variable.load(value, self.sess)
