import numpy as np
import tensorflow as tf


def psnr(sess, truth, guess):
    return float(tf.image.psnr(truth, guess, max_val=1.0).eval(session=sess))  # finding: graph-growth


def ssim(sess, truth, guess):
    truth = tf.constant(truth[None])  # finding: graph-growth
    guess = tf.constant(guess[None])
    return float(sess.run(tf.image.ssim(truth, guess, max_val=1.0))[0])


def mae(sess, truth, guess):
    return float(np.abs(truth - guess).mean())


METRICS = {"psnr": psnr, "ssim": ssim, "mae": mae}
