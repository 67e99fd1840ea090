import tensorflow as tf
from losses.focal import focal


class FocalTest(tf.test.TestCase):
    def test_more_focus_means_less_loss(self):
        previous = float("inf")
        for gamma in range(20):
            loss = focal(tf.constant([0.3]), tf.constant([1.0]), gamma)
            with tf.Session() as sess:
                value = sess.run(loss)
            assert value < previous
            previous = value

    def test_loss_is_positive(self):
        with self.session() as sess:
            assert sess.run(focal(tf.constant([0.3]), tf.constant([1.0]), 2.0)) > 0
