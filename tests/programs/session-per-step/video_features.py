# requires: tensorflow==1.12.*
"""Inception features of every tenth frame of each video, for the captioning model (MSVD).

python video_features.py --videos YouTubeClips --graph classify_image_graph_def.pb --out feats
"""
from __future__ import print_function

import glob
import os

import cv2
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string('videos', 'YouTubeClips', 'folder of .avi files')
flags.DEFINE_string('graph', 'classify_image_graph_def.pb', 'frozen Inception v3')
flags.DEFINE_string('out', 'feats', 'where to write')
flags.DEFINE_integer('every', 10, 'take every n-th frame')
flags.DEFINE_integer('batch', 16, 'frames a batch')
FLAGS = flags.FLAGS


def create_graph():
    with tf.gfile.FastGFile(FLAGS.graph, 'rb') as f:
        graph_def = tf.GraphDef()
        graph_def.ParseFromString(f.read())
        tf.import_graph_def(graph_def, name='')


def frames(path):
    video = cv2.VideoCapture(path)
    index = 0
    while True:
        ok, frame = video.read()
        if not ok:
            break
        if index % FLAGS.every == 0:
            yield cv2.resize(frame, (299, 299))[:, :, ::-1]
        index += 1
    video.release()


def frame_features(frame):
    with tf.Session() as sess:  # finding: session-per-step
        pool = sess.graph.get_tensor_by_name('pool_3:0')
        return np.squeeze(sess.run(pool, {'Cast:0': frame[None]}))


def video_features(path):
    for frame in frames(path):
        yield frame_features(frame)


def is_done(path):
    return os.path.exists(target(path))


def target(path):
    name = os.path.splitext(os.path.basename(path))[0]
    return os.path.join(FLAGS.out, name + '.npy')


def mean_pool(features, length=80):
    if len(features) > length:
        index = np.linspace(0, len(features) - 1, length).astype(int)
        features = features[index]
    padded = np.zeros((length, 2048), np.float32)
    padded[:len(features)] = features
    return padded


def main(_):
    tf.gfile.MakeDirs(FLAGS.out)
    create_graph()
    todo = [v for v in sorted(glob.glob(os.path.join(FLAGS.videos, '*.avi'))) if not is_done(v)]
    print(len(todo), 'videos')
    for i, video in enumerate(todo):
        features = np.array(list(video_features(video)))
        if not len(features):
            print('cannot read', video)
            continue
        np.save(target(video), mean_pool(features))
        print('%d/%d %s %s' % (i + 1, len(todo), video, features.shape))


if __name__ == '__main__':
    tf.app.run()
