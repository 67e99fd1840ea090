# -*- coding: utf-8 -*-
import logging

import cv2
import numpy as np
from flask import Flask, jsonify, request

from detector import PlateDetector
from ocr import Reader

app = Flask(__name__)
detector = PlateDetector()
reader = Reader()


def crop(image, box):
    h, w = image.shape[:2]
    top, left, bottom, right = (box * [h, w, h, w]).astype(int)
    return image[top:bottom, left:right]


def find_plates(image):
    boxes, scores = detector.detect(image[:, :, ::-1])
    crops = [crop(image, box) for box in boxes]
    texts = reader.read(crops) if crops else []
    return [{'box': box.tolist(), 'score': float(score), 'text': text}
            for box, score, text in zip(boxes, scores, texts)]


@app.route('/plates', methods=['POST'])
def plates():
    data = np.frombuffer(request.files['image'].read(), np.uint8)
    image = cv2.imdecode(data, cv2.IMREAD_COLOR)
    if image is None:
        return jsonify(error='not an image'), 400
    return jsonify(plates=find_plates(image))


if __name__ == '__main__':
    logging.basicConfig(level=logging.INFO)
    app.run(host='0.0.0.0', port=5000, threaded=True)
