#!/usr/bin/env python
# -*- coding: utf-8 -*-
import math
import os
import sys
import time

import tensorflow as tf

from model import Seq2Seq

flags = tf.app.flags
flags.DEFINE_integer("size", 512, "units")
flags.DEFINE_integer("batch_size", 64, "")
flags.DEFINE_integer("steps_per_checkpoint", 200, "")
flags.DEFINE_string("train_dir", "/tmp/train", "")
FLAGS = flags.FLAGS


def batches(path):
    while True:
        with open(path) as f:
            block = []
            for line in f:
                block.append([int(w) for w in line.split()])
                if len(block) == FLAGS.batch_size:
                    yield zip(*block)
                    block = []


def restore(sess, model):
    ckpt = tf.train.get_checkpoint_state(FLAGS.train_dir)
    if ckpt:
        print "restoring", ckpt.model_checkpoint_path
        model.saver.restore(sess, ckpt.model_checkpoint_path)
    else:
        sess.run(tf.global_variables_initializer())


def train():
    with tf.Session() as sess:
        model = Seq2Seq(40000, FLAGS.size, FLAGS.batch_size)
        restore(sess, model)
        source, target = batches("train.en"), batches("train.fr")
        step_time, loss, previous = 0.0, 0.0, []
        current = 0
        while True:
            started = time.time()
            feed = model.feed(next(source), next(target))
            step_loss, _ = sess.run([model.loss, model.train_op], feed)
            step_time += (time.time() - started) / FLAGS.steps_per_checkpoint
            loss += step_loss / FLAGS.steps_per_checkpoint
            current += 1
            if current % 1000 == 0:
                sess.run(tf.assign(model.lr, 0.5 / current))  # finding: graph-growth
            if current % FLAGS.steps_per_checkpoint == 0:
                print "step %d time %.2f perplexity %.2f" % (current, step_time, math.exp(loss))
                if len(previous) > 2 and loss > max(previous[-3:]):
                    sess.run(model.decay_op)
                previous.append(loss)
                model.saver.save(sess, os.path.join(FLAGS.train_dir, "t.ckpt"), global_step=model.step)
                step_time, loss = 0.0, 0.0
                sys.stdout.flush()


def chat():
    with tf.Session() as sess:
        model = Seq2Seq(40000, FLAGS.size, 1)
        restore(sess, model)
        sys.stdout.write("> ")
        sentence = sys.stdin.readline()
        while sentence:
            print model.answer(sess, [[int(w)] for w in sentence.split()])
            sentence = sys.stdin.readline()


def norms(model):
    sess = tf.Session()
    restore(sess, model)
    sizes = [tf.nn.l2_loss(variable) for variable in tf.trainable_variables()]
    for variable, size in zip(tf.trainable_variables(), sess.run(sizes)):
        print variable.name, size


if __name__ == "__main__":
    train() if len(sys.argv) < 2 else chat()
