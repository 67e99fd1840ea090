"""What is done to a picture and its mask before they reach the network."""
import multiprocessing

import tensorflow as tf

WORKERS = max(1, multiprocessing.cpu_count() - 1)


class Transform:
    def __call__(self, features, mask):
        raise NotImplementedError

    def apply_to(self, dataset):
        return dataset.map(self, num_parallel_calls=WORKERS)


class RandomCrop(Transform):
    def __init__(self, size):
        self.size = size

    def __call__(self, features, mask):
        both = tf.concat([features["image"], tf.cast(mask, tf.float32)], axis=-1)
        both = tf.image.random_crop(both, [self.size, self.size, 4])
        features = dict(features, image=both[..., :3])
        return features, tf.cast(both[..., 3:], tf.int32)


class RandomColour(Transform):
    def __init__(self, strength=0.2):
        self.strength = strength

    def __call__(self, features, mask):
        image = tf.image.random_brightness(features["image"], 255 * self.strength)
        image = tf.image.random_saturation(image, 1 - self.strength, 1 + self.strength)
        return dict(features, image=image), mask


def pipeline(dataset, transforms):
    for transform in transforms:
        dataset = transform.apply_to(dataset)
    return dataset
