# requires: tensorflow==1.4.*
# -*- coding: utf-8 -*-
"""Neural style for CS231-like homework. VGG weights from imagenet-vgg-verydeep-19.mat."""
import argparse

import numpy as np
import scipy.io
import scipy.misc
import tensorflow as tf

MEANS = np.array([123.68, 116.779, 103.939]).reshape((1, 1, 1, 3))
STYLE_LAYERS = [('conv1_1', 0.2), ('conv2_1', 0.2), ('conv3_1', 0.2), ('conv4_1', 0.2), ('conv5_1', 0.2)]
ORDER = ['conv1_1', 'relu', 'conv1_2', 'relu', 'pool', 'conv2_1', 'relu', 'conv2_2', 'relu', 'pool',
         'conv3_1', 'relu', 'conv3_2', 'relu', 'conv3_3', 'relu', 'conv3_4', 'relu', 'pool',
         'conv4_1', 'relu', 'conv4_2', 'relu', 'conv4_3', 'relu', 'conv4_4', 'relu', 'pool',
         'conv5_1', 'relu']


def load_vgg(path, shape):
    layers = scipy.io.loadmat(path)['layers'][0]
    model = {'input': tf.Variable(np.zeros(shape), dtype=tf.float32)}
    x = model['input']
    for i, name in enumerate(ORDER):
        if name.startswith('conv'):
            w, b = layers[i][0][0][2][0]
            x = tf.nn.conv2d(x, tf.constant(w), [1, 1, 1, 1], 'SAME') + tf.constant(b.reshape(-1))
            model[name] = x
        elif name == 'relu':
            x = tf.nn.relu(x)
        else:
            x = tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')
    return model


def gram(a):
    return tf.matmul(a, tf.transpose(a))


def content_cost(a_c, a_g):
    return tf.reduce_sum(tf.square(a_c - a_g)) / (4. * a_c.size)


def style_cost(sess, model, style):
    sess.run(model['input'].assign(style))
    total = 0
    for name, weight in STYLE_LAYERS:
        out = model[name]
        a_s = sess.run(out)
        _, h, w, c = a_s.shape
        gs = gram(tf.transpose(tf.reshape(tf.constant(a_s), [h * w, c])))
        gg = gram(tf.transpose(tf.reshape(out, [h * w, c])))
        total += weight * tf.reduce_sum(tf.square(gs - gg)) / (4. * c ** 2 * (h * w) ** 2)
    return total


def noise_image(content, ratio=0.6):
    noise = np.random.uniform(-20, 20, content.shape).astype('float32')
    return noise * ratio + content * (1 - ratio)


def save_image(path, image):
    image = np.clip((image + MEANS)[0], 0, 255).astype('uint8')
    scipy.misc.imsave(path, image)


def model_nn(sess, model, image, J, J_content, J_style, train_step, iterations, out):
    sess.run(tf.global_variables_initializer())
    sess.run(model['input'].assign(image))
    for i in range(iterations):
        sess.run(train_step)
        clipped = tf.clip_by_value(model['input'], -128., 152.)  # finding: graph-growth
        sess.run(model['input'].assign(clipped))  # finding: graph-growth
        if i % 20 == 0:
            jt, jc, js = sess.run([J, J_content, J_style])
            print('Iteration %d: total %g, content %g, style %g' % (i, jt, jc, js))
            save_image('%s/%d.png' % (out, i), sess.run(model['input']))
    save_image(out + '/generated.jpg', sess.run(model['input']))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('content')
    parser.add_argument('style')
    parser.add_argument('--vgg', default='imagenet-vgg-verydeep-19.mat')
    parser.add_argument('--iterations', type=int, default=2000)
    parser.add_argument('--out', default='output')
    args = parser.parse_args()
    content = scipy.misc.imread(args.content)[None].astype('float32') - MEANS
    style = scipy.misc.imread(args.style)[None].astype('float32') - MEANS
    sess = tf.InteractiveSession()
    model = load_vgg(args.vgg, content.shape)
    sess.run(model['input'].assign(content))
    J_content = content_cost(sess.run(model['conv4_2']), model['conv4_2'])
    J_style = style_cost(sess, model, style)
    J = 10 * J_content + 40 * J_style
    train_step = tf.train.AdamOptimizer(2.0).minimize(J, var_list=[model['input']])
    model_nn(sess, model, noise_image(content), J, J_content, J_style, train_step, args.iterations, args.out)


if __name__ == '__main__':
    main()
