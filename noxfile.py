"""Sessions beyond `make test`: every supported Python, and each kind of check by itself."""

from __future__ import annotations

import nox

nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["lint", "types", "tests"]

PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14", "3.15"]

CORE = ("tests/semantics", "tests/check", "tests/rules", "tests/notebooks", "tests/fixes")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """All tests with the light core: those that need a framework say so and are left out."""
    session.install("--editable", ".[bench,run,study,test]")
    session.run("pytest", "-n", "auto", "--dist", "worksteal", *session.posargs)


@nox.session(python=PYTHONS)
def core(session: nox.Session) -> None:
    """What every Python must parse and check, without what needs compiled packages."""
    session.install("--editable", ".", "hypothesis", "pytest")
    session.run("pytest", *(session.posargs or CORE))


@nox.session
def types(session: nox.Session) -> None:
    """Static types of package and tests."""
    session.install("--editable", ".[bench,run,study,test]", "nox")
    session.run("mypy", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Style of every file."""
    session.install("ruff")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def docs(session: nox.Session) -> None:
    """The site, in build/site; a warning, such as a link that leads nowhere, is an error."""
    session.install("--editable", ".[docs]")
    session.run("deepperf", "dev", "site", "build/site-source")
    session.run("sphinx-build", "-W", "--keep-going", "-q", "build/site-source", "build/site")


@nox.session
def extension(session: nox.Session) -> None:
    """The extension for Visual Studio Code: its client in Node, and its package; needs npm."""
    session.install("--editable", ".[lsp]")
    session.chdir("editors/vscode")
    for words in (("ci",), ("test",), ("run", "package")):
        session.run("npm", *words, external=True)


@nox.session
def pairs(session: nox.Session) -> None:
    """Measure the bad and the good code of every rule page, and write the evidence."""
    session.install("--editable", ".[bench,frameworks]")
    session.run("deepperf", "bench", *session.posargs)


@nox.session
def nulls(session: nox.Session) -> None:
    """Sessions of prove in which nothing can be won: none may call anything faster."""
    session.install("--editable", ".[bench,prove]")
    session.run("python", "-m", "benchmarks.nulls", *session.posargs)


@nox.session
def power(session: nox.Session) -> None:
    """Runs of prove in which 5 % can be won: eight in ten have to find it."""
    session.install("--editable", ".[bench,prove]")
    words = ("--sessions", "10", "--candidates", "1", "--gain", "0.05")
    session.run("python", "-m", "benchmarks.nulls", *words, *session.posargs)


@nox.session
def watched(session: nox.Session) -> None:
    """Run the programs of whose recordings the tests tell; with `-- keep`, record them anew."""
    session.install("--editable", ".[bench,frameworks,run,study,test]", "pytest-rerunfailures")
    wish = "keep" if "keep" in session.posargs else "run"
    words = ["tests/dynamic", "-m", "watched or not watched", "--reruns", "2"]
    session.run("pytest", *words, env={"DEEPPERF_WATCH": wish})


@nox.session
def clusters(session: nox.Session) -> None:
    """Scan on a Ray cluster, which `make test` does not install."""
    session.install("--editable", ".[ray,test]")
    session.run("pytest", "tests/scan/test_engines.py", *session.posargs)


@nox.session
def weekly(session: nox.Session) -> None:
    """What takes long and seldom breaks.

    - tests/rules/test_workloads.py: both sides of each measured pair; `make test` runs one in eight
    - tests/dynamic/test_same_results.py: a training in TensorFlow, in a session, in PyTorch without
      workers, and one that Inductor compiles; `make test` compares those in Keras, PyTorch with
      workers, PyTorch compiled eagerly, and JAX
    - tests/dynamic/test_step_clock.py: the eager steps of TensorFlow
    - tests/demo: the demo's own tests before its fixes; `make test` runs them after these
    - tests/properties: four times as many random programs and texts as `make test` tries
    """
    session.install("--editable", ".[bench,frameworks,run,study,test]")
    session.run("pytest", "-m", "weekly", *session.posargs)
    session.run("pytest", "tests/properties", env={"MORE_EXAMPLES": "4"})


@nox.session
def architectures(session: nox.Session) -> None:
    """Hold `check` beside Dynamo on small models of transformers; takes an hour of one core."""
    session.install("--editable", ".[bench,huggingface]")
    words = session.posargs or ["--count", "120", "--output", "build/architectures.json"]
    session.run("python", "-m", "benchmarks.architectures", *words)
