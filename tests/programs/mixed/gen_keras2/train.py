from keras.callbacks import ModelCheckpoint
from keras.layers import Conv2D, Dense, Flatten, MaxPooling2D
from keras.models import Sequential
from keras.preprocessing.image import ImageDataGenerator, img_to_array, load_img
from keras.utils import to_categorical
import numpy as np
import os


def read_all(root):
    x, y = [], []
    for label, name in enumerate(sorted(os.listdir(root))):
        for file in os.listdir(os.path.join(root, name)):
            image = load_img(os.path.join(root, name, file))  # finding: read-per-item
            x.append(img_to_array(image.resize((96, 96))))
            y.append(label)
    return np.array(x), to_categorical(y)  # finding: whole-dataset-array


def small():
    model = Sequential()
    model.add(Conv2D(32, (3, 3), activation="relu", input_shape=(96, 96, 3)))
    model.add(MaxPooling2D((2, 2)))
    model.add(Conv2D(64, (3, 3), activation="relu"))
    model.add(MaxPooling2D((2, 2)))
    model.add(Conv2D(64, (3, 3), activation="relu"))
    model.add(MaxPooling2D((4, 4)))
    model.add(Flatten())
    model.add(Dense(64, activation="relu"))
    model.add(Dense(5, activation="softmax"))
    model.compile("rmsprop", "categorical_crossentropy")
    return model


def from_folders():
    flow = ImageDataGenerator(rescale=1 / 255.0, horizontal_flip=True)
    train = flow.flow_from_directory("train", target_size=(96, 96), batch_size=32)
    test = flow.flow_from_directory("test", target_size=(96, 96), batch_size=32)
    model = small()
    model.fit_generator(train, steps_per_epoch=train.samples, epochs=10, validation_data=test, validation_steps=test.samples)  # finding: steps-as-samples
    return model


def from_folders_counted():
    train = ImageDataGenerator().flow_from_directory("train", target_size=(96, 96), batch_size=32)
    model = small()
    model.fit_generator(train, steps_per_epoch=train.samples // train.batch_size, epochs=10)
    return model


def sequences(x, y, batch):
    while True:
        order = np.random.permutation(len(x))
        for start in range(0, len(x), batch):
            picked = order[start : start + batch]
            yield x[picked], y[picked]


def from_memory():
    x, y = read_all("train")
    model = small()
    model.fit_generator(sequences(x, y, 32), steps_per_epoch=int(np.ceil(len(x) / 32)), epochs=5)
    model.fit(x, y, batch_size=1, epochs=1, callbacks=[ModelCheckpoint("m.h5")])
    return model


if __name__ == "__main__":
    from_folders()
