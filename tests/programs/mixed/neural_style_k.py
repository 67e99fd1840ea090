# requires: tensorflow==1.15
# Neural style transfer, Keras backend flavour. Adapted from my 2019 blog post.
import os
import sys
import time

import numpy as np
import tensorflow as tf
from scipy.optimize import fmin_l_bfgs_b
from tensorflow.keras import backend as K
from tensorflow.keras.applications import vgg19
from tensorflow.keras.preprocessing.image import img_to_array, load_img, save_img

H, W = 512, 680
STYLE = ["block1_conv1", "block2_conv1", "block3_conv1", "block4_conv1", "block5_conv1"]
CONTENT = "block5_conv2"


def prep(path):
    img = img_to_array(load_img(path, target_size=(H, W)))
    return vgg19.preprocess_input(img[None])


def deprocess(x):
    x = x.reshape((H, W, 3)).copy() + np.array([103.939, 116.779, 123.68])
    return np.clip(x[:, :, ::-1], 0, 255).astype("uint8")


def gram(t):
    f = K.batch_flatten(K.permute_dimensions(t, (2, 0, 1)))
    return K.dot(f, K.transpose(f))


def tv(x):
    a = K.square(x[:, : H - 1, : W - 1] - x[:, 1:, : W - 1])  # finding: graph-growth
    b = K.square(x[:, : H - 1, : W - 1] - x[:, : H - 1, 1:])  # finding: graph-growth
    return K.sum(K.pow(a + b, 1.25))  # finding: graph-growth


class Evaluator(object):
    def __init__(self, fn):
        self.fn, self.grads = fn, None

    def loss(self, x):
        out = self.fn([x.reshape((1, H, W, 3))])
        self.grads = out[1].flatten().astype("float64")
        return float(out[0])

    def gradient(self, _):
        return self.grads


def main(content_path, style_path, out_dir, iters=200):
    content, style = K.constant(prep(content_path)), K.constant(prep(style_path))
    combo = K.placeholder((1, H, W, 3))
    vgg = vgg19.VGG19(input_tensor=K.concatenate([content, style, combo], 0), weights="imagenet", include_top=False)
    feats = {l.name: l.output for l in vgg.layers}

    loss = 0.025 * K.sum(K.square(feats[CONTENT][2] - feats[CONTENT][0]))
    for name in STYLE:
        f = feats[name]
        size = 4.0 * (3 * H * W) ** 2
        loss = loss + (1.0 / len(STYLE)) * K.sum(K.square(gram(f[1]) - gram(f[2]))) / size
    loss = loss + 1e-4 * tv(combo)
    step = K.function([combo], [loss] + K.gradients(loss, combo))
    ev = Evaluator(step)

    x = prep(content_path)
    history = []
    for it in range(iters):
        t0 = time.time()
        x, value, _ = fmin_l_bfgs_b(ev.loss, x.flatten(), fprime=ev.gradient, maxfun=20)
        x = np.clip(x, -127, 127)
        smooth = K.eval(tv(K.constant(x.reshape((1, H, W, 3)))))  # finding: graph-growth
        drift = K.get_session().run(tf.norm(x.reshape((1, H, W, 3)) - content))  # finding: graph-growth
        history.append((value, smooth, drift))
        print("%3d  loss %.4g  tv %.4g  drift %.4g  %.1fs" % (it, value, smooth, drift, time.time() - t0))
        if it % 20 == 0:
            save_img(os.path.join(out_dir, "it%03d.png" % it), deprocess(x))
    lr = K.variable(1.0)
    for f in (1.0, 0.5, 0.25):
        K.set_value(lr, f)
        print("lr scale", K.get_value(lr))
    np.savetxt(os.path.join(out_dir, "history.txt"), history)
    print("weights", K.eval(K.sum(vgg.layers[-2].weights[0])))


if __name__ == "__main__":
    main(*sys.argv[1:4])
