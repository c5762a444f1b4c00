"""Overview of the report: systems, judges, cautions, exclusions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from medassay.metrics import BY_NAME, Metric
from medassay.models.counting import counted
from medassay.models.judges.mark_scale import other_scales
from medassay.models.report.exclusions import gaps_of, unseen_systems
from medassay.models.report.judges import drift_warnings
from medassay.models.report.rows import ReportData, number_of, object_of, text_of

_LOUD_THRESHOLD = 0.6


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of the report's head; `note` says more in small print.

    `part` is the part of the page that it leads to, `show` which questions are listed there; `note_show` the same for
    the small print.
    """

    label: str
    value: str
    note: str = ""
    part: str = ""
    show: str = ""
    note_show: str = ""


def systems_of(data: ReportData) -> list[str]:
    """Systems as the leaderboard ranks them, then any others by name."""
    ranked = [text_of(row.get("system")) for row in data.leaderboard]
    others = {text_of(row.get("system")) for rows in (data.answers, data.answer_scores) for row in rows}
    return list(dict.fromkeys([*ranked, *sorted(others)]))


def sorted_by(data: ReportData) -> Metric:
    """The metric by which the leaderboard is sorted."""
    named = [text_of(row.get("sorted_by")) for row in data.leaderboard]
    settings = object_of(data.run.get("settings"))
    return BY_NAME.get((named or [text_of(settings.get("sort_by"))])[0], BY_NAME["nugget_coverage"])


def headline(data: ReportData) -> str:
    """One sentence that answers the question people open the report with."""
    metric = sorted_by(data)
    scored = [
        (text_of(row.get("system")), value)
        for row in data.leaderboard
        if (value := number_of(row.get(metric.name))) is not None
    ]
    if not scored:
        return "No system has a score that could be ranked; the reasons are below."
    scored.sort(key=lambda item: item[1] if metric.lower_is_better else -item[1])
    (best, value), label = scored[0], metric.label.lower()
    others = [f"{system} ({score:.2f})" for system, score in scored[1:4]]
    if len(scored) > 4:
        others.append(f"{len(scored) - 4} more")
    if not others:
        return f"{best} reaches {value:.2f} on {label}.{_most_contradicted(data)}"
    if scored[1][1] == value:
        return f"{best} and {scored[1][0]} share first place on {label}, at {value:.2f}.{_most_contradicted(data)}"
    chance = _not_told_from(data, best)
    leads = "is ahead" if chance else "leads"
    return (
        f"{best} {leads} on {label} ({value:.2f}), before {_and(others)}{chance}.{_most_contradicted(data)}"
    )


def _not_told_from(data: ReportData, best: str) -> str:
    """Name the systems that the paired tests could not tell from the first one."""
    level = [
        text_of(row.get("system"))
        for row in data.leaderboard
        if row.get("rank_low") == 1 and text_of(row.get("system")) != best
    ]
    if not level:
        return ""
    named = _and(level) if len(level) <= 3 else f"{len(level)} others"
    return f"; these questions do not tell it from {named}"


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _most_contradicted(data: ReportData) -> str:
    wrong: Counter[str] = Counter()
    all_of: Counter[str] = Counter()
    for (system, state), n in data.tally("nugget", data.nugget_states).items():
        all_of[system] += n
        if state == "contradicted":
            wrong[system] += n
    if not wrong:
        return ""
    system, count = wrong.most_common(1)[0]
    return f" {system} contradicts the reference most often: {count:,} of {all_of[system]:,} nuggets."


def facts_of(data: ReportData) -> list[Fact]:
    """Which models scored, under which profile, when."""
    run, settings = data.run, object_of(data.run.get("settings"))
    found = []
    for label, names, stages in (
        ("Embedder", ("embedder",), ("embed",)),
        ("Reader", ("reader",), ("entail",)),
        ("Judge", ("judge",), ("judge",)),
        ("Matcher", ("matcher",), ("match",)),
    ):
        value = next((text_of(run.get(name)) for name in names if run.get(name)), "")
        chosen = (text_of(settings.get(name)) for name in names)
        value = value or next((choice for choice in chosen if choice not in ("", "auto")), "")
        for stage in data.run_stages:
            if text_of(stage.get("stage")) in stages:
                spec = object_of(stage.get("spec"))
                value = value or text_of(spec.get("model") or spec.get("judge"))
        if value:
            found.append(Fact(label, value))
    for label, name in (
        ("Threshold", "threshold"),
        ("Supports at", "supports_at"),
        ("Contradicts at", "contradicts_at"),
    ):
        if (cut := number_of(settings.get(name))) is not None:
            found.append(Fact(label, f"{cut:g}"))
    found.append(Fact("Profile", text_of(run.get("profile")) or "seed"))
    if run.get("metrics_version"):
        found.append(Fact("Metrics version", text_of(run.get("metrics_version"))[:12]))
    if run.get("version"):
        found.append(Fact("MedAssay", text_of(run.get("version"))))
    if run.get("run_id"):
        found.append(Fact("Run", text_of(run.get("run_id"))))
    return found


def is_unlicensed(data: ReportData) -> bool:
    """Return whether a judge of the run holds no licence."""
    if data.run.get("judge_licensed") is not None:
        return data.run["judge_licensed"] is False
    return any(row.get("licensed") is False for row in data.judge_licences)


