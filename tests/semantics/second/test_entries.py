"""What dicts of options hold, and which literals are passed through them."""

from __future__ import annotations

from typing import Any

from tests.semantics.second.written import calls, files, loops, probed

from deepperf.semantics.query import MISSING


def passed(text: str, name: str = "padding") -> Any:
    """The literal that the call of `f` is passed by a name, as far as is known."""
    value = calls(text, "f")[-1].argument(name)
    return MISSING if value is None else value.literal


def test_a_dict_that_is_unpacked_passes_its_entries() -> None:
    assert passed("f(**{'padding': 1})") == 1
    assert passed("options = dict(padding=1)\nf(**options)") == 1
    assert passed("common = {'padding': 1}\nf(**{**common, 'more': 2})") == 1
    assert passed("common = {'padding': 1}\nf(**dict(more=2, **common))") == 1
    assert passed("common = {'padding': 1}\nf(**{**common, 'padding': 2})") == 2


def test_a_dict_is_followed_through_functions_and_attributes() -> None:
    assert passed("def made():\n    return {'padding': 1}\n\nf(**made())") == 1
    kept = """
    class Encoder:
        def __init__(self):
            self.options = {"padding": 1}

        def run(self):
            f(**self.options)
    """
    assert passed(kept) == 1


def test_functions_that_a_dict_is_passed_to_change_what_they_are_seen_to_set() -> None:
    bodies = {
        "print(o['padding'])": 1,
        "o['more'] = 2": 1,
        "other(o)": MISSING,
        "if o:\n        inner(o)": 1,
        "inner(o, o)": MISSING,
        "o['padding'] = 2": MISSING,
        "o.update(more)": MISSING,
        "def change():\n        o['padding'] = 2\n\n    change()": MISSING,
        "self.kept = o": MISSING,
        "inner(more)": 1,
    }
    for body, wanted in bodies.items():
        text = f"""
def inner(o, p=None):
    return o['padding']

def reads(o, self=None):
    {body}

options = {{'padding': 1}}
reads(options)
f(**options)
"""
        assert passed(text) == wanted, body
    assert passed("def g(o):\n    f(padding=o['padding'])\n\ng({'padding': 1})") == 1
    recursive = "def g(o):\n    g(o)\n    f(padding=o['padding'])\n\ng({'padding': 1})"
    assert passed(recursive) == 1
    assert passed("def g(*o):\n    pass\n\no = {'padding': 1}\ng(o)\nf(**o)") is MISSING


def test_what_may_be_changed_is_not_known() -> None:
    changes = (
        "options['padding'] = 2",
        "options.update(more)",
        "options.pop('padding')",
        "options |= more",
        "options[key] = 2",
        "del options['padding']",
    )
    for change in changes:
        assert passed(f"options = {{'padding': 1}}\n{change}\nf(**options)") is MISSING, change
        made = (
            f"def made():\n    return {{'padding': 1}}\n\noptions = made()\n{change}\nf(**options)"
        )
        assert passed(made) is MISSING, change


def test_a_dict_that_others_hold_and_change_is_not_known() -> None:
    changes = (
        "class Trainer:\n    def __init__(self, o):\n        o['padding'] = 2\n\nTrainer(options)",
        "held = {'a': options}\nheld['a']['padding'] = 2",
        "held = {'a': options}\nheld.get('a')['padding'] = 2",
        "for one in [options]:\n    one['padding'] = 2",
        "def get():\n    return options\n\nget()['padding'] = 2",
        "held = []\nheld.append(options)\nheld[0]['padding'] = 2",
        "args.options = options\nargs.options['padding'] = 2",
    )
    for change in changes:
        text = f"options = {{'padding': 1}}\n{change}\ndef run():\n    f(**options)"
        assert passed(text) is MISSING, change


def test_a_dict_within_another_is_known_where_only_others_of_it_are_changed() -> None:
    made = "held = {'a': {'padding': 1}, 'b': {'padding': 3}, 'name': 'x'}\n"
    run = "def run():\n    f(**held['a'])"
    assert passed(f"{made}held['b']['padding'] = 2\nprint(held['name'].lower())\n{run}") == 1
    assert passed(f"{made}print(held.get('a')['padding'])\n{run}") == 1
    assert passed(f"{made}held['a']['padding'] = 2\n{run}") is MISSING
    assert passed(f"{made}change(held['a'])\n{run}") is MISSING
    assert passed(f"{made}for one in held.values():\n    one['padding'] = 2\n{run}") is MISSING


