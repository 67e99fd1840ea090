"""Columns of the census files and how they are fed to the wide and deep model."""
import tensorflow as tf

CSV_COLUMNS = [
    "age", "workclass", "fnlwgt", "education", "education_num",
    "marital_status", "occupation", "relationship", "race", "gender",
    "capital_gain", "capital_loss", "hours_per_week", "native_country",
    "income_bracket",
]
CSV_DEFAULTS = [
    [0], [""], [0], [""], [0], [""], [""], [""], [""], [""],
    [0], [0], [0], [""], [""],
]
LABEL = "income_bracket"
UNUSED = ("fnlwgt",)


def build_columns():
    age = tf.feature_column.numeric_column("age")
    education_num = tf.feature_column.numeric_column("education_num")
    hours = tf.feature_column.numeric_column("hours_per_week")
    education = tf.feature_column.categorical_column_with_vocabulary_list(
        "education",
        ["Bachelors", "HS-grad", "11th", "Masters", "9th", "Some-college", "Assoc-acdm"],
    )
    occupation = tf.feature_column.categorical_column_with_hash_bucket("occupation", 1000)
    buckets = tf.feature_column.bucketized_column(
        age, boundaries=[18, 25, 30, 35, 40, 45, 50, 55, 60, 65]
    )
    wide = [education, occupation, buckets]
    deep = [
        age,
        education_num,
        hours,
        tf.feature_column.indicator_column(education),
        tf.feature_column.embedding_column(occupation, dimension=8),
    ]
    return wide, deep
