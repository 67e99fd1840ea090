import numpy as np
import tensorflow as tf


class AnchorBox:
    """Anchor boxes for feature maps at strides 8 to 128."""

    def __init__(self):
        self.aspect_ratios = [0.5, 1.0, 2.0]
        self.scales = [2 ** x for x in [0, 1 / 3, 2 / 3]]
        self._strides = [2 ** i for i in range(3, 8)]
        self._areas = [x ** 2 for x in [32.0, 64.0, 128.0, 256.0, 512.0]]
        self._num_anchors = len(self.aspect_ratios) * len(self.scales)
        self._dims = self._compute_dims()

    def _compute_dims(self):
        all_dims = []
        for area in self._areas:
            dims = []
            for ratio in self.aspect_ratios:
                height = np.sqrt(area / ratio)
                width = area / height
                for scale in self.scales:
                    dims.append(np.array([width * scale, height * scale], dtype=np.float32))
            all_dims.append(tf.constant(np.stack(dims)[None, None]))
        return all_dims

    def _level(self, height, width, level):
        rx = tf.range(width, dtype=tf.float32) + 0.5
        ry = tf.range(height, dtype=tf.float32) + 0.5
        centers = tf.stack(tf.meshgrid(rx, ry), axis=-1) * self._strides[level - 3]
        centers = tf.tile(centers[:, :, None], [1, 1, self._num_anchors, 1])
        dims = tf.tile(self._dims[level - 3], [height, width, 1, 1])
        return tf.reshape(tf.concat([centers, dims], axis=-1), [-1, 4])

    def get_anchors(self, height, width):
        return tf.concat(
            [self._level(int(np.ceil(height / 2 ** i)), int(np.ceil(width / 2 ** i)), i) for i in range(3, 8)],
            axis=0,
        )
