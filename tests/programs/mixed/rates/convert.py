"""Colour statistics and whitening of patches."""
import argparse
import math

import numpy as np
import tensorflow as tf
import torch
import torch.nn.functional as F

YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])


def to_yiq(image, matrix):
    inverse_free = np.linalg.inv(np.linalg.inv(matrix))  # finding: loop-invariant-op
    return image.reshape(-1, 3) @ inverse_free.T


def convert_all(images):
    out = []
    for image in images:
        out.append(to_yiq(image, YIQ))
    return out


def whiten(patches, covariance):
    result = np.empty_like(patches)
    for i in range(patches.shape[0]):
        values, vectors = np.linalg.eigh(covariance)  # finding: loop-invariant-op
        result[i] = vectors @ ((vectors.T @ patches[i]) / np.sqrt(values + 1e-5))  # finding: loop-invariant-op
    return result


def blur_video(frames, sigma, radius=8):
    while True:
        frame = frames.get()
        if frame is None:
            return
        grid = torch.arange(-radius, radius + 1, dtype=torch.float32)
        kernel = torch.exp(-(grid**2) / (2 * sigma**2))
        kernel = kernel / kernel.sum()
        frame = F.conv2d(frame[None, None], kernel[None, None, None, :], padding=(0, radius))
        yield F.conv2d(frame, kernel[None, None, :, None], padding=(radius, 0))[0, 0]


class Distiller(torch.nn.Module):
    def __init__(self, student, teacher, temperature):
        super().__init__()
        self.student, self.teacher, self.temperature = student, teacher, temperature

    def targets(self, anchor):
        with torch.no_grad():
            return F.softmax(self.teacher(anchor) / self.temperature, -1)

    def run(self, loader, anchor, optimizer):
        for x, y in loader:
            soft = F.softmax(anchor / self.temperature, -1)
            loss = F.kl_div(F.log_softmax(self.student(x), -1), soft.expand(len(x), -1))
            noise = torch.randn(3, 3)
            loss = loss + 1e-6 * noise.sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    def small(self, x):
        for _ in range(3):
            x = x + torch.ones(4)
        return x


def cosine_bank(features, bank):
    scores = []
    for feature in features:
        normed = tf.math.l2_normalize(bank, axis=-1)
        scores.append(tf.linalg.matvec(normed, feature))
    return tf.stack(scores)


def regularised(model, dataset, optimizer, rate):
    for x, y in dataset:
        with tf.GradientTape() as tape:
            penalty = tf.add_n([tf.nn.l2_loss(w) for w in model.trainable_weights])
            loss = tf.reduce_mean(tf.square(model(x) - y)) + rate * penalty
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_weights), model.trainable_weights))


def mask_of(length):
    return torch.triu(torch.full((length, length), -math.inf), diagonal=1)


def decode(model, batches, length):
    losses = []
    for batch in batches:
        losses.append(model(batch, mask_of(length)))
    return losses


def decode_varying(model, batches):
    return [model(batch, mask_of(batch.shape[1])) for batch in batches]


def block_stack(x, depth):
    layers = []
    for _ in range(depth):
        layers.append(tf.keras.layers.Dense(64, kernel_initializer=tf.zeros_initializer()))
    for layer in layers:
        x = layer(x)
    return x


@tf.function
def unrolled(x):
    for _ in range(100):
        x = x + tf.exp(tf.constant(0.5))
    return x


def power(matrix, vector, turns):
    for _ in range(turns):
        vector = matrix @ vector
        vector = vector / np.linalg.norm(vector)
    return vector


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("images")
    np.save("yiq.npy", convert_all(np.load(parser.parse_args().images)))