def warnings_of(data: ReportData) -> list[str]:
    """What would mislead a reader who did not know it."""
    found = list(data.warnings)
    if object_of(data.run.get("settings")).get("first_pass"):
        found.append(
            "A first pass, read by the encoder alone, which misses a quarter of true paraphrases. In the run after it "
            "the language model reads what the encoder was not sure of."
        )
    named = text_of(data.run.get("judge")) or text_of(object_of(data.run.get("settings")).get("judge"))
    asked, judged = named not in ("", "none"), data.marks or data.judgements
    if asked and data.leaderboard and not any(row.get("status") == "scored" for row in judged):
        found.append("No judge scored the rubric: the column reason of the view judgements says why.")
    found += [f"{line[:1].upper()}{line[1:]}." for line in other_scales(judged)]
    if is_unlicensed(data):
        refused = sorted({text_of(r["judge"]) for r in data.judge_licences if r.get("licensed") is False})
        examined = {text_of(row["judge"]) for row in data.judge_licences}
        unseen = sorted({text_of(row["judge"]) for row in data.judge_stability} - examined)
        why = [f"{', '.join(refused)} did not order enough of the gold pairs right"] if refused else []
        if unseen or not refused:
            who = ", ".join(unseen) or named or "it"
            why.append(f"{who} has not been examined; medassay doctor --licence does that")
        found.append(f"Unlicensed judge: {'; '.join(why)}. The marks are shown all the same.")
    found += [f"{line[:1].upper()}{line[1:]}." for line in unseen_systems(data.quarantined_systems)]
    found += [f"{line}." for line in gaps_of(data)]
    found += drift_warnings(data)
    threshold = number_of(object_of(data.run.get("settings")).get("threshold"))
    if threshold is not None and threshold < _LOUD_THRESHOLD:
        found.append(
            f"The matching threshold is {threshold:g}: under {_LOUD_THRESHOLD:g}, claims match nuggets that they do "
            "not speak of."
        )
    states = _states(data.tally("citation", data.citation_verdicts))
    blind = states["unverifiable"]
    if blind and blind == states.total() - states["untraceable"]:
        unread = (row for row in data.citation_verdicts if row.get("state") == "unverifiable")
        reasons = Counter(text_of(row["reason"]) for row in unread if row.get("reason"))
        said = reasons.most_common(1)[0][0] if reasons else "no source could be asked"
        found.append(
            f"No citation could be checked: {said}. Documents supplied with the data need no source."
        )
    elif blind:
        found.append(
            f"{blind:,} of {states.total():,} citations could not be checked; citation precision counts the "
            "others, and its bounds for all of them are among the metrics."
        )
    cited = [row for row in data.citation_verdicts if row.get("retracted") == "yes"]
    retracted = _states(data.tally("retracted", cited, "source_id"))
    if retracted:
        found.append(f"Retracted sources are cited: {', '.join(sorted(retracted)[:5])}.")
    if len(data.questions) < data.n_questions:
        found.append(
            f"This page lists {len(data.questions):,} of {data.n_questions:,} questions, those with the most "
            "contradicted nuggets. Lists, charts of single answers and the counts beside them are of these; means, "
            "intervals, tests, the numbers at the head, citations by state and what is left out are of all. The home "
            "of runs and the views have the others."
        )
    if 0 < data.n_questions < 6:
        found.append("Fewer than six questions were asked: differences between systems are anecdotes.")
    return list(dict.fromkeys(text_of(sentence) for sentence in found))


def _states(tally: Counter[tuple[str, str]]) -> Counter[str]:
    """Sum a tally over its systems."""
    states: Counter[str] = Counter()
    for (_, state), n in tally.items():
        states[state] += n
    return states


def _answers(states: Counter[str]) -> str:
    """Count answers as the leaderboard does, and say how many of them say nothing."""
    n = states.total() - states["not_answered"] - states["failed"]
    silent = [f"{states[state]:,} {state}" for state in ("refused", "empty") if states[state]]
    return ", ".join([f"{n:,} {'answer' if n == 1 else 'answers'}", *silent])


def counts_of(data: ReportData, systems: Sequence[str]) -> list[Fact]:
    """The size of the evaluation, in a few numbers."""
    claims = _states(data.tally("claim", data.claims, "kind"))
    answers = _states(data.tally("answer", data.answers, default="answered"))
    states = _states(data.tally("nugget", data.nugget_states))
    verdicts = _states(data.tally("citation", data.citation_verdicts))
    n_nuggets, n_uncited = (
        data.tally(kind, rows).total()
        for kind, rows in (("reference", data.nuggets), ("uncited", data.uncited_claims))
    )
    return [
        Fact("questions", f"{data.n_questions:,}", counted(n_nuggets, "nugget"), "questions"),
        Fact("systems", f"{len(systems):,}", _answers(answers), "leaderboard"),
        Fact(
            "claims",
            f"{claims['claim']:,}",
            f"{n_uncited:,} need a citation and have none",
            "questions",
            note_show="uncited",
        ),
        Fact(
            "nuggets contradicted",
            f"{states['contradicted']:,}",
            f"{states['covered']:,} covered",
            "questions",
            "contradicted",
            "covered",
        ),
        Fact(
            "citations",
            f"{verdicts.total():,}",
            f"{verdicts['supports']:,} support their claim, {verdicts['not_found']:,} not found",
            "citations",
            note_show="supports",
        ),
    ]
