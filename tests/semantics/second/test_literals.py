"""Which literal something is wherever the project says it: variables, fields, dicts, `**`."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

from tests.semantics.second.written import MAIN, calls, files, probed

from deepperf.semantics.query import MISSING

UNKNOWN = "unknown"
CONFIG = """\
from dataclasses import dataclass, field, replace

@dataclass
class Config:
    root: str
    size: int = 3
    extra: dict = field(default_factory=lambda: {"kind": "eager"})

"""


def literals(text: str) -> list[Any]:
    """What stands in `probe(…)` is, in the order of the text."""
    found = [value.literal for value in probed(text)]
    return [UNKNOWN if one is MISSING else one for one in found]


def passed(text: str, name: str = "size") -> tuple[Any, bool]:
    """What the call of `make` passes by a name, and whether it may pass what is not seen."""
    call = calls(text, "make")[0]
    value = call.argument(name)
    told = None if value is None else UNKNOWN if value.literal is MISSING else value.literal
    return told, call.passes_unknown


def test_a_literal_is_known_over_names_and_functions_that_return_it() -> None:
    text = """
    SIZE = 4
    def kind(): return "eager"
    def run(n, m=2.5):
        probe(SIZE); probe(kind()); probe(n); probe(m); probe(-SIZE)
    run(5)
    """
    assert literals(text) == [4, "eager", 5, 2.5, -4]


def test_a_parameter_has_what_all_callers_pass_and_the_default_where_one_passes_none() -> None:
    run = "def run(n=1): probe(n)\n"
    assert literals(run) == [1]
    assert literals(run + "run(); run(1)") == [1]
    assert literals(run + "run(); run(2)") == [UNKNOWN]
    assert literals(run + "run(2); run(n=2)") == [2]
    assert literals(run + "run(*sizes)") == [UNKNOWN]


def test_one_of_two_values_is_none_that_it_always_is() -> None:
    text = """
    size = 1 if small else 2
    probe(size)
    same = 1 if small else 1
    probe(same)
    probe(size or 1)
    """
    assert literals(text) == [UNKNOWN, 1, UNKNOWN]


def test_true_is_not_one() -> None:
    assert literals("flag = 1 if small else True\nprobe(flag)") == [UNKNOWN]


def test_a_field_is_what_its_instances_are_made_with() -> None:
    text = CONFIG + "cfg = Config('a')\nprobe(cfg.size); probe(cfg.root); probe(cfg.extra['kind'])"
    assert literals(text) == [3, "a", "eager"]
    assert literals(CONFIG + "probe(Config('a', size=7).size); probe(Config.size)") == [7, 7]
    # Which of the body's names are fields is not known beyond those without a value.
    assert literals(CONFIG + "probe(Config('a', 7).size)") == [UNKNOWN]
    assert literals(CONFIG + "probe(Config(*given).size)") == [UNKNOWN]
    assert literals(CONFIG + "cfg = parse(Config)\nprobe(cfg.size)") == [UNKNOWN]


def test_a_parameter_that_an_instance_is_the_default_of_has_its_fields() -> None:
    text = """
    def run(config=Config("data")):
        probe(config.size)
        helper(config)

    def helper(config):
        probe(config.size)

    def other(config: Config):
        probe(config.root)
    """
    assert literals(CONFIG + dedent(text)) == [3, 3, "data"]
    made = CONFIG + dedent(text) + "\nrun(Config('data', 4))\nConfig('other')\n"
    assert literals(made) == [UNKNOWN, UNKNOWN, UNKNOWN]


def test_the_fields_of_an_instance_are_passed_by_name() -> None:
    text = """
    from dataclasses import asdict

    def run(config=Config("data")):
        make(**asdict(config))
    """
    assert passed(CONFIG + dedent(text)) == (3, False)
    changed = CONFIG + dedent(text) + "\ndef change(config: Config):\n    config.size = 4\n"
    assert passed(changed) == (None, True)


def test_a_field_of_a_class_that_others_read_too_is_known() -> None:
    text = CONFIG + "cfg = Config(argument, extra={})\nshow(Config.size)\nprobe(cfg.size)"
    assert literals(text) == [3]


def test_constants_of_another_file_are_known() -> None:
    main = "import settings\nfrom settings import KIND\nprobe(settings.SIZE); probe(KIND)"
    first = files({MAIN: main, "settings.py": "SIZE = 6\nKIND = 'sdpa'\n"})
    found = [call for call in first.calls() if call.name == "probe"]
    found.sort(key=lambda call: call.span)
    assert [call.arguments[0].literal for call in found] == [6, "sdpa"]


def test_two_stars_pass_what_lies_in_a_dict() -> None:
    assert passed("common = dict(size=3, b=n)\nmake(1, **common)") == (3, False)
    assert passed("common = {'size': 3}\nmake(1, **common, b=2)") == (3, False)
    assert passed("common = {'b': 3}\nmake(1, **common)") == (None, False)
    assert passed("make(1, **{**{'size': 3}, 'b': 1})") == (3, False)
    assert passed("make(1, **dict(dict(size=2), size=3))") == (3, False)
    assert passed("make(1, **({'size': 2} | {'size': 3}))") == (3, False)
    assert passed("common = {'size': 3}\nown = common.copy()\nmake(**own)") == (3, False)


def test_two_stars_pass_what_an_attribute_or_a_function_gives() -> None:
    text = """
    def settings(): return {"size": 3}
    class Loader:
        def __init__(self): self.options = settings()
        def load(self): return make(1, **self.options)
    """
    assert passed(text) == (3, False)


def test_a_key_that_is_set_later_is_not_known_and_others_are() -> None:
    text = "common = {'size': 3, 'b': 1}\nif fast: common['size'] = 4\nmake(**common)"
    assert passed(text) == (None, True)
    assert passed(text, "b") == (1, True)
    text = "def settings(): return {'size': 3}\nown = settings()\nown['b'] = 1\nmake(**own)"
    assert passed(text) == (3, True)


def test_a_dict_that_anything_may_change_tells_nothing() -> None:
    for change in (
        "common.update(more)",
        "common[name] = 4",
        "common.pop('size')",
        "del common['size']",
        "adapt(common)",
        "common |= more",
        "common = more",
    ):
        text = f"common = {{'size': 3}}\nif fast: {change}\nmake(**common)"
        assert passed(text) == (None, True), change


def test_what_others_do_with_an_attribute_changes_its_dict() -> None:
    text = """
    class Loader:
        def __init__(self): self.options = {"size": 3}
        def load(self): return make(1, **self.options)
    def tune(loader): loader.options["size"] = 1
    """
    assert passed(text) == (None, True)


def test_the_rest_of_a_function_is_what_its_only_caller_passes() -> None:
    wrapper = "def load(data, flag=0, **rest): return make(data, **rest)\n"
    assert passed(wrapper + "load(1, flag=1, size=3)") == (3, False)
    assert passed(wrapper + "load(1, **{'size': 3})") == (3, False)
    assert passed(wrapper + "load(1, size=3)\nload(2, size=4)") == (None, True)
    assert passed(wrapper) == (None, True)
    assert passed("def load(**rest):\n    rest['size'] = 1\n    make(**rest)\nload(size=3)") == (
        None,
        True,
    )


def test_what_partial_binds_is_passed() -> None:
    bound = "from functools import partial\nmake = partial(load, 7, size=3)\n"
    assert passed(bound + "make(1)") == (3, False)
    assert passed(bound + "make(1, size=4)") == (4, False)
    assert passed(bound + "def run(): return make(1)") == (3, False)
    either = bound.replace("make = partial(load, 7, size=3)", "make = {0} if x else load\n")
    assert passed(either.format("partial(load, 7, size=3)") + "make(1)")[0] is None
    assert passed(bound.replace("size=3", "**options") + "make(1)") == (None, True)
    assert passed(bound.replace("size=3", "**{'size': 3}") + "make(1)") == (3, False)
    call = calls(bound + "make(1, 2)", "make")[0]
    given = [call.argument("", position) for position in range(4)]
    assert [one and one.literal for one in given] == [7, 1, 2, None]


def test_a_number_that_is_squared_again_and_again_is_not_known() -> None:
    assert literals("x = 3\n" + "x = x * x\n" * 3 + "probe(x)") == [3**8]
    assert literals("x = 3\n" + "x = x * x\n" * 90 + "probe(x)") == [UNKNOWN]
