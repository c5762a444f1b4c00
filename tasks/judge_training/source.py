"""Where a training's cases come from, and who reviews: a folder of data and named evaluators, or the template world."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.local.served import endpoint_named, reachable
from medassay.models.embedding import load_embedder
from medassay.models.judge_training.introspection import Reviewers
from medassay.models.judge_training.plan import TRAININGS
from medassay.models.judge_training.template_world import make_questions
from medassay.models.keys import content_key
from medassay.models.phi.finding import NOTHING_KNOWN
from medassay.models.settings import Phi
from medassay.sql.warehouse import Warehouse, close_warehouse, warehouse_at
from medassay.tasks.answering.answers import Limits
from medassay.tasks.judge_training.evaluating import Asking
from medassay.tasks.judge_training.stores import StoredLibrary, list_stores
from medassay.tasks.judge_training.world import build_world, world_evaluators
from medassay.tasks.run import home_lock
from medassay.tasks.spending.caps import common_cap

N_PASSAGES = 3


@dataclass(frozen=True, slots=True)
class Source:
    """Data, the same made without knowledge stores (for ablations), and who suggests and who consents."""

    data: Path
    unaided: Path | None
    advisor: Endpoint | None
    plain: Endpoint | None


@contextmanager
def held(home: Path, wait: bool) -> Iterator[Warehouse]:
    """Hold the home while its warehouse is open."""
    with home_lock(home, "(train judge)", wait=wait):
        try:
            yield warehouse_at(home)
        finally:
            close_warehouse(home)


@contextmanager
def source_of_data(
    data: str, unaided: str | None, evaluator: str | None, plain: str | None
) -> Iterator[Source]:
    """Give a folder's data and named evaluators; the plain one is the advisor itself unless named."""
    advisor = endpoint_named(evaluator, "judge") if evaluator else None
    other = endpoint_named(plain, "judge") if plain else advisor
    yield Source(Path(data), Path(unaided) if unaided else None, advisor, other)


@contextmanager
def source_of_world(
    home: Path, n_questions: int, seed: int, *, with_unaided: bool, wait: bool
) -> Iterator[Source]:
    """Give the template world's data, built where it is not there yet; its evaluators are served meanwhile."""
    questions = make_questions(seed, n_questions)
    place = home / TRAININGS / f"world-{seed}-{n_questions}"
    with world_evaluators(questions, seed) as evaluators:
        with held(home, wait) as warehouse:
            built = [
                build_world(
                    warehouse, home, place / kind, evaluators, questions, seed=seed, knows=kind == "chain"
                )
                for kind in (("chain", "unaided") if with_unaided else ("chain",))
            ]
        yield Source(built[0], built[1] if with_unaided else None, evaluators["strong"], evaluators["strong"])


@contextmanager
def reviewing(
    home: Path, source: Source, phi: Phi, *, wait: bool
) -> Iterator[tuple[Reviewers, dict[str, Any]]]:
    """Give the reviewers while the home is held, and what names them: calls are guarded and kept in the ledger."""
    assert source.advisor is not None and source.plain is not None
    limits = Limits(phi=phi)
    with (
        held(home, wait) as warehouse,
        reachable(source.advisor) as advisor,
        reachable(source.plain) as plain,
    ):
        library = StoredLibrary(warehouse, load_embedder("embedded"), n_passages=N_PASSAGES)
        asking = [
            Asking(warehouse, one, limits, common_cap(limits), NOTHING_KNOWN) for one in (advisor, plain)
        ]
        named = {
            "advisor": advisor.identity,
            "plain": plain.identity,
            "documents": content_key([row["digest"] for row in list_stores(warehouse)]),
        }
        yield Reviewers(asking[0], asking[1], library), named
