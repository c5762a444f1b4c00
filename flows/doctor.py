"""`medassay doctor`: check the installation and say how to repair it."""

import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from medassay.models.counting import counted

State = Literal["ok", "note", "broken"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: `note` limits what a run can say, `broken` stops it."""

    state: State
    what: str

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as JSON-able values."""
        return asdict(self)


def examine() -> list[Finding]:
    """Look at everything a run leans on; one broken thing never hides the next."""
    findings: list[Finding] = []
    for look in (python, home, files, engine, embedded_models, embedding, entailment, pubmed, judge):
        try:
            findings += look()
        except Exception as error:  # a check that breaks is itself a finding
            findings.append(Finding("broken", f"{look.__name__}: {str(error).splitlines()[0]}"))
    return findings


def python() -> Iterator[Finding]:
    """Look at the interpreter."""
    version = ".".join(map(str, sys.version_info[:3]))
    sound = (3, 11) <= sys.version_info[:2] < (3, 15)
    yield Finding(
        "ok" if sound else "broken", f"Python {version}" + ("" if sound else ": 3.11 to 3.14 is needed")
    )


def home() -> Iterator[Finding]:
    """Look at the folder of state and its warehouse."""
    from medassay.sql.home import home_folder
    from medassay.sql.warehouse import warehouse_at

    folder = home_folder()
    if obstacle := in_the_way_of(folder):
        yield Finding(
            "broken", f"home {folder} cannot be made: {obstacle}; set MEDASSAY_HOME to another folder"
        )
        return
    if not folder.exists():
        yield Finding("ok", f"home {folder} will be made by the first run")
        return
    runs = warehouse_at(folder).value("select count(*) from run")
    yield Finding("ok", f"home {folder}: {counted(runs, 'run')}")
    if folder.stat().st_mode & 0o077:
        yield Finding("note", f"home {folder} can be read by others: chmod 700 {folder}")


def files() -> Iterator[Finding]:
    """Read the work file and the published files to their ends: each block is held to its checksum."""
    from medassay.sql.damage import looked_through, snapshots
    from medassay.sql.home import WORK_FILE, home_folder
    from medassay.sql.warehouse import close_warehouse

    folder = home_folder()
    work = folder / WORK_FILE
    if not work.exists():
        return
    close_warehouse(folder)
    for path in (work, *snapshots(folder)):
        looked = looked_through(path)
        if looked.is_sound:
            yield Finding("ok", f"{path.name}: all of {counted(len(looked.sound), 'table')} can be read")
        elif looked.whole:
            yield Finding("broken", f"{path} cannot be read at all ({looked.whole}); {_INSTEAD}")
        else:
            lost, left = ", ".join(looked.broken), counted(len(looked.sound), "table")
            yield Finding("broken", f"{path} is damaged in {lost}; {left} can be read; {_INSTEAD}")


_INSTEAD = "put a copy of it back; of a snapshot, `medassay evaluate DATA` publishes every run anew"


def in_the_way_of(folder: Path) -> str | None:
    """Return why no folder can be made or written there, None where it can."""
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    if not nearest.is_dir():
        return f"{nearest} is no folder"
    return None if os.access(nearest, os.W_OK | os.X_OK) else f"{nearest} may not be written"


def engine() -> Iterator[Finding]:
    """Look at Prefect, and at whose server it will speak to."""
    from medassay.flows.engine import prepare_prefect

    prepare_prefect()
    import prefect
    from prefect.settings import PREFECT_API_URL

    where = PREFECT_API_URL.value() or "a server of its own for the length of a run"
    yield Finding("ok", f"Prefect {prefect.__version__}, {where}")


def embedded_models() -> Iterator[Finding]:
    """Look at the models that are carried."""
    from medassay.flows.pulling import DEFAULTS
    from medassay.models.weights import listing

    for model in listing():
        if model.pulled:
            yield Finding("ok", f"{model.name} is here ({model.role})")
        elif model.name in DEFAULTS:
            yield Finding("note", f"{model.name} is not here: medassay models pull {model.name}")


def embedding() -> Iterator[Finding]:
    """Hold the embedder against a paraphrase and a stranger."""
    from medassay.models.embedding import load_embedder

    vectors = load_embedder("embedded").encode(
        [
            "Metformin can cause diarrhoea.",
            "Diarrhoea is a side effect of metformin.",
            "The ship left the harbour.",
        ]
    )
    near, far = float(vectors[0] @ vectors[1]), float(vectors[0] @ vectors[2])
    state: State = "ok" if near > 0.7 > 0.3 > far else "broken"
    yield Finding(state, f"embedder: a paraphrase scores {near:.2f}, a stranger {far:.2f}")


def entailment() -> Iterator[Finding]:
    """Let the reader that a run would use take its known-answer test."""
    from medassay.models.nli import load_entailment
    from medassay.models.nli.choosing import (
        CASCADE,
        ENCODER,
        LANGUAGE_MODEL,
        LEFT_OUT,
        named_reader,
        weaker_than_could_be,
    )
    from medassay.models.nli.language_model.adapter import adapter_in_use, packaged_adapter

    chosen = named_reader("auto")
    load_entailment(chosen)
    name = "encoder" if chosen == ENCODER else chosen
    measured = LANGUAGE_MODEL if chosen == CASCADE else chosen
    how_good = "it was not measured here"
    if measured in LEFT_OUT and adapter_in_use() == packaged_adapter():
        whose = "its language model alone, " if chosen == CASCADE else ""
        how_good = f"{whose}on texts that it never saw: {LEFT_OUT[measured]}"
    yield Finding("ok", f"the reader ({name}) passed its known-answer test; {how_good} (docs/reader.md)")
    if line := weaker_than_could_be(chosen):
        yield Finding("note", line)


def pubmed() -> Iterator[Finding]:
    """Look at whether citations can be looked up; nothing is asked of PubMed here."""
    if os.environ.get("NCBI_EMAIL"):
        key = "with a key, 10 requests/s" if os.environ.get("NCBI_API_KEY") else "without a key, 3 requests/s"
        yield Finding("ok", f"PubMed will be asked {key}")
    else:
        yield Finding(
            "note", "PubMed is not asked: set NCBI_EMAIL (NCBI wants an address) to look citations up"
        )


def judge() -> Iterator[Finding]:
    """Return which judge a run would use."""
    from medassay.models.judges.evidence import EvidenceJudge

    yield Finding("ok", f"judge: {EvidenceJudge.name} (marks made of what is read); --judge names another")
