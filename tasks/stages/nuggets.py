"""Stage `nuggets`: nuggets from reference answers, by rule or by the run's language model."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medassay.models.attribution import LLM
from medassay.models.keys import content_key, text_key
from medassay.models.settings import Settings
from medassay.sql.home import home_secret
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.asking import asking, describe_llm
from medassay.tasks.stages.stage import Stage, Step

if TYPE_CHECKING:
    from medassay.models.nuggets.evidence import MadeNugget

STAGE_VERSION = 4
BATCH = 100
ASKED_AT_ONCE = 32
BY_RULE = "the rules"
BY_DATA = "the data"
HARDLY_HELD = 0.5
"""Below this share of its words in one sentence of the reference answer a nugget is said to stand elsewhere."""
NOT_IN_REFERENCE = "not in the words of the reference answer"


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: the rules by which a reference answer becomes nuggets, or the model and its prompts."""
    asked = describe_llm(settings)
    if asked is None:
        return {"method": "rules", "stage_version": STAGE_VERSION}
    from medassay.models.nuggets import llm_making

    return {**asked, **llm_making.describe()}


def made_set_key(question: str, reference_answer: str, settings: Settings) -> str:
    """Name the nugget set that these settings make from a reference answer; a model is shown the question too."""
    maker = spec(settings)
    shown = {} if maker["method"] == "rules" else {"question": question}
    return content_key({"reference": reference_answer, "maker": maker, **shown})


def given_set_key(nuggets: Sequence[Mapping[str, Any]]) -> str:
    """Name a given nugget set by its texts, their order and their importance."""
    return content_key({"given": list(nuggets)})


def store_nuggets(warehouse: Warehouse, rows: Iterable[Row]) -> None:
    """Store nuggets with their texts; each row is a row of `nugget` with `text` in place of `text_key`."""
    rows = list(rows)
    warehouse.insert("text", [{"text_key": text_key(row["text"]), "text": row["text"]} for row in rows])
    warehouse.insert(
        "nugget",
        [
            {
                "text_key": text_key(row["text"]),
                **{name: value for name, value in row.items() if name != "text"},
            }
            for row in rows
        ],
    )


def work(step: Step) -> None:
    """Make nuggets from reference answers that came without any."""
    if describe_llm(step.settings) is None:
        by_rule(step)
    else:
        by_model(step)


def by_rule(step: Step) -> None:
    """Make them by the rules that answers are taken apart with."""
    from medassay.models.nuggets.making import nuggets_from_reference

    for batch in step.batches(BATCH):
        store(
            step,
            [(row["item_key"], nuggets_from_reference(row["reference_answer"])) for row in batch],
            BY_RULE,
        )
        step.advance(len(batch))


def by_model(step: Step) -> None:
    """Have the model make and grade them; what it cannot say is set aside, never filled in by another maker."""
    from medassay.tasks.nuggets.generation import make

    asked = describe_llm(step.settings)
    assert asked is not None
    with asking(step) as ask:
        for batch in step.batches(ASKED_AT_ONCE):
            made = make(batch, ask, home_secret(Path(step.run.home)))
            for key, result in made.items():
                if isinstance(result, tuple):
                    step.set_aside(key, *result)
            store(
                step,
                [(key, result) for key, result in made.items() if not isinstance(result, tuple)],
                str(asked["llm"]),
            )
            step.advance(len(batch))


def store(step: Step, made: Sequence[tuple[str, Sequence["MadeNugget"]]], maker: str) -> None:
    """Write nugget sets, each nugget with the characters of the reference that it comes from."""
    with step.warehouse.transaction():
        store_nuggets(
            step.warehouse,
            [
                {
                    "nugget_set_key": key,
                    "position": position,
                    "text": nugget.text,
                    "importance": nugget.importance,
                    "origin": "made",
                    "made_by": maker,
                    "provenance": provenance(nugget),
                }
                for key, nuggets in made
                for position, nugget in enumerate(nuggets)
            ],
        )
        step.warehouse.insert(
            "nugget_set",
            [
                {
                    "nugget_set_key": key,
                    "origin": "made",
                    "fingerprint": step.fingerprint,
                    "created_at": datetime.now(UTC),
                }
                for key, _ in made
            ],
        )


def provenance(nugget: "MadeNugget") -> str:
    """Return where in the reference answer a nugget comes from, or that it hardly stands there."""
    place = f"characters {nugget.start}–{nugget.end} of the reference answer"
    if not nugget.graded:
        place += "; the model gave no usable grade of its importance, so it counts as vital"
    if nugget.held >= HARDLY_HELD:
        return place
    return f"{NOT_IN_REFERENCE}: {nugget.held:.0%} of its words stand in the nearest place, {place}"


nuggets = Stage(
    "nuggets",
    work,
    spec,
    LLM,
    retries=1,
    settles=("current_question", "current_nugget"),
    writes=("nugget_set", "nugget"),
)
