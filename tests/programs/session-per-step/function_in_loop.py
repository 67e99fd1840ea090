# requires: tensorflow==1.14.0
import cv2
import numpy as np
import tensorflow as tf

graph = tf.Graph()
with graph.as_default():
    image = tf.placeholder(tf.float32, [None, 64, 64, 3], name="image")
    pooled = tf.reduce_mean(image, axis=[1, 2])
    gender = tf.layers.dense(pooled, 2, name="gender")
    saver = tf.train.Saver()


def predict(face):
    with graph.as_default():
        sess = tf.Session()  # finding: session-per-step
        saver.restore(sess, "models/gender.ckpt")
        scores = sess.run(gender, feed_dict={image: face[np.newaxis]})
        sess.close()
    return "female" if scores[0, 0] > scores[0, 1] else "male"


def annotate(video):
    capture = cv2.VideoCapture(video)
    labels = []
    while True:
        grabbed, frame = capture.read()
        if not grabbed:
            break
        labels.append(predict(cv2.resize(frame, (64, 64))))
    return labels


if __name__ == "__main__":
    print(annotate("street.avi"))
