# requires: tensorflow==1.14.0
"""Three widths, each trained from scratch in a clean Keras state."""
from tensorflow.keras import backend as K
from tensorflow.keras.datasets import boston_housing
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Sequential

(x_train, y_train), (x_test, y_test) = boston_housing.load_data()

results = {}
for width in (32, 64, 128):
    K.clear_session()
    model = Sequential([Dense(width, activation="relu", input_shape=(13,)), Dense(1)])
    model.compile(optimizer="rmsprop", loss="mse", metrics=["mae"])
    model.fit(x_train, y_train, epochs=100, verbose=0)
    results[width] = model.evaluate(x_test, y_test, verbose=0)[1]

for width, error in results.items():
    print(width, round(error, 3))
