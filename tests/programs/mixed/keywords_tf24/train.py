import sys
from pathlib import Path

import tensorflow as tf

from features import KeywordData, MelConfig

WORDS = ["yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go"]


def build(classes):
    return tf.keras.Sequential(
        [
            tf.keras.layers.Input((None, 64)),
            tf.keras.layers.Conv1D(96, 9, activation="relu"),
            tf.keras.layers.Bidirectional(tf.keras.layers.GRU(128)),
            tf.keras.layers.Dense(classes),
        ]
    )


class Distiller:
    def __init__(self, teacher, student, temperature=3.0):
        self.teacher = teacher
        self.student = student
        self.temperature = temperature
        self.optimizer = tf.keras.optimizers.Adam(1e-3)

    @tf.function
    def step(self, mel, label):
        soft = tf.nn.softmax(self.teacher(mel, training=False) / self.temperature)
        with tf.GradientTape() as tape:
            logits = self.student(mel, training=True)
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(soft, logits / self.temperature))
        grads = tape.gradient(loss, self.student.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.student.trainable_variables))
        return loss

    def validate(self, data):
        hits = total = 0
        for mel, label in data:
            predict = tf.function(self.student)  # finding: compiled-per-call
            guess = tf.argmax(predict(mel), -1, output_type=label.dtype)
            hits += int(tf.reduce_sum(tf.cast(guess == label, tf.int32)))
            total += int(label.shape[0])
        return hits / max(total, 1)


def main(root, epochs):
    data = KeywordData(Path(root), WORDS, MelConfig())
    teacher = tf.keras.models.load_model("teacher")
    distiller = Distiller(teacher, build(len(WORDS)))
    train, valid = data.train(), data.valid()
    for epoch in range(epochs):
        for mel, label in train:
            loss = distiller.step(mel, label)
        print(epoch, float(loss), distiller.validate(valid))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 30)
