"""The flows' forms: every field explained from one place, nonsense refused before a run begins."""

import os
from typing import Any

import pytest

from medassay.flows.engine import prepare_prefect
from medassay.models.settings import OPTIONS, Settings
from medassay.models.usage import UsageError


@pytest.fixture(scope="module")
def schemas() -> dict[str, dict[str, Any]]:
    """Return what the server checks a run's parameters against, by flow."""
    before = dict(os.environ)
    prepare_prefect()
    from prefect.utilities.callables import parameter_schema

    from medassay.flows.agree import agree
    from medassay.flows.compare import compare
    from medassay.flows.evaluate import evaluate
    from medassay.flows.refresh import refresh
    from medassay.flows.train_judge import train_judge

    flows = (agree, compare, evaluate, refresh, train_judge)
    found = {flow.name: parameter_schema(flow).model_dump() for flow in flows}
    os.environ.clear()
    os.environ.update(before)
    return found


def fields(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the fields of a form, those of its groups among them."""
    found = dict(schema["properties"])
    for record in schema["definitions"].values():
        found |= record["properties"]
    return found


def placed(schema: dict[str, Any], field: str, value: Any) -> dict[str, Any]:
    """Return a form filled in with one field, in its group where it has one."""
    groups = [name for name, record in schema["definitions"].items() if field in record["properties"]]
    return {"data": "answers/", **({groups[0].lower(): {field: value}} if groups else {field: value})}


def faults(schema: dict[str, Any], given: dict[str, Any]) -> list[Any]:
    from prefect.utilities.schema_tools.validation import validate

    return validate(given, schema)


def test_a_form_shows_first_what_most_runs_need_and_folds_the_rest(
    schemas: dict[str, dict[str, Any]],
) -> None:
    options = ["measures", "judging", "models", "decisions", "limits", "machine"]
    first = ["run_name", "judge", "reader", "offline"]
    assert {name: list(schemas[name]["properties"]) for name in schemas} == {
        "agree": ["data", *first, "rationales", *options],
        "compare": ["data", "systems", "baseline", *first, "answering", "regressions", *options],
        "evaluate": ["data", *first, "gates", *options],
        "refresh": ["older_than", "wait", "home"],
        "train_judge": [
            "data",
            "preset",
            "name",
            "evaluator",
            "model",
            "introspection",
            "comparisons",
            "machine",
        ],
    }
    limits = schemas["evaluate"]["properties"]["limits"]
    folded = [{"title": "as usual", "type": "null"}, {"$ref": "#/definitions/Limits"}]
    assert (limits["anyOf"], limits["default"]) == (folded, None)
    assert schemas["evaluate"]["definitions"]["Limits"]["title"] == "change"
    assert schemas["evaluate"]["required"] == ["data"]


def test_a_flow_takes_options_one_by_one_and_in_groups() -> None:
    from medassay.flows.forms import with_groups, with_options

    @with_options(own=("gate",))
    def flow(
        *, settings: Settings, gate: str | None = None, wait: bool = True, home: str | None = None
    ) -> Any:
        return settings.threshold, settings.max_calls, gate, wait

    from prefect import flow as prefect_flow

    called = prefect_flow(flow).validate_parameters
    given = called({"data": "d", "threshold": 0.9, "limits": {"max_calls": 3}, "own": {"gate": "g.toml"}})
    assert flow(**given) == (0.9, 3, "g.toml", True)
    assert flow("d", max_calls=4, wait=False) == (0.75, 4, None, False)

    @with_groups(model=("base", "seed"))
    def training(
        data: str = "", base: str = "b", seed: int = 17, wait: bool = True, home: str | None = None
    ) -> Any:
        return data, base, seed, wait

    grouped = prefect_flow(training).validate_parameters
    assert training(**grouped({"model": {"seed": 3}, "machine": {"wait": False}})) == ("", "b", 3, False)
    assert training("d", seed=4) == ("d", "b", 4, True)
    with pytest.raises(UsageError):
        flow("d", threshold=2)


def test_every_flow_and_command_that_evaluates_takes_every_option(schemas: dict[str, dict[str, Any]]) -> None:
    from click.testing import CliRunner

    from medassay.flows.cli import main

    for name in ("agree", "compare", "evaluate"):
        assert set(OPTIONS) <= fields(schemas[name]).keys()
        assert next(iter(schemas[name]["properties"])) == "data"
    flags = [(option.flags or ("--" + name.replace("_", "-"),))[0] for name, option in OPTIONS.items()]
    for command in ("agree", "compare", "evaluate", "gate", "plan"):
        shown = CliRunner().invoke(main, [command, "--help"]).output
        assert [flag for flag in flags if flag != "--data" and f" {flag}" not in shown] == []


def test_options_have_their_new_names() -> None:
    assert Settings("d", entailment="llm") == Settings("d", reader="llm")
    assert Settings("d", judge="embedded:quick").judge == "evidence"
    assert Settings("d").but(samples=3).as_dict() == {**Settings("d").as_dict(), "samples": 3}


def test_every_field_is_explained(schemas: dict[str, dict[str, Any]]) -> None:
    unexplained = {
        name: [field for field, about in fields(schema).items() if not about.get("description")]
        for name, schema in schemas.items()
    }
    assert unexplained == dict.fromkeys(schemas, [])
    settled = [fields(schemas[name]) for name in ("agree", "compare", "evaluate")]
    shared = {form["threshold"]["description"] for form in settled}
    assert shared == {
        "Least score at which a claim and a nugget speak of the same thing, 0 to 1. Below"
        " 0.6 much that differs counts as the same."
    }


@pytest.mark.parametrize(
    ("field", "value", "sound"),
    [
        ("data", "", False),
        ("data", "answers/", True),
        ("profile", "bioase", False),
        ("judge", "gpt-5", False),
        ("judge", "https://llm.example/v1", False),
        ("judge", "embedded, https://llm.example/v1#big", True),
        ("judge", "hf:", False),
        ("judge", "embedded:quick", True),
        ("judge", "embedded:slow", False),
        ("llm", "auto", False),
        ("llm", "hf:org/name", True),
        ("embedder", "https://llm.example/v1#big", True),
        ("embedder", "hf:org/name", True),
        ("threshold", 1.2, False),
        ("contradicts_at", 0.8, True),
        ("max_calls", -1, False),
        ("samples", 0, False),
        ("dataset", " ", False),
        ("run_name", "", False),
        ("sort_by", "accuracy", False),
        ("sort_by", "citation_recall", True),
        ("primary", [], False),
        ("primary", ["safety", "safety"], False),
        ("primary", ["accuracy"], False),
        ("primary", ["safety", "citation_recall"], True),
    ],
)
def test_nonsense_is_refused_before_the_run(
    schemas: dict[str, dict[str, Any]], field: str, value: Any, sound: bool
) -> None:
    schema = schemas["evaluate"]
    assert (not faults(schema, placed(schema, field, value))) is sound


@pytest.mark.parametrize(
    "spec",
    [
        "a=embedded", "a = embedded,cite=yes,temperature=0.2", "a=http://127.0.0.1:8000/v1,m",
        "Our system=https://llm.example, org/big , top_k=none, top-p=0.9, tokens=120",
        "", "a", "embedded", "a=", "a=gpt-5", "a=http://127.0.0.1:8000/v1", "a=http://127.0.0.1:8000/v1,cite=yes",
        "a=embedded,seed=1", "a=embedded,cite", "=embedded", "a=https://me:key@llm.example,m",
    ],
)  # fmt: skip
def test_the_form_takes_the_systems_that_the_command_takes(
    schemas: dict[str, dict[str, Any]], spec: str
) -> None:
    from medassay.models.answering.systems import Sampling, parse_system
    from medassay.models.specs import SpecError

    found = faults(schemas["compare"], {"data": "questions/", "systems": [spec]})
    try:
        parse_system(spec, Sampling())
        sound = True
    except SpecError:
        sound = False
    assert (not found) is sound


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (
            {"embedder": "banana"},
            "embedder is 'banana': write embedded, hf:<id or folder> or <base_url>#<model>",
        ),
        (
            {"reader": "https://x.example/v1"},
            "reader is 'https://x.example/v1': write https://x.example/v1#<model>;",
        ),
        ({"supports_at": 50}, "supports_at is 50: choose a number from 0 to 1"),
        ({"contradicts_at": float("nan")}, "contradicts_at is nan: choose a number from 0 to 1"),
    ],
)
def test_the_command_refuses_the_same_in_its_own_words(choice: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        Settings("answers/", **choice)
    assert str(refused.value).startswith(said)


def test_no_field_loses_words_that_look_like_html(schemas: dict[str, dict[str, Any]]) -> None:
    # The form reads them as Markdown: <id> outside of backticks is a tag, and is not shown.
    lost = {
        f"{name}.{field}"
        for name, schema in schemas.items()
        for field, about in fields(schema).items()
        if "<" in "".join(about["description"].split("`")[::2])
    }
    assert lost == set()
