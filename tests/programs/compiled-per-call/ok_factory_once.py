# requires: tensorflow==2.15.0
import tensorflow as tf


def make_train_step(model, optimizer, loss_fn):
    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    return train_step


def fit(model, dataset, epochs):
    step = make_train_step(
        model, tf.keras.optimizers.Adam(), tf.keras.losses.MeanSquaredError()
    )
    evaluate = tf.function(lambda x: model(x, training=False))
    for epoch in range(epochs):
        for x, y in dataset:
            loss = step(x, y)
        error = tf.keras.metrics.MeanAbsoluteError()
        for x, y in dataset:
            error.update_state(y, evaluate(x))
        print(epoch, float(loss), float(error.result()))


def main():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    fit(model, tf.data.Dataset.load("rows").batch(64), epochs=50)


if __name__ == "__main__":
    main()
