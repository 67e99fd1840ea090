import tensorflow as tf

from anchors import AnchorBox

IMAGE_SIZE = 640


class Decoder:
    def __init__(self, num_classes=12, confidence=0.4, iou=0.5, max_per_class=100):
        self.num_classes = num_classes
        self.confidence = confidence
        self.iou = iou
        self.max_per_class = max_per_class
        self.anchor_box = AnchorBox()
        self.variance = [0.1, 0.1, 0.2, 0.2]

    def boxes(self, deltas):
        anchors = self.anchor_box.get_anchors(IMAGE_SIZE, IMAGE_SIZE)
        scaled = deltas * tf.constant(self.variance)
        centres = scaled[..., :2] * anchors[..., 2:] + anchors[..., :2]
        sizes = tf.exp(scaled[..., 2:]) * anchors[..., 2:]
        return tf.concat([centres - sizes / 2, centres + sizes / 2], axis=-1)

    def __call__(self, predictions):
        deltas, logits = predictions[..., :4], predictions[..., 4:]
        boxes = self.boxes(deltas)
        return tf.image.combined_non_max_suppression(
            boxes[:, :, None, :], tf.nn.sigmoid(logits), self.max_per_class, self.max_per_class,
            self.iou, self.confidence, clip_boxes=False)
