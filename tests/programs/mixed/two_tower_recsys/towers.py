import tensorflow as tf


class Tower(tf.keras.Model):
    def __init__(self, n, dim):
        super().__init__()
        self.emb = tf.keras.layers.Embedding(n, dim)
        self.mlp = tf.keras.Sequential([tf.keras.layers.Dense(256, "relu"), tf.keras.layers.Dense(dim)])

    def call(self, x):
        return tf.math.l2_normalize(self.mlp(self.emb(x)), -1)


class UserTower(Tower):
    def __init__(self, n, n_items, dim):
        super().__init__(n, dim)
        self.hist = tf.keras.layers.Embedding(n_items, dim, mask_zero=True)

    def call(self, x):
        user, hist = x
        m = tf.cast(hist > 0, tf.float32)[..., None]
        pooled = tf.reduce_sum(self.hist(hist) * m, 1) / (tf.reduce_sum(m, 1) + 1e-6)
        return tf.math.l2_normalize(self.mlp(tf.concat([self.emb(user), pooled], -1)), -1)


class TwoTower(tf.keras.Model):
    def __init__(self, n_user, n_item, dim=64):
        super().__init__()
        self.n_item = n_item
        self.query = UserTower(n_user, n_item, dim)
        self.cand = Tower(n_item, dim)

    def catalogue(self, chunk=8192):
        out = []
        for lo in range(0, self.n_item, chunk):
            out.append(self.cand(tf.range(lo, min(lo + chunk, self.n_item))))
        return tf.concat(out, 0)

    def train_step(self, row):
        with tf.GradientTape() as tape:
            s = 20.0 * tf.matmul(self.query((row["user"], row["hist"])), self.cand(row["item"]), transpose_b=True)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(tf.range(tf.shape(s)[0]), s))
        g = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(g, self.trainable_variables))
        return {"loss": loss}
