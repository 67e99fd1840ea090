import glob

import tensorflow as tf

from events import dataset, encoder

train_paths = sorted(glob.glob("matches/train/*.json"))
valid_paths = sorted(glob.glob("matches/valid/*.json"))

model = encoder(64)
model.compile(
    optimizer="adam",
    loss=[tf.keras.losses.Huber(), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)],
)
model.fit(dataset(train_paths), validation_data=dataset(valid_paths, training=False), epochs=25)
model.save("events.keras")
