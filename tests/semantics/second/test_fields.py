"""What attributes of a class's instances are set to: sizes that a configuration says."""

from __future__ import annotations

from textwrap import dedent

import pytest
from tests.semantics.second.written import loops

CONFIG = """\
from dataclasses import asdict, dataclass, field, replace
from typing import NamedTuple, Optional

@dataclass(frozen=True)
class Config:
    features: int
    horizon: int = 300

class Planner:
    def __init__(self, cfg):
        self.cfg = cfg

    def cost(self):
        for step in range(self.cfg.horizon): pass

"""


def count(program: str, config: str = CONFIG) -> int | None:
    """How often the loop of a planner runs that a program makes, as far as is known."""
    return loops(config + dedent(program))[0].known_count


def test_a_default_of_a_data_class_is_what_its_instances_have() -> None:
    assert count("Planner(Config(features=3)).cost()") == 300


def test_a_call_that_makes_the_instance_says_more_than_the_default() -> None:
    assert count("Planner(Config(features=3, horizon=70)).cost()") == 70


def test_a_field_says_its_default_beside_other_things() -> None:
    config = CONFIG.replace("= 300", "= field(default=300, repr=False)")
    assert count("Planner(Config(features=3)).cost()", config) == 300


def test_annotations_make_no_instance() -> None:
    program = """
    def show(cfg: Config, other: Optional[Config] = None) -> Config:
        return isinstance(cfg, Config)

    Planner(Config(features=3)).cost()
    """
    assert count(program) == 300


def test_a_named_tuple_has_defaults_too() -> None:
    config = CONFIG.replace("@dataclass(frozen=True)\n", "").replace(
        "Config:", "Config(NamedTuple):"
    )
    assert count("Planner(Config(features=3)).cost()", config) == 300


def test_a_constant_of_a_plain_class_is_what_its_instances_have() -> None:
    text = """\
    class Sampler:
        steps = 50

        def run(self):
            for _ in range(self.steps): pass
            for _ in range(Sampler.steps): pass
    """
    assert [loop.known_count for loop in loops(text)] == [50, 50]


def test_a_subclass_may_have_another_constant() -> None:
    text = """\
    class Sampler:
        steps = 50

        def run(self):
            for _ in range(self.steps): pass

    class Longer(Sampler):
        steps = 80
    """
    assert [loop.known_count for loop in loops(text)] == [None]


OTHERWISE = {
    "instances that differ": "Planner(Config(features=3)); Planner(Config(1, horizon=4))",
    "no instance": "def run(cfg: Config): Planner(cfg).cost()",
    "a file": "import yaml; Planner(Config(**yaml.safe_load(open('a.yaml')))).cost()",
    "a command line": "import tyro; Planner(tyro.cli(Config)); Planner(Config(features=3))",
    "a registry": "KINDS = {'plan': Config}; Planner(Config(features=3)).cost()",
    "another name": """
    Kind = Config
    def make(n): return Planner(Kind(1, n))
    Planner(Config(features=3)).cost()
    """,
    "a default of a parameter": """
    def make(kind=Config): return Planner(kind(1, 7))
    Planner(Config(features=3)).cost()
    """,
    "an assignment": "cfg = Config(features=3); cfg.horizon = 9; Planner(cfg).cost()",
    "an assignment to what may be it": """
    def adapt(options, given):
        options.horizon = given
    Planner(Config(features=3)).cost()
    """,
    "a copy": "Planner(replace(Config(features=3), horizon=9)); Planner(Config(features=3))",
    "a copy with whatever": """
    def run(**changes):
        Planner(replace(Config(features=3), **changes)).cost()
    """,
    "names that are computed": """
    def run(changes):
        cfg = Config(features=3)
        for name, value in changes.items():
            setattr(cfg, name, value)
        Planner(cfg).cost()
    """,
    "all of them as a dict": """
    def run(changes):
        cfg = Config(features=3)
        vars(cfg).update(changes)
        Planner(cfg).cost()
    """,
    "a dict of them by its own name": """
    def run(changes):
        cfg = Config(features=3)
        cfg.__dict__.update(changes)
        Planner(cfg).cost()
    """,
    "arguments by place": "Planner(Config(3, 40)).cost()",
}


@pytest.mark.parametrize("program", OTHERWISE.values(), ids=OTHERWISE)
def test_what_may_be_set_otherwise_is_unknown(program: str) -> None:
    assert count(program) is None


def test_a_dict_of_all_fields_that_is_only_read_changes_none() -> None:
    shown = "cfg = Config(features=3, horizon=40)\nprint(vars(cfg), cfg.__dict__)\n"
    assert count(shown + "Planner(cfg).cost()") == 40


def test_an_assignment_from_outside_counts_for_plain_classes_too() -> None:
    text = """\
    class Sampler:
        def __init__(self, count=40):
            self.count = count

        def run(self):
            for _ in range(self.count): pass

    sampler = Sampler()
    sampler.count = 3
    """
    assert [loop.known_count for loop in loops(text)] == [None]


def test_a_method_that_gets_the_class_may_make_other_instances() -> None:
    config = CONFIG.replace(
        "horizon: int = 300",
        "horizon: int = 300\n\n    @classmethod\n    def read(cls, told): return cls(**told)",
    )
    assert count("Planner(Config(features=3)).cost()", config) is None
