import tensorflow as tf
from tensorflow import keras

STYLE_LAYERS = ["block1_conv2", "block2_conv2", "block3_conv3", "block4_conv3"]
CONTENT_LAYER = "block3_conv3"


def build_extractor():
    """VGG16 up to the layers whose features we compare; it is not trained."""
    vgg = keras.applications.VGG16(include_top=False, weights="imagenet")
    vgg.trainable = False
    names = STYLE_LAYERS + [CONTENT_LAYER]
    return keras.Model(vgg.input, [vgg.get_layer(name).output for name in names])


def prepare(images):
    return keras.applications.vgg16.preprocess_input(tf.cast(images, tf.float32) * 255.0)
