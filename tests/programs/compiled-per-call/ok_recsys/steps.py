"""Compiled steps, made by factories that a trainer calls once."""
import tensorflow as tf


def make_train_step(model, optimizer, loss_fn, clip_norm):
    @tf.function
    def step(features, labels):
        with tf.GradientTape() as tape:
            logits = model(features, training=True)
            loss = loss_fn(labels, logits)
        grads = tape.gradient(loss, model.trainable_variables)
        grads, norm = tf.clip_by_global_norm(grads, clip_norm)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return loss, norm

    return step


def make_eval_step(model, metrics):
    def step(features, labels):
        logits = model(features, training=False)
        for metric in metrics:
            metric.update_state(labels, logits)

    return tf.function(step, experimental_relax_shapes=True)
