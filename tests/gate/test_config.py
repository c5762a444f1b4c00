"""The table [gate]: what it says, and the line for each key that is wrong."""

from pathlib import Path

import pytest

from medassay.models.gate.config import Bound, GateConfig, read_config
from medassay.models.usage import UsageError


def read(path: Path, text: str) -> GateConfig:
    path.write_text(text, encoding="utf-8")
    return read_config(path)


def test_bounds_are_read_in_every_form(tmp_path: Path) -> None:
    found = read(
        tmp_path / "m.toml",
        """
        [gate]
        fail_on = ["contradicted_vital"]
        [gate.bounds]
        nugget_coverage = ">= 0.5"
        contradiction_rate = {at_most = 0.1, level = "warn", on = "interval", max_null = 0.2, categories = "each"}
        safety = [">= 50", {at_least = 70, level = "warn", systems = ["a"]}]
        [gate.baseline]
        margin = {nugget_coverage = 0.1}
        """,
    )
    assert found.bounds == {
        "nugget_coverage": (Bound(at_least=0.5),),
        "contradiction_rate": (
            Bound(at_most=0.1, level="warn", on="interval", max_null=0.2, categories="each"),
        ),
        "safety": (Bound(at_least=50.0), Bound(at_least=70.0, level="warn", systems=("a",))),
    }
    assert (found.baseline.margin_of("nugget_coverage"), found.baseline.margin_of("f1")) == (0.1, 0.05)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1", "no table [gate]: begin it with [gate]"),
        ("[gate]\nx", "not valid TOML: Expected '=' after a key in a key/value pair (at end of document)"),
        (
            "[gate]\nfail_on = ['unsafe']",
            "gate.fail_on names 'unsafe': choose of contradicted, contradicted_vital, newly_contradicted,"
            " citation_contradicts, citation_not_found, citation_untraceable, newly_faulty_citation, citation_retracted, dont_said",
        ),
        ("[gate]\nfail_on = 'contradicted'", "gate.fail_on is 'contradicted': write a list of texts, such as [\"a\", \"b\"]"),
        (
            "[gate]\nbound = 1",
            "gate.bound: there is no such key; choose of fail_on, warn_on, bounds, questions, systems, max_unjudged,"
            " baseline",
        ),
        ("[gate]\nquestions = [1]", "gate.questions is 1: write a text"),
        ("[gate]\nsystems = []", "gate.systems is []: name one or more, or leave it out"),
        ("[gate]\nmax_unjudged = 3", "gate.max_unjudged is 3: choose a number from 0 to 1"),
        (
            "[gate.bounds]\nnugget_coverage = '> 0.5'",
            "gate.bounds.nugget_coverage is '> 0.5': write a text such as \">= 0.5\" or \"<= 0.1\", a table such as"
            ' {at_least = 0.5, level = "warn"}, or a list of them',
        ),
        ("[gate.bounds]\nsafety = '>= 101'", "gate.bounds bounds safety at 101: choose a number from 0 to 100"),
        ("[gate.bounds.f1]\nat_least = nan", "gate.bounds.f1.at_least is nan: choose a number"),
        ("[gate.bounds.f1]\nat_least = 0.5\nlevel = 'fatal'", "gate.bounds.f1.level is 'fatal': choose 'error' or 'warn'"),
        (
            "[gate.bounds.f1]\natleast = 0.5",
            "gate.bounds.f1.atleast: there is no such key; choose of at_least, at_most, max_null, level, on, systems,"
            " categories",
        ),
        ("[gate.bounds.f1]\nlevel = 'warn'", "gate.bounds.f1 bounds nothing: give at_least, at_most or max_null"),
        ("[gate]\nbaseline = 'base.json'", "gate.baseline is 'base.json': write a table"),
        ("[gate.baseline]\nmargin = {f1 = 3}", "gate.baseline.margin.f1 is 3: choose a number from 0 to 1"),
    ],
)  # fmt: skip
def test_a_wrong_key_is_named_with_what_is_allowed(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "m.toml"
    with pytest.raises(UsageError) as refused:
        read(path, text)
    assert str(refused.value) == f"{path}: {said}"


def test_an_unknown_metric_is_answered_with_the_nearest_and_all(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError,
        match=r"gate\.bounds names no metric 'nuget_coverage': did you mean nugget_coverage\? choose",
    ):
        read(tmp_path / "m.toml", "[gate.bounds]\nnuget_coverage = '>= 0.5'")
