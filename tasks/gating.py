"""A finished run as a gate sees it, read from the views, and the gate's verdict on it."""

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from medassay.metrics import BY_NAME
from medassay.models.atomic_files import written_whole
from medassay.models.gate.baseline import baseline_of, kept_metrics, read_baseline, write_baseline
from medassay.models.gate.config import GateConfig
from medassay.models.gate.deciding import Against, decide
from medassay.models.gate.measured import (
    ContradictedNugget,
    FaultyCitation,
    MadeWith,
    Mean,
    MeasuredAnswer,
    MeasuredRun,
    SaidDont,
    Score,
    Span,
)
from medassay.models.gate.places import Places
from medassay.models.gate.record import GateRecord
from medassay.models.gate.rules import RULES
from medassay.models.settings import OPTIONS, PRIMARY
from medassay.models.statistics.bootstrap import interval_note, known
from medassay.models.statistics.resampling import constant, mean_intervals
from medassay.models.usage import UsageError
from medassay.sql.snapshot import of_this_version, published, read_results
from medassay.tasks.comparing.compare import means_and_sizes
from medassay.tasks.comparing.grid import seed_of

RECORD = "gate.json"
Row = dict[str, Any]
Read = Callable[[str], list[Row]]
SCORED_BY = tuple(name for name, option in OPTIONS.items() if option.factor or name == "offline")
"""The settings that a score can depend on."""


def gate_run(
    read: Read,
    run_id: str,
    config: GateConfig,
    named: str,
    *,
    baseline: Path | None = None,
    writes_baseline: bool = False,
    allows_other: bool = False,
    failed: str | None = None,
) -> GateRecord:
    """Hold a finished run against its gate.

    Args:
        read: runs a query on the results and returns its rows as dicts.
        run_id: the run.
        config: what it has to keep to.
        named: where that was read.
        baseline: the file to hold it against, or to write; the configuration's own unless given.
        writes_baseline: write the baseline from this run, and hold it against none.
        allows_other: compare with a baseline of other options or models, too.
        failed: why the run itself ended red.

    Raises:
        UsageError: where configuration or baseline cannot be used.
        OSError: where the baseline cannot be read or written.
    """
    file = baseline or (Path(named).parent / config.baseline.file if config.baseline.file else None)
    if writes_baseline and file is None:
        raise UsageError(
            "--write-baseline: name the file with --baseline FILE, or as file in [gate.baseline]"
        )
    kept = Against(read_baseline(file), str(file), allows_other) if file and not writes_baseline else None
    measured = measured_run(read, run_id, [*config.bounds, *(config.baseline.metrics or ())])
    if writes_baseline:
        assert file is not None
        write_baseline(file, baseline_of(measured))
        kept = Against(baseline_of(measured), str(file))
    root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd())
    return decide(
        config, named, measured, means_of(read, measured, list(config.bounds)), kept, Places(root), failed
    )


def gate_home(
    home: Path,
    run_id: str,
    config: GateConfig,
    named: str,
    baseline: str | Path | None = None,
    *,
    record: Path | None = None,
    **chosen: Any,
) -> GateRecord:
    """Hold a published run of a home against its gate, and write the record.

    Args:
        home: where the run is published.
        run_id: the run.
        config: what it has to keep to.
        named: where that was read.
        baseline: the file to hold it against, or to write.
        record: where the record goes; `gate.json` in the home unless given.
        chosen: as of `gate_run`.
    """
    with of_this_version(home), published(home):
        found = gate_run(
            partial(read_results, home),
            run_id,
            config,
            named,
            baseline=Path(baseline) if baseline else None,
            **chosen,
        )
    with written_whole(record or home / RECORD) as file:
        file.write(found.model_dump_json(indent=1) + "\n")
    return found


