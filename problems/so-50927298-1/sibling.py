"""Writers are recognised by their hand, with a training loop of our own."""

import tensorflow as tf
from sibling_pages import handwriting


class WriterNet(tf.Module):
    def __init__(self):
        super().__init__()
        self.weights = tf.Variable(tf.random.stateless_normal([1200, 7], [1, 1]) * 0.01)

    @tf.function
    def learn(self, pages, writers):
        with tf.GradientTape() as tape:
            logits = tf.reshape(pages, [-1, 1200]) @ self.weights
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=writers, logits=logits)
            )
        self.weights.assign_sub(0.1 * tape.gradient(loss, self.weights))
        return loss


class Course:
    def __init__(self, net, lessons):
        self.net = net
        self.lessons = lessons

    def run(self, epochs):
        for _ in range(epochs):
            for pages, writers in self.lessons:
                last = self.net.learn(pages, writers)
        return float(last)


def main():
    tf.random.set_seed(3)
    return Course(WriterNet(), handwriting(28)).run(epochs=2)


if __name__ == "__main__":
    print(main())
