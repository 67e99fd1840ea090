"""What layers do to the shape of what goes through them, and which arguments decide it.

A table beside the facts: these say what a callable does to the program, this one what a layer
does to a feature map. Positions count as in the constructor's signature.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field


class LayerKind(enum.Enum):
    """How the shape of a layer's result follows from the shape of its input."""

    CONVOLUTION = "convolution"
    TRANSPOSED = "transposed"  # a convolution that enlarges
    DEPTHWISE = "depthwise"  # each channel by itself
    SEPARABLE = "separable"  # depthwise, then 1x1
    POOLING = "pooling"
    GLOBAL_POOLING = "global-pooling"
    ADAPTIVE_POOLING = "adaptive-pooling"  # to the size that is asked for
    UPSAMPLING = "upsampling"
    PADDING = "padding"
    CROPPING = "cropping"
    DENSE = "dense"
    RECURRENT = "recurrent"
    RECURRENT_CONVOLUTION = "recurrent-convolution"
    EMBEDDING = "embedding"
    FLATTEN = "flatten"
    RESHAPE = "reshape"
    REPEAT = "repeat"
    NORMALIZATION = "normalization"  # as the input is, with weights per channel
    SAME = "same"  # as the input is, without weights
    CONCATENATION = "concatenation"
    MERGING = "merging"  # inputs of one shape
    INPUT = "input"
    PER_STEP = "per-step"  # another layer, applied to each step of a sequence
    BOTH_WAYS = "both-ways"  # a recurrent layer, twice


class Axes(enum.Enum):
    """Where a framework's feature maps have their channels."""

    CHANNELS_LAST = "channels-last"
    CHANNELS_FIRST = "channels-first"


@dataclass(frozen=True, slots=True)
class LayerForm:
    """One layer class.

    `rank` is the number of spatial dimensions, 0 where any will do. `arguments` maps what an
    argument means to its keyword and its position (None for keyword-only). `weights` is the
    number of weight matrices of a recurrent cell, of weights per channel of a normalization.
    `is_applied` says that the call itself applies the layer, to its first argument.
    """

    kind: LayerKind
    rank: int = 0
    axes: Axes = Axes.CHANNELS_LAST
    arguments: Mapping[str, tuple[str, int | None]] = field(default_factory=dict)
    weights: int = 0
    is_applied: bool = False


KEEP_SHAPE = frozenset(
    [
        "torch.nn.functional.dropout",
        "torch.nn.functional.dropout2d",
        "torch.nn.functional.softmax",
        "torch.nn.functional.log_softmax",
        "torch.softmax",
        "tensorflow.nn.dropout",
        "tensorflow.identity",
    ]
)
"""Functions, elementwise ones apart, that give what is as large as what they are given."""


def form_of(name: str) -> LayerForm | None:
    """The form of the layer class, or layer function, with this canonical name."""
    return _FORMS.get(name)


def names() -> tuple[str, ...]:
    """The canonical names of all layers in the table."""
    return tuple(_FORMS)


_CONVOLUTION = {
    "units": ("filters", 0),
    "kernel": ("kernel_size", 1),
    "stride": ("strides", 2),
    "padding": ("padding", 3),
    "layout": ("data_format", 4),
    "dilation": ("dilation_rate", 5),
    "groups": ("groups", 6),
    "bias": ("use_bias", 8),
}
_TRANSPOSED = {
    "units": ("filters", 0),
    "kernel": ("kernel_size", 1),
    "stride": ("strides", 2),
    "padding": ("padding", 3),
    "layout": ("data_format", 5),
    "bias": ("use_bias", 8),
}
_DEPTHWISE = {
    "kernel": ("kernel_size", 0),
    "stride": ("strides", 1),
    "padding": ("padding", 2),
    "multiplier": ("depth_multiplier", 3),
    "layout": ("data_format", 4),
    "dilation": ("dilation_rate", 5),
    "bias": ("use_bias", 7),
}
_SEPARABLE = {
    "units": ("filters", 0),
    "kernel": ("kernel_size", 1),
    "stride": ("strides", 2),
    "padding": ("padding", 3),
    "layout": ("data_format", 4),
    "dilation": ("dilation_rate", 5),
    "multiplier": ("depth_multiplier", 6),
    "bias": ("use_bias", 8),
}
_POOLING = {
    "kernel": ("pool_size", 0),
    "stride": ("strides", 1),
    "padding": ("padding", 2),
    "layout": ("data_format", 3),
}
_RECURRENT_CONVOLUTION = {
    "units": ("filters", 0),
    "kernel": ("kernel_size", 1),
    "stride": ("strides", 2),
    "padding": ("padding", 3),
    "layout": ("data_format", 4),
    "dilation": ("dilation_rate", 5),
    "bias": ("use_bias", 8),
    "sequences": ("return_sequences", None),
}
_DENSE = {"units": ("units", 0), "bias": ("use_bias", 2)}
_RECURRENT = {"units": ("units", 0), "sequences": ("return_sequences", None)}
_FIRST_OF_KERAS = {
    "shape": ("input_shape", None),
    "batch_shape": ("batch_input_shape", None),
    "features": ("input_dim", None),
}