def test_what_another_file_changes_is_not_known() -> None:
    main = "import config\nfrom config import O\n\ndef run():\n    probe({0})\n"
    changes = (
        ("O['a']", "from config import O\nO['a'] = 8"),
        ("O['a']", "import config\nconfig.O['a'] = 8"),
        ("config.O['a']", "from config import O\n\ndef cli(x):\n    O.update(x)"),
        ("config.SIZE", "import config\nconfig.SIZE = 8"),
    )
    for read, change in changes:
        texts = {"main.py": main.format(read), "config.py": "O = {'a': 1}\nSIZE = 1"}
        for other, expected in (("", 1), ("O = 'no Python", 1), (change, MISSING)):
            found = files({**texts, "cli.py": other}).calls()
            (call,) = [call for call in found if call.name == "probe"]
            assert call.arguments[0].literal is expected, (read, other)


def test_dicts_that_hold_each_other_in_a_circle_end() -> None:
    loop = "held = [{'padding': 1}]\nfor _ in range(n):\n    held = [held[0]]\nf(**held[0])"
    assert passed(loop) is MISSING
    loop = "held = {'padding': 1}\nfor _ in range(n):\n    held = {'a': held}\nf(**held)"
    assert passed(loop) is MISSING


def test_one_of_two_dicts_is_not_known() -> None:
    assert passed("f(**({'padding': 1} if x else {'padding': 2}))") is MISSING
    assert passed("f(**{**unknown, 'padding': 1})") is MISSING


def test_a_literal_is_what_constants_say() -> None:
    texts = {
        "main.py": """
        import told
        from told import RATE

        NAMES = {"kind": "max"}

        def run(eager=True):
            probe(eager)

        probe(RATE)
        probe(told.RATE)
        probe(NAMES["kind"])
        run()
        """,
        "told.py": "RATE = 0.3",
    }
    found = [call for call in files(texts).calls() if call.name == "probe"]
    said = [call.arguments[0].literal for call in sorted(found, key=lambda call: call.span)]
    assert said == [True, 0.3, 0.3, "max"]


def test_one_and_true_are_two_literals() -> None:
    text = "def run(x):\n    probe(x)\n\nrun(1)\nrun(True)"
    assert [value.literal for value in probed(text)] == [MISSING]


def test_a_count_is_implied_by_an_option() -> None:
    text = """
    import argparse

    def run(steps):
        for _ in range(steps):
            pass

    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=600)
    run(parser.parse_args().steps)
    """
    (loop,) = loops(text)
    assert (loop.known_count, loop.implied_count) == (None, 600)
    (other,) = loops(text.replace(", default=600", ""))
    assert other.implied_count is None
    for change in ("parser.set_defaults(steps=4)\nrun", "parser.set_defaults(**more)\nrun"):
        (other,) = loops(text.replace("    run(parser", f"    {change}(parser".replace("\n", "; ")))
        assert other.implied_count is None, change


def test_an_option_that_code_sets_is_not_what_it_is_by_default() -> None:
    text = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=600)
    args = parser.parse_args()
    {0} = 4
    for _ in range(args.steps):
        pass
    """
    (loop,) = loops(text.format("args.steps"))
    assert loop.implied_count is None
    (loop,) = loops(text.format("args.other"))
    assert loop.implied_count == 600


def test_a_progress_bar_gives_what_it_goes_over() -> None:
    text = "from tqdm import tqdm\n\nfor x in tqdm(['a', 'b'], desc='x'):\n    probe(x)"
    assert [value.python_type for value in probed(text)] == ["str"]


def test_a_method_that_only_texts_have_gives_a_text() -> None:
    assert [value.python_type for value in probed("probe(unknown.strip())")] == ["str"]
    assert [value.python_type for value in probed("probe(unknown.lower())")] == [""]


def test_what_is_kept_on_a_state_may_be_read_from_it() -> None:
    text = """
    class Model:
        def run(self): pass

    def start(app):
        app.state.model = Model()

    def answer(request):
        request.app.state.model.run()
        request.app.other.model.run()
    """
    found = [call for call in calls(text, "request.app.state.model.run") if call.runs]
    assert len(found) == 1
    assert not calls(text, "request.app.other.model.run")[0].runs
