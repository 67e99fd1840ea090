"""The facts agree with the frameworks that are installed here."""

from __future__ import annotations

import importlib.util
import json

import pytest
from tests.knowledge.conftest import Answer

from deepperf.knowledge.lookup import known_frameworks, load_knowledge
from deepperf.knowledge.schema import Trait


def needs(framework: str) -> None:
    if framework != "python" and importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")


@pytest.mark.parametrize("framework", known_frameworks())
def test_names_parameters_and_defaults_are_those_of_the_installed_version(
    framework: str, answer_of: Answer
) -> None:
    needs(framework)
    answer = answer_of("truth.py", framework)
    assert answer.returncode == 0, answer.stdout + answer.stderr[-2000:]


@pytest.mark.parametrize("framework", ["tensorflow", "keras", "torch", "numpy"])
def test_what_is_called_elementwise_gives_on_a_batch_the_batch_of_its_results(
    framework: str, answer_of: Answer
) -> None:
    needs(framework)
    answer = answer_of("elementwise_truth.py", framework)
    assert answer.returncode == 0, answer.stdout + answer.stderr[-2000:]


def test_each_name_of_a_member_is_one_that_some_framework_has(answer_of: Answer) -> None:
    for framework in ("tensorflow", "torch", "jax"):
        needs(framework)
    answer = answer_of("members_truth.py")
    assert answer.returncode == 0, answer.stdout + answer.stderr[-2000:]


def test_what_layers_are_told_stands_where_the_installed_signatures_have_it(
    answer_of: Answer,
) -> None:
    for framework in ("tensorflow", "torch"):
        needs(framework)
    answer = answer_of("layers_truth.py")
    assert answer.returncode == 0, answer.stdout + answer.stderr[-2000:]


@pytest.fixture(name="parallel", scope="module")
def which_maps_are_parallel(answer_of: Answer) -> dict[str, bool]:
    needs("tensorflow")
    answer = answer_of("parallel_map_truth.py")
    assert answer.returncode == 0, answer.stderr[-2000:]
    answers: dict[str, bool] = json.loads(answer.stdout.splitlines()[-1])
    return answers


@pytest.mark.parametrize(
    "case",
    [
        "arithmetic",
        "stateless random",
        "read_file",
        "decode",
        "cond",
        "numpy_function said to be stateless",
    ],
)
def test_a_map_of_a_stateless_function_is_parallel_by_itself(
    parallel: dict[str, bool], case: str
) -> None:
    assert parallel[case]


@pytest.mark.parametrize(
    "case",
    [
        "random",
        "generator",
        "image flip",
        "dropout",
        "variable",
        "table",
        "py_function",
        "numpy_function",
        "print",
    ],
)
def test_a_map_of_a_stateful_function_stays_serial(parallel: dict[str, bool], case: str) -> None:
    assert not parallel[case]


@pytest.mark.parametrize("case", ["interleave", "batch", "switched off"])
def test_nothing_else_becomes_parallel_by_itself(parallel: dict[str, bool], case: str) -> None:
    assert not parallel[case]


@pytest.mark.parametrize(
    "name",
    [
        "tensorflow.random.uniform",
        "tensorflow.random.Generator.uniform",
        "tensorflow.image.random_flip_left_right",
        "tensorflow.nn.dropout",
        "tensorflow.lookup.StaticHashTable.lookup",
        "tensorflow.py_function",
        "tensorflow.numpy_function",
        "tensorflow.print",
    ],
)
def test_the_facts_say_so_of_every_op_that_keeps_a_map_serial(name: str) -> None:
    fact = load_knowledge(frozenset({"tensorflow"})).fact(name)
    assert fact is not None
    stateful = {
        Trait.RANDOM,
        Trait.READS_STATE,
        Trait.WRITES_STATE,
        Trait.CALLS_PYTHON,
        Trait.PRINTS,
    }
    assert fact.traits & stateful


def test_jax_finds_functions_again_as_the_facts_say(answer_of: Answer) -> None:
    needs("jax")
    answer = answer_of("compiled_again_truth.py")
    assert answer.returncode == 0, answer.stderr[-2000:]
    assert json.loads(answer.stdout.splitlines()[-1]) == {
        "jit of one object": 1,
        "jit of a method": 5,
        "jit of a lambda": 5,
        "pmap of a method": 1,
        "pmap of a lambda": 5,
    }


def test_torch_copies_arrays_that_it_makes_tensors_of_as_the_page_says(answer_of: Answer) -> None:
    needs("torch")
    answer = answer_of("moves_truth.py")
    assert answer.returncode == 0, answer.stderr[-2000:]
    assert json.loads(answer.stdout.splitlines()[-1]) == {
        "from_numpy": False,
        "to the processor": False,
        "to another type": True,
        "tensor": True,
    }
