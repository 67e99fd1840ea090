"""A file as rules see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from deepperf.knowledge.schema import Trait
from deepperf.records import Failure, Location, Role
from deepperf.semantics import query, view
from deepperf.semantics.calls import reach
from deepperf.semantics.data import gathering, options, readings, samples
from deepperf.semantics.execution import (
    asked_runs,
    graphs,
    makings,
    variable_loads,
    variable_sets,
)
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.project import Project
from deepperf.semantics.frameworks import defective, vintage
from deepperf.semantics.frameworks.versions import release_of
from deepperf.semantics.models import batch_sizes, epochs, models_again, predictions
from deepperf.semantics.names.scopes import CallSite, ScopeKind
from deepperf.semantics.program.answers import Ground
from deepperf.semantics.values import arrays
from deepperf.semantics.vectorization import (
    choices,
    encodings,
    keeping,
    lookups,
    own_functions,
    python_maps,
    updates,
    updating_functions,
)

if TYPE_CHECKING:
    from deepperf.semantics.view import (
        BatchedCall,
        Call,
        Choice,
        Compilation,
        DefectiveCall,
        Function,
        Gathering,
        Lookup,
        Loop,
        MiscountedTraining,
        Prediction,
        Reading,
        RemadeModel,
        SampleWork,
        Update,
        VariableLoad,
    )


def view_file(project: Project, path: str) -> FileView:
    """The file at `path` as rules see it; other files are reached from there."""
    return FileView(Analysis(project, path), path)


class FileView:
    """One file of a project."""

    def __init__(self, analysis: Analysis, path: str) -> None:
        self._analysis = analysis
        self.path = path
        self._queried: query.File | None = None

    @property
    def queried(self) -> query.File:
        """The same file as the rules of the second engine see it."""
        if self._queried is None:
            self._queried = query.file_of(self._analysis.project, self.path)
        return self._queried

    @property
    def text(self) -> str:
        return self._analysis.project.sources[self.path].text

    @property
    def role(self) -> Role:
        return self._analysis.project.sources[self.path].role

    @property
    def file(self) -> FileView:
        return self

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What of the file could not be parsed."""
        return self._analysis.module(self.path).failures

    @property
    def cut_short(self) -> Failure | None:
        """Where the answers so far met a bound, and rest on only part of what the text says."""
        scope = self._analysis.cut_short
        if scope is None:
            function = self._queried.followed_in_part if self._queried else None
            if function is None:
                return None
            return Failure(
                function.location,
                f"`{function.name}` and what it calls were followed only in part: "
                "answers about them rest on each other too often",
            )
        line = getattr(scope.node, "lineno", 1) if scope.module_path == self.path else 1
        return Failure(
            Location(self.path, line, 1, line, 1),
            f"`{scope.qualified_name}` and what it calls were followed only in part: "
            "too many call chains lead through them",
        )

    @property
    def touched(self) -> frozenset[str]:
        """Other files whose content the answers so far depend on."""
        return frozenset(self._analysis.touched) | self._rests_on(Ground.FILE)

    @property
    def parts(self) -> frozenset[str]:
        """Other files of which the answers so far depend on functions and names that are there."""
        return self._rests_on(Ground.PARTS)

    @property
    def asked(self) -> frozenset[str]:
        """Names whose callers anywhere in the project the answers so far depend on."""
        return frozenset(self._analysis.asked)

    @property
    def named(self) -> frozenset[str]:
        """Words on which the answers so far depend by which files of the project have them."""
        return self._rests_on(Ground.WORD)

    def _rests_on(self, kind: Ground) -> frozenset[str]:
        return self._queried.rests_on(kind) if self._queried else frozenset()

    def forget(self) -> None:
        """End all questions: what was found out is given back."""
        self._analysis.forget()
        if self._queried is not None:
            self._queried.forget()

    def calls(self, traits: frozenset[Trait] = frozenset()) -> Iterator[Call]:
        """The calls whose callee has one of `traits`, decorators included; all for none."""
        if not traits:
            for site in self._analysis.module(self.path).scopes.call_sites.values():
                yield view.Call(self._analysis, site)
            return
        for site in self._sites_named(traits):
            call = view.Call(self._analysis, site)
            if call.fact is not None and not traits.isdisjoint(call.fact.traits):
                yield call

    def kept_calls(self, traits: frozenset[Trait]) -> Iterator[Call]:
        """The calls with one of `traits` whose results, by texts alone, loops may keep."""
        for site in self._sites_named(traits):
            if site.frames and keeping.may_be_kept(self._analysis, site):
                call = view.Call(self._analysis, site)
                if call.fact is None:
                    call = view.Call(self._analysis, site, arrays.method_fact(self._analysis, site))
                if call.fact is not None and not traits.isdisjoint(call.fact.traits):
                    yield call

    def kept_calls_of_own(self, traits: frozenset[Trait]) -> Iterator[Call]:
        """The calls of the project's functions that, by texts, may do one of `traits` to rows."""
        for site in own_functions.calls_kept(self._analysis, self.path, traits):
            yield view.Call(self._analysis, site)

    def _sites_named(self, traits: frozenset[Trait]) -> Iterator[CallSite]:
        """The calls that, by their last names, may be of callables with one of `traits`."""
        module = self._analysis.module(self.path)
        wanted = self._analysis.project.trigger_names(traits)
        return module.calls_of_renamed(wanted)

    def repeatable_calls(self, traits: frozenset[Trait]) -> Iterator[Call]:
        """The calls with one of `traits` that, by texts alone, may run more than once."""
        for site in self._sites_named(traits):
            if reach.may_repeat(self._analysis, site):
                call = view.Call(self._analysis, site)
                if call.fact is not None and not traits.isdisjoint(call.fact.traits):
                    yield call

    @property
    def may_concern_graphs(self) -> bool:
        """Whether, by texts alone, it may make nodes and something of its project run them."""
        return graphs.may_concern_graphs(self._analysis, self.path)

    def variable_sets(self) -> Iterator[tuple[Call, Function]]:
        """The calls that add an operation that sets a variable, in each call of a method."""
        for site in self._sites_named(frozenset((Trait.WRITES_STATE,))):
            if variable_sets.sets_in_each_call(self._analysis, site):
                function = view.Function(self._analysis, site.scope)
                yield view.Call(self._analysis, site), function

    def nodes_asked_for(self) -> Iterator[tuple[Call, Function]]:
        """The calls that add a node and have it run, in each call of a method with its values."""
        for site in self._sites_named(frozenset((Trait.ADDS_NODE,))):
            if asked_runs.runs_in_each_call(self._analysis, site):
                function = view.Function(self._analysis, site.scope)
                yield view.Call(self._analysis, site), function

    def layer_calls(self) -> Iterator[Call]:
        """The calls of layers and models of a framework, in a file that may run a session."""
        for site in graphs.layer_calls(self._analysis, self.path):
            yield view.Call(self._analysis, site)

    def names_with(self, trait: Trait) -> tuple[str, ...]:
        """Full names of what has the trait in the version that the file is for.

        Those that the file uses already come first, then the newest.
        """
        knowledge = self._analysis.project.knowledge
        facts = [
            fact
            for fact in knowledge.facts.values()
            if trait in fact.traits and self._has(fact.framework, fact.since, fact.until)
        ]
        facts.sort(key=lambda fact: (release_of(fact.since or "0"), fact.name), reverse=True)
        names = [fact.name for fact in facts]
        names += [alias for name in names for alias, of in knowledge.aliases.items() if of == name]
        names.sort(key=lambda name: name.partition(".")[2] not in self.text)
        return tuple(dict.fromkeys(names))

    def _has(self, framework: str, since: str, until: str) -> bool:
        newest_is_too_old = bool(since) and not self.reaches(framework, since)
        return not newest_is_too_old and not (until and self.reaches(framework, until))

    def sets_option(self, trait: Trait, call: view.Call, usual: object) -> bool:
        """Whether an option of the dataset that a call gives may be set to something unusual."""
        return options.is_set_for(self._analysis, call._site, trait, usual)

    def compilations(self) -> Iterator[Compilation]:
        """The calls and decorators of the file that compile a function, perhaps repeatedly."""
        for made in makings.makings(self._analysis, self.path):
            yield view.Compilation(self._analysis, made)

    def gatherings(self) -> Iterator[Gathering]:
        """The arrays made of the contents of many files that are trained on as a whole."""
        for found in gathering.gatherings(self._analysis, self.path):
            yield view.Gathering(
                view.Call(self._analysis, found.join),
                tuple(view.Loop(self._analysis, frame) for frame in found.loops),
                view.Call(self._analysis, found.read),
                view.Call(self._analysis, found.used),
                found.area,
            )

    def lookups(self) -> Iterator[Lookup]:
        """The expressions with which loops pick parts of arrays that are joined again."""
        for found in lookups.lookups(self._analysis, self.path):
            yield view.Lookup(self._analysis, found)

    def variable_loads(self) -> Iterator[VariableLoad]:
        """The session calls that set variables one at a time, step after step."""
        for load in variable_loads.loads(self._analysis, self.path):
            way = tuple(view.Call(self._analysis, site) for site in load.way)
            path = view.LoopPath(view.Loop(self._analysis, load.loop), way)
            yield view.VariableLoad(view.Call(self._analysis, load.site), path)

    def calls_with_default_batches(self) -> Iterator[BatchedCall]:
        """The calls that ask or evaluate a model on arrays, and name no batch size."""
        for site in batch_sizes.by_default(self._analysis, self.path):
            yield view.BatchedCall(self._analysis, site)

    def miscounted_trainings(self) -> Iterator[MiscountedTraining]:
        """The calls that train for as many steps an epoch as there are samples."""
        for found in epochs.miscounted(self._analysis, self.path):
            yield view.MiscountedTraining(self._analysis, found)

    def remade_models(self) -> Iterator[RemadeModel]:
        """The calls that make or load again a whole model that they need not, or that piles up."""
        for found in models_again.models_again(self._analysis, self.path):
            yield view.RemadeModel(self._analysis, found)

    @property
    def sees_images(self) -> bool:
        """Whether it names layers or models that work on images."""
        return batch_sizes.sees_images(self._analysis, self.path)

    def defects(self) -> Iterator[DefectiveCall]:
        """The calls that meet a defect of the version that the project's metadata name."""
        for found in defective.met(self._analysis, self.path):
            yield view.DefectiveCall(self._analysis, found)

    def predictions(self) -> Iterator[Prediction]:
        """The calls that ask a model about rows, of which the text tells how many they are."""
        for asked in predictions.predictions(self._analysis, self.path):
            yield view.Prediction(self._analysis, asked)

    def joined_maps(self) -> Iterator[tuple[Call, Call]]:
        """Python's maps over the slices of an array, each with the call that joins the results."""
        for site, join in python_maps.joined_maps(self._analysis, self.path):
            yield view.Call(self._analysis, site), view.Call(self._analysis, join)

    def updates(self) -> Iterator[Update]:
        """The writes by which loops set single places of arrays, one in each iteration."""
        for found in updates.updates(self._analysis, self.path):
            yield view.Update(self._analysis, found)
        for found in encodings.encodings(self._analysis, self.path):
            yield view.Update(self._analysis, found)
        for found in updating_functions.updates_by_functions(self._analysis, self.path):
            yield view.Update(self._analysis, found)

    def readings(self) -> Iterator[Reading]:
        """The calls that read files one at a time into an array that holds all of them."""
        for found in readings.readings(self._analysis, self.path):
            way = tuple(view.Call(self._analysis, site) for site in found.way)
            yield view.Reading(
                view.Call(self._analysis, found.site),
                view.LoopPath(view.Loop(self._analysis, found.loop), way),
                view.Call(self._analysis, found.join),
                (found.trainer or found.reader).framework,
                found.trainer is not None,
                found.shrinks,
            )

    def sample_work(self) -> Iterator[SampleWork]:
        """The operations on single samples that steps of training wait for."""
        for found in samples.sample_work(self._analysis, self.path):
            way = tuple(view.Call(self._analysis, site) for site in found.way)
            yield view.SampleWork(
                view.Expression(self._analysis, found.node, found.scope),
                view.LoopPath(view.Loop(self._analysis, found.loop), way),
                view.Call(self._analysis, found.join),
                found.trainer.framework,
            )

    def choices(self) -> Iterator[Choice]:
        """The loops that choose between formulas for each element of an array."""
        for found in choices.choices(self._analysis, self.path):
            yield view.Choice(self._analysis, found)

    def functions(self) -> Iterator[Function]:
        """The functions and lambdas of the file, in the order of its text."""
        for scope in self._analysis.module(self.path).all_scopes:
            if scope.kind is ScopeKind.FUNCTION:
                yield view.Function(self._analysis, scope)

    def loops(self) -> Iterator[Loop]:
        """The loops and comprehensions of the file, outer before inner."""
        for scope in self._analysis.module(self.path).all_scopes:
            for frame in scope.loops:
                yield view.Loop(self._analysis, frame)

    def reaches(self, framework: str, version: str) -> bool:
        """Whether the file may run with this version of a framework, or a newer one.

        A project that says nothing is taken to run the newest version, unless the file uses
        names that this one lacks.
        """
        return vintage.reaches(self._analysis, self.path, framework, version)

    def precedes(self, framework: str, version: str) -> bool:
        """Whether the project is known to run only versions before this one."""
        return not self.reaches(framework, version)

    def why_older(self, framework: str, version: str) -> str:
        """By which name of the code versions before this one are assumed, in brackets.

        Empty where the project itself names a version, and where this one may run.
        """
        end = vintage.end_of(self._analysis, self.path, framework)
        if end is None or self.reaches(framework, version):
            return ""
        return f" (this project's code uses `{end.name}`, so {framework}<{end.version} is assumed)"

    def may_be_older(self, framework: str, version: str) -> str:
        """By which name of the code a program for versions before this one is likely, in brackets.

        Empty where nothing hints at it, and where the project names a version.
        """
        style = vintage.style_of(self._analysis, self.path, framework)
        if style is None or release_of(style.version) > release_of(version):
            return ""
        return f" (this project's code uses `{style.name}`, so {framework}<{version} is assumed)"
