import argparse
import os

import numpy as np
import tensorflow as tf
from model import BEGAN


def parse_args():
    parser = argparse.ArgumentParser(description="BEGAN in TensorFlow")
    parser.add_argument("--data", default="data/fashion.npy")
    parser.add_argument("--epoch", type=int, default=50)
    parser.add_argument("--batch_size", type=int, default=64)
    parser.add_argument("--learning_rate", type=float, default=2e-4)
    parser.add_argument("--checkpoint_dir", default="checkpoint")
    parser.add_argument("--result_dir", default="results")
    return parser.parse_args()


def main():
    args = parse_args()
    for folder in (args.checkpoint_dir, args.result_dir):
        if not os.path.exists(folder):
            os.makedirs(folder)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        gan = BEGAN(sess, np.load(args.data), args)
        gan.train()
        print(" [*] Training finished!")
        gan.visualize_results(args.epoch - 1)
        gan.anneal([1e-3, 1e-4, 1e-5])


if __name__ == "__main__":
    main()
