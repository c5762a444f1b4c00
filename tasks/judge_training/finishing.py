"""The end of a training: the judge among the models, its examination, its card."""

from collections import Counter
from pathlib import Path
from typing import Any

from medassay.models.chat.ledger import MemoryLedger
from medassay.models.chat.local.trained import CARD_FILE, endpoint_trained
from medassay.models.judge_training.folders import folder_digest, read_json, write_json
from medassay.models.judge_training.plan import Plan, read_splits
from medassay.models.judge_training.replies import Speaker, judge_of
from medassay.models.judge_training.trained import UNLICENSED, install, merged
from medassay.models.judges.examining.listwise import (
    attack_comparisons,
    examine_comparing,
    listwise_attack_suite,
)
from medassay.models.specs import TRAINED
from medassay.sql.warehouse import Warehouse
from medassay.tasks.judge_training.steps import cards_of
from medassay.tasks.judging.licensing import keep_licence
from medassay.tasks.progress import watcher

WHAT_IT_IS = (
    "A judge that compares answers to one question side by side, trained on the evaluations of other evaluators. "
    "It is no medical device, and nothing is known of it but what is measured here."
)


def install_judge(plan: Plan, base: Path, table: dict[str, Any]) -> Path:
    """Put the last checkpoint where `--judge trained:NAME` finds it: plain weights and a card, unlicensed so far."""
    model = merged(plan.folder_of(plan.last) / "model", base, plan.folder / "merged")
    splits = read_splits(plan.data)
    card = {
        "name": plan.name,
        "what": WHAT_IT_IS,
        "preset": plan.preset.fingerprint,
        "seed": plan.seed,
        "base": folder_digest(base),
        "weights": folder_digest(model),
        "checkpoints": {
            name: {"parent": one.parent, "model": one.model} for name, one in cards_of(plan).items()
        },
        "trained_on": {
            "n_strong": len(splits.strong),
            "n_weak": len(splits.weak),
            "evaluators": sorted({case.evaluator for case in splits.train}),
        },
        "measured": {
            name: table[name]
            for name in (
                "n_questions",
                "gold",
                "format_valid",
                "accuracy_2tuple",
                "majority_2tuple",
                "accuracy_triple",
            )
        },
        "table": [row for row in table["table"] if row["checkpoint"]],
        "licensed": False,
        "licence": UNLICENSED,
    }
    return install(plan.name, model, card)


def examine_judge(warehouse: Warehouse, name: str, folder: Path, n_attacked: int | None) -> dict[str, Any]:
    """Have the judge order the gold pairs and withstand attacks; write what it showed on its card and return the card.

    Args:
        warehouse: keeps the licence, so that reports know it.
        name: of the judge.
        folder: where it lies.
        n_attacked: how many answers of the gold set are attacked, all unless given.
    """
    judge = judge_of(Speaker(folder), endpoint_trained(f"{TRAINED}{name}", "judge"))
    watcher().begin("licence", 1, 1)
    licence = keep_licence(warehouse, examine_comparing(judge, MemoryLedger()))
    watcher().end("licence", "licensed" if licence.is_licensed else "unlicensed")
    suite = listwise_attack_suite() if n_attacked is None else listwise_attack_suite(n_attacked)
    watcher().begin("attacks", len(suite), len(suite))
    attacks = attack_comparisons(judge, MemoryLedger(), suite)
    watcher().end(
        "attacks", f"{attacks.n_succeeded} of {len(suite)} succeeded, {attacks.n_unscored} unscored"
    )
    unscored = Counter(one.reason for one in attacks.outcomes if not one.shifts)
    card: dict[str, Any] = read_json(folder / CARD_FILE)
    card |= {
        "licensed": licence.is_licensed,
        "licence": "licensed" if licence.is_licensed else UNLICENSED,
        "ordered": [
            {"sub_metric": one.sub_metric, "right": one.n_right, "of": one.n_pairs}
            for one in licence.by_sub_metric
        ],
        "attacks": {
            "tried": len(suite),
            "succeeded": attacks.n_succeeded,
            "unscored": attacks.n_unscored,
            "why_unscored": next(iter(unscored.most_common(1)), (None,))[0],
        },
    }
    write_json(folder / CARD_FILE, card)
    return card