_TORCH_CONVOLUTION = {
    "inputs": ("in_channels", 0),
    "units": ("out_channels", 1),
    "kernel": ("kernel_size", 2),
    "stride": ("stride", 3),
    "padding": ("padding", 4),
    "dilation": ("dilation", 5),
    "groups": ("groups", 6),
    "bias": ("bias", 7),
}
_TORCH_LAZY = {
    "units": ("out_channels", 0),
    "kernel": ("kernel_size", 1),
    "stride": ("stride", 2),
    "padding": ("padding", 3),
    "dilation": ("dilation", 4),
    "groups": ("groups", 5),
    "bias": ("bias", 6),
}
_TORCH_TRANSPOSED = {
    "inputs": ("in_channels", 0),
    "units": ("out_channels", 1),
    "kernel": ("kernel_size", 2),
    "stride": ("stride", 3),
    "padding": ("padding", 4),
    "enlargement": ("output_padding", 5),
    "groups": ("groups", 6),
    "bias": ("bias", 7),
    "dilation": ("dilation", 8),
}
_TORCH_MAXIMUM = {
    "kernel": ("kernel_size", 0),
    "stride": ("stride", 1),
    "padding": ("padding", 2),
    "dilation": ("dilation", 3),
    "ceiling": ("ceil_mode", 5),
}
_TORCH_AVERAGE = {
    "kernel": ("kernel_size", 0),
    "stride": ("stride", 1),
    "padding": ("padding", 2),
    "ceiling": ("ceil_mode", 3),
}
_FLAX_CONVOLUTION = {
    "units": ("features", 0),
    "kernel": ("kernel_size", 1),
    "stride": ("strides", 2),
    "padding": ("padding", 3),
    "groups": ("feature_group_count", None),
    "bias": ("use_bias", None),
}

_KERAS_SAME = """Activation ActivityRegularization AlphaDropout Dropout ELU GaussianDropout
GaussianNoise Identity LeakyReLU Masking ReLU Rescaling Softmax SpatialDropout1D SpatialDropout2D
SpatialDropout3D ThresholdedReLU UnitNormalization RandomFlip RandomRotation RandomZoom
RandomContrast RandomTranslation RandomBrightness"""
_TORCH_SAME = """CELU ELU GELU Hardshrink Hardsigmoid Hardswish Hardtanh Identity LeakyReLU
LogSigmoid Mish ReLU ReLU6 SELU Sigmoid SiLU Softplus Softshrink Softsign Tanh Tanhshrink Threshold
AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout RReLU LogSoftmax Softmax
Softmax2d LocalResponseNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d"""


