"""Questions about framework names, and what the knowledge answers."""

from __future__ import annotations

import pytest

from deepperf.knowledge.lookup import (
    Knowledge,
    load_knowledge,
    read_fact_file,
)
from deepperf.knowledge.schema import Trait
from deepperf.knowledge.tables import FactTableError


@pytest.fixture(name="tensorflow")
def tensorflow_knowledge() -> Knowledge:
    return load_knowledge(frozenset({"tensorflow"}))


@pytest.fixture(name="torch")
def torch_knowledge() -> Knowledge:
    return load_knowledge(frozenset({"torch"}))


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("tensorflow.compat.v1.Session", "tensorflow.Session"),
        ("tensorflow.compat.v2.data.Dataset.map", "tensorflow.data.Dataset.map"),
        ("tensorflow.reduce_sum", "tensorflow.math.reduce_sum"),
        ("tensorflow.compat.v1.log", "tensorflow.math.log"),
        ("tensorflow.random_normal", "tensorflow.random.normal"),
        ("tensorflow.matrix_inverse", "tensorflow.linalg.inv"),
        ("tensorflow.image.decode_jpeg", "tensorflow.io.decode_jpeg"),
        ("tensorflow.keras.models.Model.predict", "keras.Model.predict"),
        ("tensorflow.compat.v1.keras.backend.get_session", "keras.backend.get_session"),
        ("tensorflow.python.keras.layers.core.Dense", "keras.layers.Dense"),
        ("tf_keras.layers.MaxPool2D", "keras.layers.MaxPooling2D"),
        ("tensorflow.python.ops.math_ops.reduce_mean", "tensorflow.math.reduce_mean"),
        ("tensorflow.python.ops.array_ops.matrix_diag", "tensorflow.linalg.diag"),
        ("tensorflow.python.ops.nn_ops.conv2d", "tensorflow.nn.conv2d"),
        ("tensorflow.python.data.ops.dataset_ops.DatasetV2.map", "tensorflow.data.Dataset.map"),
        ("tensorflow.python.data.ops.readers.TextLineDataset", "tensorflow.data.TextLineDataset"),
        ("tensorflow.contrib.data.map_and_batch", "tensorflow.data.experimental.map_and_batch"),
        ("tensorflow.contrib.data.Dataset", "tensorflow.data.Dataset"),
        ("tensorflow.nothing_we_know", "tensorflow.nothing_we_know"),
        ("my.project.reduce_sum", "my.project.reduce_sum"),
    ],
)
def test_a_tensorflow_name_has_one_canonical_form(
    tensorflow: Knowledge, name: str, canonical: str
) -> None:
    assert tensorflow.canonical(name) == canonical


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("torch.nn.modules.linear.Linear", "torch.nn.Linear"),
        ("torch.autograd.Variable", "torch.Tensor"),
        ("torch.optim.adam.Adam", "torch.optim.Adam"),
        ("torch.functional.einsum", "torch.einsum"),
        ("torch.cuda.amp.autocast", "torch.autocast"),
    ],
)
def test_a_torch_name_has_one_canonical_form(torch: Knowledge, name: str, canonical: str) -> None:
    assert torch.canonical(name) == canonical


def test_a_method_is_found_in_the_bases_of_its_type(
    tensorflow: Knowledge, torch: Knowledge
) -> None:
    assert (
        tensorflow.method("tensorflow.data.TFRecordDataset", "map") == "tensorflow.data.Dataset.map"
    )
    assert tensorflow.method("keras.Sequential", "get_weights") == "keras.Layer.get_weights"
    assert torch.method("torch.optim.AdamW", "step") == "torch.optim.Optimizer.step"
    assert tensorflow.method("tensorflow.data.Dataset", "no_such_method") is None
    assert tensorflow.method("no.such.Type", "map") is None


def test_a_class_without_a_fact_of_its_own_is_made_like_its_base(torch: Knowledge) -> None:
    fact = torch.fact("torch.nn.Linear")
    assert fact is not None
    assert fact.returns == "torch.nn.Linear"
    assert fact.traits == {Trait.CREATES_LAYER, Trait.PROJECTS}


def test_a_type_takes_from_its_bases_what_its_table_leaves_out(torch: Knowledge) -> None:
    linear = torch.type("torch.nn.Linear")
    assert linear is not None
    assert linear.call_returns == "torch.Tensor"
    assert linear.call_traits == {Trait.COMPUTES, Trait.READS_STATE}


def test_subtypes(torch: Knowledge) -> None:
    assert torch.is_subtype("torch.nn.Linear", "torch.nn.Module")
    assert torch.is_subtype("torch.nn.Module", "torch.nn.Module")
    assert not torch.is_subtype("torch.nn.Module", "torch.nn.Linear")


def test_map_is_parallel_by_default_from_a_version_on_and_interleave_is_not(
    tensorflow: Knowledge,
) -> None:
    mapping = tensorflow.fact("tensorflow.data.Dataset.map")
    interleaving = tensorflow.fact("tensorflow.data.Dataset.interleave")
    assert mapping is not None
    assert interleaving is not None
    assert mapping.parallel_since == "2.6"
    assert interleaving.parallel_since == ""


def test_trigger_names_hold_the_names_under_which_a_trait_may_be_called(
    tensorflow: Knowledge,
) -> None:
    names = tensorflow.trigger_names([Trait.RANDOM, Trait.OPENS_SESSION])
    assert {"normal", "random_normal", "random_shuffle", "Session"} <= names
    assert "reduce_sum" not in names


def test_random_functions_of_jax_take_their_key_and_are_not_random() -> None:
    knowledge = load_knowledge(frozenset({"jax"}))
    fact = knowledge.fact("jax.random.normal")
    assert fact is not None
    assert Trait.RANDOM not in fact.traits


def test_a_framework_brings_those_that_it_needs(tensorflow: Knowledge) -> None:
    assert {"tensorflow", "keras", "numpy", "python"} == tensorflow.frameworks


def test_a_framework_without_facts_is_named() -> None:
    with pytest.raises(FactTableError, match=r"mxnet.toml: no facts are known"):
        read_fact_file("mxnet")
