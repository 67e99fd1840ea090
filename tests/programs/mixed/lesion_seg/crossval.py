# requires: tensorflow==1.15
"""Five folds, hours each; the state is dropped between them so that memory comes back."""
import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K

from .net import dice, dice_loss, modest_config, unet


def one_fold(k, x, y, held):
    K.clear_session()
    K.set_session(tf.Session(config=modest_config(0.9)))
    model = unet()
    model.compile("adam", dice_loss, metrics=[dice])
    stop = tf.keras.callbacks.EarlyStopping(patience=8, restore_best_weights=True)
    model.fit(x[~held], y[~held], batch_size=16, epochs=120, validation_split=0.1, callbacks=[stop])
    model.save("fold%d.h5" % k)
    return model.evaluate(x[held], y[held], verbose=0)[1]  # finding: predict-batch-size


def main(path="slices.npz"):
    z = np.load(path)
    fold = np.random.RandomState(5).permutation(len(z["x"])) % 5
    scores = [one_fold(k, z["x"], z["y"], fold == k) for k in range(5)]
    print(np.mean(scores), scores)


if __name__ == "__main__":
    main()
