import tensorflow as tf


def token_accuracy(sess, model, batch):
    predicted = tf.argmax(model.logits, -1, output_type=tf.int32)  # finding: graph-growth
    right = tf.cast(tf.equal(predicted, model.tgt), tf.float32)  # finding: graph-growth
    mask = tf.sequence_mask(model.tgt_len, dtype=tf.float32)  # finding: graph-growth
    accuracy = tf.reduce_sum(right * mask) / tf.reduce_sum(mask)  # finding: graph-growth
    return sess.run(accuracy, model.feed(batch))


def log_scalar(writer, name, value, step):
    summary = tf.Summary(value=[tf.Summary.Value(tag=name, simple_value=value)])
    writer.add_summary(summary, step)