def _keras() -> dict[str, LayerForm]:
    kind = LayerKind
    found = {
        "Dense": LayerForm(kind.DENSE, 0, arguments=_DENSE),
        "Flatten": LayerForm(kind.FLATTEN, arguments={"layout": ("data_format", 0)}),
        "Reshape": LayerForm(kind.RESHAPE, arguments={"target": ("target_shape", 0)}),
        "RepeatVector": LayerForm(kind.REPEAT, arguments={"times": ("n", 0)}),
        "Embedding": LayerForm(
            kind.EMBEDDING,
            arguments={
                "words": ("input_dim", 0),
                "units": ("output_dim", 1),
                "length": ("input_length", None),
            },
        ),
        "LSTM": LayerForm(kind.RECURRENT, 1, arguments=_RECURRENT, weights=4),
        "CuDNNLSTM": LayerForm(kind.RECURRENT, 1, arguments=_RECURRENT, weights=4),
        "GRU": LayerForm(kind.RECURRENT, 1, arguments=_RECURRENT, weights=3),
        "CuDNNGRU": LayerForm(kind.RECURRENT, 1, arguments=_RECURRENT, weights=3),
        "SimpleRNN": LayerForm(kind.RECURRENT, 1, arguments=_RECURRENT, weights=1),
        "Bidirectional": LayerForm(
            kind.BOTH_WAYS, 1, arguments={"layer": ("layer", 0), "merge": ("merge_mode", 1)}
        ),
        "TimeDistributed": LayerForm(kind.PER_STEP, arguments={"layer": ("layer", 0)}),
        "BatchNormalization": LayerForm(kind.NORMALIZATION, weights=4),
        "LayerNormalization": LayerForm(kind.NORMALIZATION, weights=2),
        "Concatenate": LayerForm(kind.CONCATENATION, arguments={"axis": ("axis", 0)}),
        "InputLayer": LayerForm(
            kind.INPUT, arguments={"shape": ("shape", 0), "batch_shape": ("batch_shape", None)}
        ),
        "concatenate": LayerForm(
            kind.CONCATENATION, arguments={"axis": ("axis", 1)}, is_applied=True
        ),
    }
    for name in ("Add", "Average", "Maximum", "Minimum", "Multiply", "Subtract"):
        found[name] = LayerForm(kind.MERGING)
        found[name.lower()] = LayerForm(kind.MERGING, is_applied=True)
    for name in _KERAS_SAME.split():
        found[name] = LayerForm(kind.SAME)
    for rank in (1, 2, 3):
        end = f"{rank}D"
        found[f"Conv{end}"] = LayerForm(kind.CONVOLUTION, rank, arguments=_CONVOLUTION)
        found[f"Conv{end}Transpose"] = LayerForm(kind.TRANSPOSED, rank, arguments=_TRANSPOSED)
        if rank < 3:
            found[f"DepthwiseConv{end}"] = LayerForm(kind.DEPTHWISE, rank, arguments=_DEPTHWISE)
            found[f"SeparableConv{end}"] = LayerForm(kind.SEPARABLE, rank, arguments=_SEPARABLE)
        found[f"ConvLSTM{end}"] = LayerForm(
            kind.RECURRENT_CONVOLUTION, rank, arguments=_RECURRENT_CONVOLUTION, weights=4
        )
        for pooling in ("Max", "Average"):
            found[f"{pooling}Pooling{end}"] = LayerForm(kind.POOLING, rank, arguments=_POOLING)
            found[f"Global{pooling}Pooling{end}"] = LayerForm(
                kind.GLOBAL_POOLING, rank, arguments={"kept": ("keepdims", None)}
            )
        found[f"UpSampling{end}"] = LayerForm(
            kind.UPSAMPLING, rank, arguments={"stride": ("size", 0), "layout": ("data_format", 1)}
        )
        found[f"ZeroPadding{end}"] = LayerForm(
            kind.PADDING, rank, arguments={"amount": ("padding", 0), "layout": ("data_format", 1)}
        )
        found[f"Cropping{end}"] = LayerForm(
            kind.CROPPING, rank, arguments={"amount": ("cropping", 0), "layout": ("data_format", 1)}
        )
    for name, form in found.items():
        if not form.is_applied and form.kind is not kind.INPUT:
            arguments = {**_FIRST_OF_KERAS, **form.arguments}
            found[name] = LayerForm(form.kind, form.rank, form.axes, arguments, form.weights)
    return {f"keras.layers.{name}": form for name, form in found.items()} | {
        "keras.Input": LayerForm(
            kind.INPUT, arguments={"shape": ("shape", 0), "batch_shape": ("batch_shape", None)}
        )
    }


