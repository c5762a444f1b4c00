"""Reference answers → nuggets, where none were given."""

from datetime import UTC, datetime
from typing import Any

from models.keys import content_key, text_key
from models.settings import Settings
from tasks.stages import Stage, Step

STAGE_VERSION = 1


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: the rules by which a reference answer becomes nuggets."""
    return {"method": "rules", "stage_version": STAGE_VERSION}


def made_set_key(reference_answer: str, settings: Settings) -> str:
    """Name the nugget set that these settings make from a reference answer."""
    return content_key({"reference": reference_answer, "maker": spec(settings)})


def given_set_key(nuggets: list[dict[str, str]]) -> str:
    """Name a given nugget set by its texts, their order and their importance."""
    return content_key({"given": nuggets})


def work(step: Step) -> None:
    """Make nuggets from each reference answer that came without any."""
    from models.nuggets.making import nuggets_from_reference

    for batch in step.batches(100):
        made = [(row["item_key"], nuggets_from_reference(row["reference_answer"])) for row in batch]
        with step.warehouse.transaction():
            step.warehouse.insert(
                "text",
                [
                    {"text_key": text_key(nugget.text), "text": nugget.text}
                    for _, nuggets in made
                    for nugget in nuggets
                ],
            )
            step.warehouse.insert(
                "nugget",
                [
                    {
                        "nugget_set_key": key,
                        "position": position,
                        "text_key": text_key(nugget.text),
                        "importance": nugget.importance,
                        "provenance": f"characters {nugget.start}–{nugget.end} of the reference answer",
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
        step.advance(len(batch))


make_nuggets = Stage("nuggets", work, spec)
