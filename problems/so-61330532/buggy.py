"""Reads the temperature of a simulated plate at the places of its sensors."""

import tensorflow as tf

HEIGHT, WIDTH = 120, 160
SENSORS = 400
STEPS = 3


def sensor_places():
    rows = tf.random.stateless_uniform((SENSORS,), seed=(61, 1), maxval=HEIGHT, dtype=tf.int32)
    columns = tf.random.stateless_uniform((SENSORS,), seed=(33, 2), maxval=WIDTH, dtype=tf.int32)
    return rows, columns


def diffuse(plate):
    kernel = tf.constant([[0.0, 0.1, 0.0], [0.1, 0.6, 0.1], [0.0, 0.1, 0.0]])
    image = plate[tf.newaxis, :, :, tf.newaxis]
    spread = tf.nn.conv2d(image, kernel[:, :, tf.newaxis, tf.newaxis], strides=1, padding="SAME")
    return spread[0, :, :, 0]


def read_sensors(plate, rows, columns):
    return tf.stack([plate[row, column] for row, column in zip(rows, columns)])  # finding


def main():
    plate = tf.random.stateless_uniform((HEIGHT, WIDTH), seed=(5, 32)) * 100.0
    rows, columns = sensor_places()
    readings = []
    for _ in range(STEPS):
        plate = diffuse(plate)
        readings.append(read_sensors(plate, rows, columns))
    return tf.stack(readings).numpy()


if __name__ == "__main__":
    print(main()[:, :4])