def _torch() -> dict[str, LayerForm]:
    kind, first = LayerKind, Axes.CHANNELS_FIRST
    found = {
        "Linear": LayerForm(
            kind.DENSE,
            0,
            first,
            {"inputs": ("in_features", 0), "units": ("out_features", 1), "bias": ("bias", 2)},
        ),
        "LazyLinear": LayerForm(
            kind.DENSE, 0, first, {"units": ("out_features", 0), "bias": ("bias", 1)}
        ),
        "Flatten": LayerForm(
            kind.FLATTEN, 0, first, {"from": ("start_dim", 0), "to": ("end_dim", 1)}
        ),
        "Embedding": LayerForm(
            kind.EMBEDDING,
            0,
            first,
            {"words": ("num_embeddings", 0), "units": ("embedding_dim", 1)},
        ),
        "LayerNorm": LayerForm(kind.NORMALIZATION, 0, first),
    }
    for name in _TORCH_SAME.split():
        found[name] = LayerForm(kind.SAME, 0, first)
    for rank in (1, 2, 3):
        end = f"{rank}d"
        found[f"Conv{end}"] = LayerForm(kind.CONVOLUTION, rank, first, _TORCH_CONVOLUTION)
        found[f"LazyConv{end}"] = LayerForm(kind.CONVOLUTION, rank, first, _TORCH_LAZY)
        found[f"ConvTranspose{end}"] = LayerForm(kind.TRANSPOSED, rank, first, _TORCH_TRANSPOSED)
        found[f"MaxPool{end}"] = LayerForm(kind.POOLING, rank, first, _TORCH_MAXIMUM)
        found[f"AvgPool{end}"] = LayerForm(kind.POOLING, rank, first, _TORCH_AVERAGE)
        for pooling in ("Max", "Avg"):
            found[f"Adaptive{pooling}Pool{end}"] = LayerForm(
                kind.ADAPTIVE_POOLING, rank, first, {"size": ("output_size", 0)}
            )
        found[f"BatchNorm{end}"] = LayerForm(
            kind.NORMALIZATION, rank, first, {"affine": ("affine", 3)}, weights=2
        )
    return {f"torch.nn.{name}": form for name, form in found.items()}


def _tensorflow() -> dict[str, LayerForm]:
    """The layers of TensorFlow 1, which are functions: the input is their first argument."""
    kind = LayerKind

    def later(arguments: Mapping[str, tuple[str, int | None]]) -> dict[str, tuple[str, int | None]]:
        return {
            meaning: (name, None if position is None else position + 1)
            for meaning, (name, position) in arguments.items()
        }

    found = {
        "dense": LayerForm(kind.DENSE, 0, arguments=later(_DENSE), is_applied=True),
        "flatten": LayerForm(kind.FLATTEN, is_applied=True),
        "dropout": LayerForm(kind.SAME, is_applied=True),
        "batch_normalization": LayerForm(kind.NORMALIZATION, weights=4, is_applied=True),
    }
    convolution = {name: _CONVOLUTION[name] for name in list(_CONVOLUTION)[:6]}
    for rank in (1, 2, 3):
        found[f"conv{rank}d"] = LayerForm(
            kind.CONVOLUTION, rank, arguments=later(convolution), is_applied=True
        )
        for pooling in ("max", "average"):
            found[f"{pooling}_pooling{rank}d"] = LayerForm(
                kind.POOLING, rank, arguments=later(_POOLING), is_applied=True
            )
    return {f"tensorflow.layers.{name}": form for name, form in found.items()}


def _flax() -> dict[str, LayerForm]:
    return {
        "flax.linen.Conv": LayerForm(LayerKind.CONVOLUTION, 0, arguments=_FLAX_CONVOLUTION),
        "flax.linen.Dense": LayerForm(LayerKind.DENSE, 0, arguments={"units": ("features", 0)}),
    }


_FORMS: Mapping[str, LayerForm] = {**_keras(), **_torch(), **_tensorflow(), **_flax()}
