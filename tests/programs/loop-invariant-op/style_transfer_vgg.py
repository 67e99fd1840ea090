# requires: tensorflow==2.3.*
"""Neural style transfer after Gatys et al.

    python style_transfer_vgg.py content.jpg style.jpg out.jpg --iterations 800
"""
import argparse
import time

import numpy as np
import tensorflow as tf
from PIL import Image
from tensorflow.python.keras.applications import vgg19

CONTENT_LAYERS = ["block5_conv2"]
STYLE_LAYERS = ["block1_conv1", "block2_conv1", "block3_conv1", "block4_conv1", "block5_conv1"]
MEANS = np.array([103.939, 116.779, 123.68], "float32")


def load_img(path, longest=512):
    img = Image.open(path).convert("RGB")
    scale = longest / max(img.size)
    img = img.resize((round(img.size[0] * scale), round(img.size[1] * scale)), Image.LANCZOS)
    return np.asarray(img, "float32")[None]


def load_and_process(path):
    return vgg19.preprocess_input(load_img(path))


def deprocess(x):
    x = x[0] + MEANS
    return np.clip(x[:, :, ::-1], 0, 255).astype("uint8")


def get_model():
    vgg = tf.keras.applications.VGG19(include_top=False, weights="imagenet")
    vgg.trainable = False
    outputs = [vgg.get_layer(n).output for n in STYLE_LAYERS + CONTENT_LAYERS]
    return tf.keras.Model(vgg.input, outputs)


def gram_matrix(features):
    channels = int(features.shape[-1])
    a = tf.reshape(features, [-1, channels])
    n = tf.shape(a)[0]
    return tf.matmul(a, a, transpose_a=True) / tf.cast(n, tf.float32)


def get_feature_representations(model, content, style):
    style_outputs = model(style)  # note: loop-invariant-op
    content_outputs = model(content)  # note: loop-invariant-op
    style_features = [layer[0] for layer in style_outputs[: len(STYLE_LAYERS)]]
    content_features = [layer[0] for layer in content_outputs[len(STYLE_LAYERS):]]
    return style_features, content_features


def compute_loss(model, weights, image, content, style):
    style_weight, content_weight = weights
    outputs = model(image)
    style_targets, content_targets = get_feature_representations(model, content, style)
    style_score, content_score = 0.0, 0.0
    for target, comb in zip(style_targets, outputs[: len(STYLE_LAYERS)]):
        gap = gram_matrix(comb[0]) - gram_matrix(target)
        style_score += tf.reduce_mean(tf.square(gap)) / len(STYLE_LAYERS)
    for target, comb in zip(content_targets, outputs[len(STYLE_LAYERS):]):
        content_score += tf.reduce_mean(tf.square(comb[0] - target)) / len(CONTENT_LAYERS)
    return style_weight * style_score + content_weight * content_score


def compute_grads(cfg):
    with tf.GradientTape() as tape:
        loss = compute_loss(**cfg)
    return tape.gradient(loss, cfg["image"]), loss


def run(content_path, style_path, iterations, content_weight=1e3, style_weight=1e-2):
    model = get_model()
    content = load_and_process(content_path)
    style = load_and_process(style_path)
    image = tf.Variable(content, dtype=tf.float32)
    opt = tf.keras.optimizers.Adam(learning_rate=5, beta_1=0.99, epsilon=1e-1)
    cfg = {
        "model": model,
        "weights": (style_weight, content_weight),
        "image": image,
        "content": content,
        "style": style,
    }
    best_loss, best_img = float("inf"), None
    start = time.time()
    for i in range(iterations):
        grads, loss = compute_grads(cfg)
        opt.apply_gradients([(grads, image)])
        image.assign(tf.clip_by_value(image, -MEANS, 255 - MEANS))
        if loss < best_loss:
            best_loss, best_img = loss, image.numpy()
        if i % 100 == 0:
            print(f"{i}: {float(loss):.4e} ({time.time() - start:.1f} s)")
    return deprocess(best_img)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("content")
    parser.add_argument("style")
    parser.add_argument("out")
    parser.add_argument("--iterations", type=int, default=1000)
    args = parser.parse_args()
    Image.fromarray(run(args.content, args.style, args.iterations)).save(args.out)
