from omegaconf import OmegaConf
import tensorflow as tf

from pipeline import PipelineConfig, Split, pipeline


def backbone(name: str, classes: int) -> tf.keras.Model:
    made = getattr(tf.keras.applications, name)(include_top=False, pooling="avg", weights="imagenet")
    return tf.keras.Sequential([made, tf.keras.layers.Dense(classes)])


def main() -> None:
    conf = OmegaConf.merge(OmegaConf.load("conf.yaml"), OmegaConf.from_cli())
    data = PipelineConfig(files=conf.train, labels=conf.labels)
    model = backbone(conf.backbone, conf.classes)
    model.compile(
        tf.keras.optimizers.Adam(conf.rate),
        tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(
        pipeline(data, Split.TRAIN),
        validation_data=pipeline(PipelineConfig(files=conf.valid, labels=conf.labels), Split.VALID),
        epochs=conf.epochs,
        callbacks=[tf.keras.callbacks.EarlyStopping(patience=5, restore_best_weights=True)],
    )


if __name__ == "__main__":
    main()
