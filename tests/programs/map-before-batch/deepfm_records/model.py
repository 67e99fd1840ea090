import tensorflow as tf


def deepfm(features, labels, mode, params):
    ids = features["ids"]
    values = tf.expand_dims(features["values"], -1)
    first = tf.get_variable("first", [params["feature_size"], 1])
    second = tf.get_variable(
        "second", [params["feature_size"], params["embedding_size"]],
        initializer=tf.glorot_normal_initializer(),
    )
    linear = tf.reduce_sum(tf.nn.embedding_lookup(first, ids) * values, axis=[1, 2])
    embedded = tf.nn.embedding_lookup(second, ids) * values
    summed = tf.square(tf.reduce_sum(embedded, 1))
    squared = tf.reduce_sum(tf.square(embedded), 1)
    fm = 0.5 * tf.reduce_sum(summed - squared, 1)
    net = tf.reshape(embedded, [-1, params["field_size"] * params["embedding_size"]])
    for units in params["layers"]:
        net = tf.layers.dense(net, units, activation=tf.nn.relu)
        if mode == tf.estimator.ModeKeys.TRAIN:
            net = tf.nn.dropout(net, keep_prob=params["keep"])
    deep = tf.squeeze(tf.layers.dense(net, 1), -1)
    logits = linear + fm + deep
    prob = tf.sigmoid(logits)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"prob": prob})
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=labels))
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, eval_metric_ops={"auc": tf.metrics.auc(labels, prob)}
        )
    train_op = tf.train.AdamOptimizer(params["lr"]).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
