"""Distil a large Keras image classifier into a mobile one."""
import argparse

import keras
import tensorflow as tf


class Distiller:
    def __init__(self, teacher, student, temperature=4.0, alpha=0.7, lr=1e-3):
        self.teacher = teacher
        self.teacher.trainable = False
        self.student = student
        self.t = temperature
        self.alpha = alpha
        self.opt = keras.optimizers.SGD(lr, momentum=0.9, nesterov=True)
        self.opt.build(student.trainable_variables)
        self.loss = keras.metrics.Mean()
        self.acc = keras.metrics.SparseCategoricalAccuracy()

    def learn(self, images, labels):
        @tf.function
        def step(x, y):
            soft = tf.nn.softmax(self.teacher(x, training=False) / self.t)
            with tf.GradientTape() as tape:
                logits = self.student(x, training=True)
                hard = keras.losses.sparse_categorical_crossentropy(y, logits, from_logits=True)
                kd = keras.losses.kl_divergence(soft, tf.nn.softmax(logits / self.t))
                loss = tf.reduce_mean((1 - self.alpha) * hard + self.alpha * self.t**2 * kd)
            variables = self.student.trainable_variables
            self.opt.apply_gradients(zip(tape.gradient(loss, variables), variables))
            self.loss.update_state(loss)
            self.acc.update_state(y, logits)

        step(images, labels)

    def run(self, train, epochs):
        for epoch in range(epochs):
            self.loss.reset_state()
            self.acc.reset_state()
            for images, labels in train:
                self.learn(images, labels)
            print(f"epoch {epoch}: loss {self.loss.result():.4f} acc {self.acc.result():.4f}")


def dataset(path, size, batch):
    ds = keras.utils.image_dataset_from_directory(path, image_size=(size, size), batch_size=batch)
    return ds.prefetch(tf.data.AUTOTUNE)


def student_network(size, classes):
    base = keras.applications.MobileNetV3Small(
        input_shape=(size, size, 3), weights=None, classes=classes, classifier_activation=None
    )
    return base


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("data")
    ap.add_argument("teacher")
    ap.add_argument("--size", type=int, default=224)
    ap.add_argument("--batch-size", type=int, default=128)
    ap.add_argument("--epochs", type=int, default=40)
    args = ap.parse_args()

    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    teacher = keras.models.load_model(args.teacher)
    student = student_network(args.size, teacher.output_shape[-1])
    train = dataset(args.data, args.size, args.batch_size)
    Distiller(teacher, student).run(train, args.epochs)
    student.save("student.keras")


if __name__ == "__main__":
    main()
