# requires: tensorflow==2.14.0
"""Progressive resizing, written straight into the loop."""
import tensorflow as tf

model = tf.keras.applications.EfficientNetB0(weights=None, classes=20)
optimizer = tf.keras.optimizers.SGD(0.05, momentum=0.9)
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy()
dataset = tf.data.Dataset.load("plants").batch(32)

for epoch in range(90):

    @tf.function  # finding: compiled-per-call
    def train_step(images, labels):
        with tf.GradientTape() as tape:
            loss = loss_fn(labels, model(images, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    total = 0.0
    for images, labels in dataset:
        total += train_step(images, labels)
    print(epoch, float(total))
