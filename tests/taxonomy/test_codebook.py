"""The codebook has the terms of the study, each defined and told from its neighbours."""

from __future__ import annotations

import re

import pytest

from deepperf.taxonomy.terms import CodebookError, load_codebook, parse_codebook


def test_it_has_the_symptoms_causes_and_stages_of_the_study() -> None:
    codebook = load_codebook()
    assert len(codebook.symptoms) == 11
    assert len(codebook.causes) == 15
    assert len(codebook.stages) == 9


def test_symptoms_and_causes_stand_in_groups() -> None:
    codebook = load_codebook()
    assert {term.group for term in codebook.symptoms.values()} == {
        "time",
        "memory",
        "processor",
        "unknown",
    }
    assert {term.group for term in codebook.causes.values()} == {
        "api",
        "model",
        "library",
        "data",
        "hardware",
    }


def test_every_term_is_defined_in_a_sentence_and_its_id_is_kebab_case() -> None:
    codebook = load_codebook()
    for terms in (codebook.symptoms, codebook.causes, codebook.stages):
        for term in terms.values():
            assert re.fullmatch(r"[a-z]+(-[a-z]+)*", term.id)
            assert term.title
            assert term.definition.endswith(".")


def test_every_cause_and_known_symptom_is_told_from_its_neighbours() -> None:
    codebook = load_codebook()
    for term in (*codebook.symptoms.values(), *codebook.causes.values()):
        assert term.not_to_confuse.endswith(".") or term.id == "unknown"


STAGE = '[[stage]]\nid = "training"\ntitle = "Training"\n'


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[stage", "codebook.toml: Expected"),
        (STAGE, "codebook.toml: stage training: no `definition`"),
        (STAGE + 'definition = "x."\ncolour = 1\n', "codebook.toml: stage training: unknown key"),
        (
            2 * (STAGE + 'definition = "x."\n'),
            "codebook.toml: stage training is defined twice",
        ),
    ],
)
def test_a_wrong_codebook_is_refused_with_the_term_named(text: str, complaint: str) -> None:
    with pytest.raises(CodebookError) as error:
        parse_codebook(text)
    assert str(error.value).startswith(complaint)
