# requires: tensorflow==2.9.1
import tensorflow as tf

AUTOTUNE = tf.data.AUTOTUNE
(x_train, y_train), (x_test, y_test) = tf.keras.datasets.mnist.load_data()

train = (
    tf.data.Dataset.from_tensor_slices((x_train, y_train))
    .shuffle(60000)
    .map(lambda x, y: (tf.cast(x, tf.float32) / 255.0, y), num_parallel_calls=AUTOTUNE)  # finding: map-before-batch
    .batch(128)
    .prefetch(AUTOTUNE)
)
test = tf.data.Dataset.from_tensor_slices((x_test, y_test)).batch(256)
test = test.map(lambda x, y: (tf.cast(x, tf.float32) / 255.0, y), num_parallel_calls=AUTOTUNE)

model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(10)])
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(train, epochs=6, validation_data=test)
