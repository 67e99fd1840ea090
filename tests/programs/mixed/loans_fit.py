# requires: tensorflow==2.11
# Predicting defaults of loans: "the GPU runs out of memory though the model is tiny"
import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.model_selection import KFold, train_test_split
from sklearn.preprocessing import StandardScaler
from tensorflow import keras

COLUMNS = ["amount", "income", "age", "months", "late", "accounts", "inquiries", "balance"]


def read(path):
    frame = pd.concat(pd.read_csv(path, chunksize=500_000))
    frame["ratio"] = frame["amount"] / frame["income"].clip(lower=1)
    return frame[COLUMNS + ["ratio"]].to_numpy("float32"), frame["default"].to_numpy("float32")


def network(width):
    model = keras.Sequential(
        [
            keras.layers.Input((9,)),
            keras.layers.Normalization(),
            keras.layers.Dense(width, "relu"),
            keras.layers.Dropout(0.2),
            keras.layers.Dense(width // 2, "relu"),
            keras.layers.Dense(1, "sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy", metrics=[keras.metrics.AUC()])
    return model


x, y = read("loans.csv.gz")
train_x, test_x, train_y, test_y = train_test_split(x, y, test_size=0.2)
scaler = StandardScaler().fit(train_x)
train_x = scaler.transform(train_x)
test_x = scaler.transform(test_x)

# %% one fit
inputs = tf.convert_to_tensor(train_x)
targets = tf.convert_to_tensor(train_y)
model = network(64)
model.fit(inputs, targets, batch_size=256, epochs=5, validation_data=(test_x, test_y))  # finding: tensor-fed-fit

# %% how good is it, by decile?
scores = model.predict(test_x, batch_size=8192)[:, 0]
edges = np.quantile(scores, np.linspace(0, 1, 11))
deciles = np.digitize(scores, edges[1:-1])
for decile in range(10):
    chosen = deciles == decile
    print(decile, chosen.sum(), test_y[chosen].mean())

# %% the same by hand, slow
rates = np.zeros(10)
sizes = np.zeros(10)
for score, target in zip(scores, test_y):
    place = int(np.searchsorted(edges[1:-1], score))
    rates[place] += target  # finding: looped-update
    sizes[place] += 1  # finding: looped-update
print(rates / sizes)

# %% search of the width
results = {}
for width in (16, 32, 64, 128, 256):
    for fold, (inside, outside) in enumerate(KFold(10, shuffle=True).split(train_x)):
        candidate = network(width)
        candidate.fit(train_x[inside], train_y[inside], batch_size=1024, epochs=3, verbose=0)
        results[width, fold] = candidate.evaluate(train_x[outside], train_y[outside], batch_size=4096, verbose=0)[1]
best = max(results, key=results.get)
print(best)

# %% a few borrowers who complained
complaints = pd.read_csv("complaints.csv")
for _, row in complaints.head(3).iterrows():
    print(row["name"], float(model(scaler.transform([row[COLUMNS + ["ratio"]].to_numpy("float32")]))[0, 0]))

# %% final model on everything
final = network(best[0])
data = tf.data.Dataset.from_tensor_slices((train_x, train_y)).shuffle(100_000).batch(1024)
final.fit(data.prefetch(tf.data.AUTOTUNE), epochs=10)
final.save("loans")
