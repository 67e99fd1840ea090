import tensorflow as tf


def columns(carriers):
    carrier = tf.feature_column.categorical_column_with_vocabulary_list("carrier", carriers)
    weekday = tf.feature_column.categorical_column_with_identity("weekday", 7)
    return [
        tf.feature_column.numeric_column("distance"),
        tf.feature_column.numeric_column("weight"),
        tf.feature_column.embedding_column(carrier, 8),
        tf.feature_column.indicator_column(weekday),
    ]


def model_fn(features, labels, mode, params):
    net = tf.feature_column.input_layer(features, params["columns"])
    for units in params["hidden"]:
        net = tf.layers.dense(net, units, activation=tf.nn.relu)
        net = tf.layers.dropout(net, 0.2, training=mode == tf.estimator.ModeKeys.TRAIN)
    delay = tf.squeeze(tf.layers.dense(net, 1), axis=1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"delay": delay})
    loss = tf.losses.absolute_difference(labels, delay)
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {"rmse": tf.metrics.root_mean_squared_error(labels, delay)}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.AdagradOptimizer(params["rate"]).minimize(loss, global_step=step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