def measured_run(read: Read, run_id: str, metrics: Iterable[str] = ()) -> MeasuredRun:
    """Read a run: its answers with the scores that a gate may look at, their contradictions and faulty citations."""
    own = f"run_id = '{_quoted(run_id)}'"
    (about,) = read(f"select dataset, profile, version, settings, metrics_version from runs where {own}")
    settings = json.loads(about["settings"])
    stages = read(
        f"select stage, fingerprint from run_stages where {own} and fingerprint is not null order by stage"
    )
    run = MeasuredRun(
        run_id=run_id,
        dataset=about["dataset"],
        version=about["version"],
        profile=about["profile"],
        primary=tuple(settings.get("primary", PRIMARY)),
        made_with=MadeWith(
            {name: settings[name] for name in SCORED_BY if name in settings},
            {row["stage"]: row["fingerprint"] for row in stages},
            about["metrics_version"],
        ),
        answers=(),
    )
    wanted = dict.fromkeys([*kept_metrics(run), *metrics, *(rule.needs for rule in RULES.values())])
    return MeasuredRun(
        **{
            name: getattr(run, name)
            for name in ("run_id", "dataset", "version", "profile", "primary", "made_with")
        },
        answers=tuple(_answers(read, own, about["profile"], list(wanted))),
    )


def _answers(read: Read, own: str, profile: str, metrics: Sequence[str]) -> Iterable[MeasuredAnswer]:
    names = ", ".join(f"'{name}'" for name in metrics)
    scores: dict[tuple[str, str], dict[str, Score]] = defaultdict(dict)
    for row in read(
        f"select question_id, system, metric, value, status, reason from metric_scores where {own}"
        f" and metric in ({names}) and profile in ('any', '{_quoted(profile)}') order by question_id, system, metric"
    ):
        scores[_answer(row)][row["metric"]] = Score(
            row["value"], row["status"] or "not_applicable", row["reason"]
        )
    spans = _spans(read, own)
    contradicted: dict[tuple[str, str], list[ContradictedNugget]] = defaultdict(list)
    for row in read(
        "select question_id, system, nugget, importance, claim_ids, reason from nugget_states"
        f" where {own} and state = 'contradicted' order by question_id, system, nugget_id"
    ):
        whose = _answer(row)
        claims = tuple(spans[(*whose, claim)] for claim in row["claim_ids"] or () if (*whose, claim) in spans)
        contradicted[whose].append(
            ContradictedNugget(row["nugget"], row["importance"], claims, row["reason"])
        )
    citations: dict[tuple[str, str], list[FaultyCitation]] = defaultdict(list)
    for row in read(
        "select question_id, system, claim_id, citation, source_id, state, retracted, sentence, reason"
        f" from citation_verdicts where {own}"
        " and (state in ('contradicts', 'not_found', 'untraceable') or retracted = 'yes')"
        " order by question_id, system, claim_id, ordinal"
    ):
        whose = _answer(row)
        citations[whose].append(
            FaultyCitation(
                row["citation"], row["source_id"], row["state"], row["retracted"], spans[(*whose, row["claim_id"])],
                row["sentence"], row["reason"],
            )
        )  # fmt: skip
    donts: dict[tuple[str, str], list[SaidDont]] = defaultdict(list)
    for row in read(
        "select question_id, system, words, claim_ids, reason from guidance_states"
        f" where {own} and kind = 'dont' and state = 'said' order by question_id, system, statement_id"
    ):
        whose = _answer(row)
        claims = tuple(spans[(*whose, claim)] for claim in row["claim_ids"] if (*whose, claim) in spans)
        donts[whose].append(SaidDont(row["words"], claims, row["reason"]))
    for row in read(
        "select question_id, system, answers.state, answers.answer, questions.category,"
        " coalesce(questions.case_id, question_id) as unit, given.answer_key, given.file, given.line"
        " from answers join questions using (run_id, question_id)"
        f" left join run_answer as given using (run_id, question_id, system) where {own}"
        " order by question_id, system"
    ):
        whose = _answer(row)
        yield MeasuredAnswer(
            row["question_id"], row["system"], row["state"], row["answer_key"], row["unit"], row["category"],
            row["file"], row["line"], row["answer"], scores.get(whose, {}), tuple(contradicted.get(whose, ())),
            tuple(citations.get(whose, ())), tuple(donts.get(whose, ())),
        )  # fmt: skip


