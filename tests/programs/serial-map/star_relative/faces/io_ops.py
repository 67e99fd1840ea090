import tensorflow as tf

CROP = 160


def read_face(filename, identity):
    data = tf.read_file(filename)
    face = tf.image.decode_image(data, channels=3)
    face = tf.image.resize_image_with_crop_or_pad(face, CROP, CROP)
    return face, identity


def face_dataset(filenames, identities):
    return tf.data.Dataset.from_tensor_slices((filenames, identities))
