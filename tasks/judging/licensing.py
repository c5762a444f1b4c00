"""Licence and attack examinations of a judge, stored by its fingerprint."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from medassay.models.chat.cap import Cap
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.local.served import reachable
from medassay.models.judges.choosing import NoJudge, choose_panel, endpoint_asked
from medassay.models.judges.evidence import EvidenceJudge
from medassay.models.judges.examining.attacks import AttackReport, attack, attack_suite
from medassay.models.judges.examining.lengths import LengthReport, counterfactuals, examine_lengths, inputs_of
from medassay.models.judges.examining.licence import Licence, examine, examined_pairs
from medassay.models.judges.examining.listwise import (
    attack_comparisons,
    compared_pairs,
    examine_comparing,
    listwise_attack_suite,
    n_orders,
)
from medassay.models.judges.judgement import Judge
from medassay.models.judges.listwise.judge import ListwiseJudge
from medassay.models.settings import Settings
from medassay.models.usage import UsageError
from medassay.sql.home import home_secret
from medassay.sql.snapshot import publish
from medassay.sql.warehouse import Warehouse
from medassay.tasks.judging.evidence import examined_by
from medassay.tasks.run import new_run_id
from medassay.tasks.spending.ledger import WarehouseLedger
from medassay.tasks.stages.listwise import endpoint_of_judge


def judges_to_examine(settings: Settings, home: Path) -> tuple[Judge, ...]:
    """Choose the judges to examine; marks from evidence are made with the settings' reader.

    Raises:
        UsageError: when there is none.
    """
    panel = choose_panel(settings.judge, home_secret(home))
    if isinstance(panel, NoJudge):
        raise UsageError(f"no judge to examine: {panel.reason}; name one with --judge")
    return tuple(
        EvidenceJudge(examined_by(settings)) if isinstance(judge, EvidenceJudge) else judge for judge in panel
    )


def endpoint_examined(judge: Judge | ListwiseJudge) -> Endpoint | None:
    """Return whom an examination asks in words, None for the embedded judge."""
    return judge.endpoint if isinstance(judge, ListwiseJudge) else endpoint_asked(judge)


def n_licence_inputs() -> int:
    """Count the answers that a judge's licence needs marks for."""
    return 2 * len(examined_pairs())


def n_attack_inputs() -> int:
    """Count the distinct answers of the attack suite."""
    return len({shown.input_key for one in attack_suite() for shown in (one.clean, one.attacked)})


def examine_judge(warehouse: Warehouse, judge: Judge, cap: Cap, on_done: Callable[[object], None]) -> Licence:
    """Have a judge order the gold pairs, and keep what it showed; what was asked before is not asked again.

    An examination of which anything could not be scored for a reason of the world is not kept.
    """
    return keep_licence(
        warehouse, examine(judge, WarehouseLedger(warehouse, None, "licence"), cap=cap, on_done=on_done)
    )


def keep_licence(warehouse: Warehouse, licence: Licence) -> Licence:
    """Keep what an examination showed by the judge's fingerprint, unless it failed for a reason of the world."""
    if licence.n_failed:
        return licence
    now = datetime.now(UTC)
    with warehouse.transaction():
        warehouse.execute("delete from mart.judge_licence where fingerprint = ?", [licence.fingerprint])
        warehouse.append("mart.judge_licence", [{**row, "examined_at": now} for row in licence.rows()])
    return licence


def examine_comparing_judge(
    warehouse: Warehouse, judge: ListwiseJudge, cap: Cap, on_done: Callable[[object], None]
) -> Licence:
    """Have a judge compare the gold pairs side by side, and keep what it showed, as for marks."""
    ledger = WarehouseLedger(warehouse, None, "licence")
    with reachable(judge.endpoint) as served:
        licence = examine_comparing(replace(judge, endpoint=served), ledger, cap=cap, on_done=on_done)
    return keep_licence(warehouse, licence)


def n_licence_comparisons() -> int:
    """Count the orders that the licence of a judge that compares needs."""
    return 2 * len(compared_pairs())


def publish_licences(warehouse: Warehouse, home: Path) -> Path | None:
    """Publish the home's results anew, so that its runs show what their judges hold; None where no run has finished."""
    if not warehouse.value("select count(*) from run where state = 'finished'"):
        return None
    return publish(warehouse, home, new_run_id(datetime.now(UTC)))


def attack_judge(
    warehouse: Warehouse, judge: Judge, cap: Cap, on_done: Callable[[object], None]
) -> AttackReport:
    """Have a judge score every attacked answer beside the clean one."""
    return attack(judge, WarehouseLedger(warehouse, None, "attacks"), cap=cap, on_done=on_done)


def comparing_judges(settings: Settings, home: Path) -> tuple[ListwiseJudge, ...]:
    """Choose the judge of a spec that compares answers side by side, as an evaluation with `--listwise` does.

    Raises:
        UsageError: when there is none that can.
    """
    endpoint = endpoint_of_judge(settings.but(listwise=True))
    if isinstance(endpoint, str):
        raise UsageError(f"no judge to examine: {endpoint}")
    return (ListwiseJudge(endpoint, home_secret(home)),)


def n_comparisons() -> int:
    """Count the orders that the suite of attacks on comparisons has compared."""
    return n_orders(listwise_attack_suite())


def attack_comparing_judge(
    warehouse: Warehouse, judge: ListwiseJudge, cap: Cap, on_done: Callable[[object], None]
) -> AttackReport:
    """Have a judge compare every attacked answer with the right one, and the same without the attack."""
    ledger = WarehouseLedger(warehouse, None, "attacks")
    with reachable(judge.endpoint) as served:
        return attack_comparisons(replace(judge, endpoint=served), ledger, cap=cap, on_done=on_done)


def n_length_inputs() -> int:
    """Count the answers that are marked to see what length does."""
    return len(inputs_of(counterfactuals()))


def lengthen_for_judge(
    warehouse: Warehouse, judge: Judge, cap: Cap, on_done: Callable[[object], None]
) -> LengthReport:
    """Have a judge score answers beside the same answers made longer and shorter."""
    return examine_lengths(judge, WarehouseLedger(warehouse, None, "lengths"), cap=cap, on_done=on_done)