def _spans(read: Read, own: str) -> dict[tuple[str, str, str], Span]:
    """Return the claims that contradict a nugget, carry a faulty citation, or say what the guidance forbids."""
    rows = read(
        f"""
        with named as (
            select question_id, system, unnest(claim_ids) as claim_id from nugget_states
            where {own} and state = 'contradicted'
            union
            select question_id, system, unnest(claim_ids) from guidance_states
            where {own} and kind = 'dont' and state = 'said'
            union
            select question_id, system, claim_id from citation_verdicts
            where {own} and (state in ('contradicts', 'not_found', 'untraceable') or retracted = 'yes')
        )
        select question_id, system, claim_id, claim, span_start, span_end
        from claims join named using (question_id, system, claim_id) where {own}
        """
    )
    return {
        (*_answer(row), row["claim_id"]): Span(
            row["claim_id"], row["claim"], row["span_start"], row["span_end"]
        )
        for row in rows
    }


def means_of(read: Read, run: MeasuredRun, metrics: Sequence[str]) -> list[Mean]:
    """Return each system's mean of these metrics, over all questions as published and over those of each category."""
    names = ", ".join(f"'{name}'" for name in metrics)
    published = read(
        "select system, metric, value, low, high, n_scored, n_asked, reason from system_scores"
        f" where run_id = '{_quoted(run.run_id)}' and metric in ({names})"
        f" and profile in ('any', '{_quoted(run.profile)}') order by metric, system"
    ) if metrics else []  # fmt: skip
    whole = {(row["metric"], row["system"]): row for row in published}
    found = []
    for metric in metrics:
        for system in run.systems:
            own = [answer for answer in run.answers if answer.system == system]
            for category in (None, *sorted({answer.category for answer in own if answer.category})):
                some = [answer for answer in own if category in (None, answer.category)]
                found.append(_mean(metric, system, category, some, whole.get((metric, system))))
    return found


def _mean(
    metric: str, system: str, category: str | None, answers: Sequence[MeasuredAnswer], published: Row | None
) -> Mean:
    scores = [answer.scores.get(metric) for answer in answers]
    values = np.array([np.nan if s is None or s.value is None else s.value for s in scores], dtype=np.float64)
    units = np.unique([answer.unit for answer in answers], return_inverse=True)[1].astype(np.int64)
    n = int(np.isfinite(values).sum())
    reasons = [score.reason for score in scores if score is not None and score.value is None and score.reason]
    if not n:
        reason = published["reason"] if category is None and published else next(iter(reasons), None)
        return Mean(metric, system, category, None, None, None, None, 0, len(answers), 0, reason)
    means, sizes = means_and_sizes(values[:, None], units)
    of_units = means[np.isfinite(means)]
    top = BY_NAME[metric].high
    if category is None and published:
        value, low, high, note = (published[name] for name in ("value", "low", "high", "reason"))
    else:
        (low,), (high,) = mean_intervals(means, seed_of(values), sizes=sizes)
        low, high = known(np.clip(low, 0.0, top)), known(np.clip(high, 0.0, top))
        value = float(np.clip(np.nanmean(values), 0.0, top))
        note = interval_note(len(of_units), bool(constant(means)[0]), "question" if sizes is None else "case")
    deviation = float(of_units.std(ddof=1)) if len(of_units) > 1 else None
    return Mean(
        metric, system, category, value, low, high, deviation, n, len(answers) - n, len(of_units), note
    )


def _answer(row: Row) -> tuple[str, str]:
    return row["question_id"], row["system"]


def _quoted(text: str) -> str:
    return text.replace("'", "''")
