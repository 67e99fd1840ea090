#!/usr/bin/env python
"""Label pictures of pressed plants: label_folder.py MODEL FOLDER > labels.csv"""

import json
import os
import sys

import numpy as np
import torch
from PIL import Image
from tensorflow.keras.models import load_model
from tensorflow.keras.preprocessing import image as keras_image
from torchvision import models, transforms

NAMES = json.load(open(os.path.join(os.path.dirname(__file__), "names.json")))


def with_keras(path, folder):
    model = load_model(path)
    for name in os.listdir(folder):
        picture = keras_image.load_img(os.path.join(folder, name), target_size=(299, 299))
        x = keras_image.img_to_array(picture)
        x = np.expand_dims(x, axis=0) / 255.0
        scores = model.predict(x)  # finding: predict-per-item
        print(f"{name},{NAMES[int(scores.argmax())]},{scores.max():.3f}")


def with_torch(path, folder):
    model = models.resnet50(num_classes=len(NAMES))
    model.load_state_dict(torch.load(path, map_location="cpu"))
    model.eval()
    prepare = transforms.Compose([transforms.Resize((224, 224)), transforms.ToTensor()])
    for name in sorted(os.listdir(folder)):
        picture = Image.open(os.path.join(folder, name)).convert("RGB")
        with torch.no_grad():
            scores = model(prepare(picture).unsqueeze(0)).softmax(1)  # finding: predict-per-item
        print(f"{name},{NAMES[int(scores.argmax())]},{scores.max():.3f}")


def with_crops(model, picture, boxes):
    crops = [picture.crop(box).resize((299, 299)) for box in boxes]
    stacked = np.stack([np.asarray(crop, dtype="float32") / 255.0 for crop in crops])
    return model.predict(stacked, batch_size=len(stacked)).argmax(1)


def watch(path):
    """Answers names of files that are typed in, one after the other."""
    model = load_model(path)
    while True:
        name = input("file: ")
        if not name:
            return
        x = keras_image.img_to_array(keras_image.load_img(name, target_size=(299, 299)))
        print(NAMES[int(model.predict(x[None] / 255.0).argmax())])


if __name__ == "__main__":
    kind, path = sys.argv[1:3]
    if kind == "watch":
        watch(path)
    elif path.endswith(".pt"):
        with_torch(path, sys.argv[3])
    else:
        with_keras(path, sys.argv[3])
