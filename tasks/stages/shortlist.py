"""Stage `shortlist`: claim–nugget pairs to read, by cosine."""

from typing import Any

from medassay.models.attribution import WEIGHTS
from medassay.models.keys import content_key, text_key
from medassay.models.settings import Settings
from medassay.tasks.nuggets.boards import boards, match_settings
from medassay.tasks.stages import decompose, embed
from medassay.tasks.stages.stage import Stage, Step, reads_here

STAGE_VERSION = 3
BATCH, LARGEST = 500, 5_000


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: whose claims, whose vectors, how short the list is kept, and what the matcher reads."""
    from medassay.models.nuggets.matching import most_pairs_a_nugget

    chosen = match_settings(settings)
    return {
        "claims": content_key(decompose.spec(settings)),
        "embedder": content_key(embed.spec(settings)),
        "matcher": chosen.matcher,
        "floor": chosen.shortlist_floor if chosen.matcher == "reader" else chosen.threshold,
        "size": most_pairs_a_nugget(chosen),
        "stage_version": STAGE_VERSION,
    }


def work(step: Step) -> None:
    """Select the claim–nugget pairs that are read."""
    from medassay.models.nuggets.matching import pairs_to_entail

    chosen = match_settings(step.settings)
    for batch in step.batches(BATCH, LARGEST):
        lists, pairs, texts = [], [], {}
        for board in boards(step.warehouse, batch):
            requests = pairs_to_entail(board.claims, board.nuggets, board.similarity, chosen)
            key = {
                "answer_key": board.answer_key,
                "nugget_set_key": board.nugget_set_key,
                "fingerprint": step.fingerprint,
            }
            lists.append({**key, "n_pairs": len(requests)})
            for request in requests:
                premise, hypothesis = text_key(request.premise), text_key(request.hypothesis)
                texts[premise], texts[hypothesis] = request.premise, request.hypothesis
                pairs.append({**key, "premise_key": premise, "hypothesis_key": hypothesis})
        with step.warehouse.transaction():
            step.warehouse.insert("text", [{"text_key": key, "text": text} for key, text in texts.items()])
            step.warehouse.append("shortlist_pair", pairs)
            step.warehouse.insert("shortlist", lists)
        step.advance(len(batch))


shortlist = Stage(
    "shortlist",
    work,
    spec,
    WEIGHTS,
    travels=reads_here,
    settles=("shortlist_items",),
    reads=("embedding",),
    writes=("shortlist", "shortlist_pair"),
)
