# requires: tensorflow==1.14.*, keras==2.2.*
# Grad-CAM heat maps for the validation set (after https://keras.io examples)
import os

import cv2
import keras.backend as K
import numpy as np
import pandas as pd
from keras.applications.densenet import preprocess_input
from keras.models import load_model
from keras.preprocessing.image import img_to_array, load_img

LABELS = ["normal", "bacterial", "viral"]
LAST_CONV = "relu"
SIZE = 224


def read(path):
    img = img_to_array(load_img(path, target_size=(SIZE, SIZE)))
    return preprocess_input(img[np.newaxis])


def grad_cam(model, x, cls, layer_name=LAST_CONV):
    y_c = model.output[0, cls]
    conv_output = model.get_layer(layer_name).output
    grads = K.gradients(y_c, conv_output)[0]  # finding: graph-growth
    gradient_function = K.function([model.input], [conv_output, grads])  # finding: graph-growth
    output, grads_val = gradient_function([x])
    output, grads_val = output[0], grads_val[0]
    weights = grads_val.mean(axis=(0, 1))
    cam = np.maximum(output.dot(weights), 0)
    cam = cv2.resize(cam, (SIZE, SIZE))
    return cam / (cam.max() + 1e-8)


def overlay(path, cam):
    base = cv2.resize(cv2.imread(path), (SIZE, SIZE))
    heat = cv2.applyColorMap(np.uint8(255 * cam), cv2.COLORMAP_JET)
    return cv2.addWeighted(base, 0.6, heat, 0.4, 0)


def main():
    model = load_model("densenet_xray.h5")
    table = pd.read_csv("val.csv")
    os.makedirs("cams", exist_ok=True)
    pred = []
    for row in table.itertuples():
        x = read(row.path)
        prob = model.predict(x)[0]
        cls = int(np.argmax(prob))
        pred.append(LABELS[cls])
        cam = grad_cam(model, x, cls)
        cv2.imwrite(os.path.join("cams", "%s_%s.png" % (row.Index, LABELS[cls])), overlay(row.path, cam))
    table["pred"] = pred
    table.to_csv("val_pred.csv", index=False)


if __name__ == "__main__":
    main()
