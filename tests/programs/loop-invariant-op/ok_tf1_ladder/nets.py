import tensorflow as tf


def dense(x, units, name, act=tf.nn.relu):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [x.shape[1].value, units])
        b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
        return act(tf.matmul(x, w) + b) if act else tf.matmul(x, w) + b


def tower(x, scale, cfg):
    freqs = tf.exp(tf.linspace(0.0, cfg.max_log_freq, cfg.n_freqs))
    angles = x[:, :1] * freqs[None, :] * scale
    h = tf.concat([x, tf.sin(angles), tf.cos(angles)], axis=1)
    for i, units in enumerate(cfg.hidden):
        h = dense(h, units, "fc%d" % i)
    return dense(h, cfg.classes, "logits", act=None)


def multi_tower_loss(x, y, cfg):
    losses, grads = [], []
    onehot = tf.one_hot(y, cfg.classes)
    smooth = onehot * (1 - cfg.smoothing) + cfg.smoothing / cfg.classes
    for i in range(cfg.towers):
        with tf.variable_scope("tower%d" % i):
            weights = tf.nn.softmax(tf.range(cfg.classes, dtype=tf.float32) * 0.1)
            logits = tower(x, 2.0 ** i, cfg)
            xent = -tf.reduce_sum(weights * smooth * tf.nn.log_softmax(logits), axis=1)
            losses.append(tf.reduce_mean(xent))
    return tf.add_n(losses) / cfg.towers
