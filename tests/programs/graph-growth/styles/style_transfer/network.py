"""A frozen VGG and the losses of Gatys et al."""
import scipy.io
import tensorflow as tf

LAYERS = ["conv1_1", "relu1_1", "conv1_2", "relu1_2", "pool1",
          "conv2_1", "relu2_1", "conv2_2", "relu2_2", "pool2", "conv3_1", "relu3_1"]


class Vgg(object):
    def __init__(self, path):
        self.weights = scipy.io.loadmat(path)["layers"][0]

    def __call__(self, image):
        net, out = image, {}
        for i, name in enumerate(LAYERS):
            kind = name[:4]
            if kind == "conv":
                kernel, bias = self.weights[i][0][0][2][0]
                kernel = kernel.transpose((1, 0, 2, 3))
                net = tf.nn.conv2d(net, tf.constant(kernel), [1, 1, 1, 1], "SAME") + bias.reshape(-1)  # finding: graph-growth
            elif kind == "relu":
                net = tf.nn.relu(net)
            else:
                net = tf.nn.avg_pool(net, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
            out[name] = net
        return out


def gram(features):
    channels = features.shape[3].value
    flat = tf.reshape(features, [-1, channels])  # finding: graph-growth
    return tf.matmul(flat, flat, transpose_a=True)


def style_loss(features, grams):
    losses = [tf.nn.l2_loss(gram(features[n]) - g) / g.size for n, g in grams.items()]
    return tf.add_n(losses)
