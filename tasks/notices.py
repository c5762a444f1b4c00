"""Notices beside a run's numbers: work that was left undone, citations that could not be checked."""

from pathlib import Path
from typing import Any

from medassay.metrics import headings
from medassay.models.chat.ledger import told
from medassay.models.counting import counted
from medassay.models.judges.mark_scale import GIVEN, other_scales
from medassay.models.report.exclusions import gaps, unseen_systems
from medassay.sql.snapshot import read_results
from medassay.sql.warehouse import statement
from medassay.tasks.stages.nuggets import NOT_IN_REFERENCE

MOST_NAMED = 3

ABSTENTIONS_TOLD_ELSEWHERE = ("decompose", "judge", "joint")
"""What a model left to the rules is told by the claim; a judge's stand beside its marks; sources are read together
by the model that reads them one by one."""

TOO_LONG = "longer than the model's context"
CALLED = {"listwise": "answers side by side"}
"""What people call a stage whose name says little."""


def unchecked(home: Path, run_id: str) -> list[str]:
    """Return how many citations could not be checked, why most of them could not, and what to do.

    An outage is asked about again by the next run; any other reason says itself what would help.
    """
    rows = read_results(home, statement("statements/citations/notices/unchecked"), [run_id])
    told = []
    for row in rows:
        most = "" if row["n_citations"] == row["n_unchecked"] else "most "
        again = "; the same command asks again" if row["is_asked_again"] else ""
        told.append(
            f"{row['n_unchecked']:,} of {counted(row['n_all'], 'citation')} could not be checked, {most}because"
            f" {' '.join((row['reason'] or 'no reason was stored').split())}{again};"
            " state and reason in the view citations name them"
        )
    return told


def invented(home: Path, run_id: str) -> list[str]:
    """Return how many citations name what no source has, and the first of them with the answers they stand in."""
    what = "name what the source that was asked does not have (not_found)"
    return _in_state(home, run_id, "not_found", what)


def not_understood(home: Path, run_id: str) -> list[str]:
    """Return how many marks look like citations and lead to no source, and the first of them with their answers."""
    return _in_state(home, run_id, "untraceable", "lead to no source (untraceable)")


def _in_state(home: Path, run_id: str, state: str, what: str) -> list[str]:
    rows = read_results(home, statement("statements/citations/notices/in_state"), [run_id, state, MOST_NAMED])
    if not rows:
        return []
    named = ", ".join(f"{row['name']} in {row['system']}'s answer to {row['question_id']}" for row in rows)
    more = rows[0]["n_places"] - len(rows)
    return [
        f"{rows[0]['n_citations']:,} of {counted(rows[0]['n_all'], 'citation')} {what}:"
        f" {named}{f' and {more:,} more' if more else ''}; the view citations names them"
    ]


def withdrawn(home: Path, run_id: str) -> list[str]:
    """Return how many citations are of sources that were retracted, or that their journal is concerned about."""
    rows = read_results(home, statement("statements/citations/notices/withdrawn"), [run_id])
    told = []
    for row in rows:
        more = f" and {row['n_sources'] - 1:,} more" if row["n_sources"] > 1 else ""
        told.append(
            f"{row['n_citations']:,} of {counted(row['n_all'], 'citation')} cite what is {row['standing']}"
            f" ({row['first_source']}{more}): they count by what it says; retracted and concern in the view citations"
            " name them"
        )
    return told


def notices(home: Path, run_id: str, stages: list[dict[str, Any]]) -> list[str]:
    """Return what a person must know beside the numbers: what was left undone, and how far to trust the judge."""
    left = [
        f"{stage['stage']}: {stage['n_pending'] - stage['n_done']} of {stage['n_items']} left; {stage['note']}"
        if stage["n_pending"] > stage["n_done"]
        else f"{stage['stage']}: {stage['note']}"
        for stage in stages
        if stage["note"]
    ]
    left += same_questions(home, run_id) + unsplit(home, run_id) + abstentions(home, run_id, stages)
    left += unseen_systems(
        read_results(home, f"from quarantined_systems where run_id = '{run_id}' order by system")
    )
    left += unchecked(home, run_id) + invented(home, run_id) + not_understood(home, run_id)
    left += withdrawn(home, run_id) + ungrounded(home, run_id)
    left += silences(home, run_id) + unscored(home, run_id) + disagreements(home, run_id)
    left += other_models(home, run_id)
    left += marks_on_another_scale(home, run_id)
    left += unlicensed(home, run_id) + unlicensed_to_compare(home, run_id)
    return left + unlicensed_for_criteria(home, run_id)


def same_questions(home: Path, run_id: str) -> list[str]:
    """Tell how many questions stand there under several ids, and for how many independent ones the tests count them."""
    rows = read_results(home, statement("statements/notices/same_questions"), [run_id])
    one, several = ([row for row in rows if row["is_one_case"] is is_one] for is_one in (True, False))
    told = []
    for some, what in (
        (
            one,
            "the same question counts as one case, so intervals and tests have {n_units} independent {cases}",
        ),
        (
            several,
            "with other references they count as different cases; where they are one, give them one case_id",
        ),
    ):
        if some:
            n = sum(row["n_questions"] for row in some)
            cases = "case" if some[0]["n_units"] == 1 else "cases"
            told.append(
                f"{n} of {counted(some[0]['n_all'], 'question')} repeat {len(some)} under other ids (such as"
                f" {some[0]['first_id']}, {some[0]['n_questions']} times): {what.format(cases=cases, **some[0])}"
            )
    return told


def unsplit(home: Path, run_id: str) -> list[str]:
    """Return how many claims stand as the rules cut them though a model was asked, and why most of them do."""
    rows = read_results(home, statement("statements/notices/unsplit"), [run_id])
    return [
        f"decompose: {row['n_unsplit']} of {counted(row['n_claims'], 'claim')} stand as the rules cut them, most"
        f" because {' '.join(row['split_reason'].split())}; split_reason in the view claims names them"
        + (
            f", and a run with --retry asks again about {counted(row['n_answers'], 'answer')}"
            if row["n_answers"]
            else ""
        )
        for row in rows
    ]


def abstentions(home: Path, run_id: str, stages: list[dict[str, Any]]) -> list[str]:
    """Describe how much of a stage abstained and why most of it did; scores are made of what is left."""
    told = {
        row["stage"]: row for row in read_results(home, statement("statements/notices/abstentions"), [run_id])
    }
    return [
        f"{CALLED.get(stage['stage'], stage['stage'])}: {found['n_abstained']} of {stage['n_items']} abstained,"
        f" most because {' '.join(found['reason'].split())}; "
        + (
            "a model with a larger context could be asked"
            if TOO_LONG in found["reason"]
            else "a run with --retry asks again"
        )
        for stage in stages
        if stage["stage"] not in ABSTENTIONS_TOLD_ELSEWHERE and (found := told.get(stage["stage"]))
    ]


def marks_on_another_scale(home: Path, run_id: str) -> list[str]:
    """Name the judges all of whose marks look as if given on a scale to 1 or 10."""
    marks = ", ".join(GIVEN)
    return other_scales(
        read_results(home, f"select judge, status, {marks} from judgements where run_id = '{run_id}'")
    )


def unlicensed(home: Path, run_id: str) -> list[str]:
    """Return which judges hold no licence: those that missed too many errors, and those that were not examined."""
    rows = read_results(home, statement("statements/notices/unlicensed"), [run_id])
    missed = ", ".join(row["judge"] for row in rows if row["licensed"] is False)
    unseen = ", ".join(row["judge"] for row in rows if row["licensed"] is None)
    said = (
        [f"unlicensed judge: {missed} missed over 10 % of the single errors it was shown"] if missed else []
    )
    if unseen:
        said.append(
            f"unlicensed judge: whether {unseen} sees single errors has not been shown; "
            "medassay doctor --licence --judge SPEC examines it"
        )
    return said


def unlicensed_to_compare(home: Path, run_id: str) -> list[str]:
    """Return a line that says that the judge that compares side by side holds no licence for that."""
    rows = read_results(
        home, f"from comparing_standing where run_id = '{run_id}' and not judge_licensed order by judge"
    )
    return [
        f"unlicensed judge side by side: {row['judge']} put the right answer first in under 90 % of pairs"
        if row["examined"]
        else f"unlicensed judge side by side: whether {row['judge']} puts right answers first has not been shown; "
        "medassay doctor --licence --listwise --judge SPEC examines it"
        for row in rows
    ]


def unlicensed_for_criteria(home: Path, run_id: str) -> list[str]:
    """Return a line that says that nothing shows how well the judge of criteria sees them; physicians' marks would."""
    rows = read_results(
        home,
        f"select distinct judge from criteria where run_id = '{run_id}' and met is not null order by judge",
    )
    return [
        f"unlicensed judge of criteria: how often {row['judge']} decides as physicians do has not been shown; lay their"
        " marks beside the answers (human_scores.*, target criterion), then medassay agree"
        for row in rows
    ]


def other_models(home: Path, run_id: str) -> list[str]:
    """Return where a server elsewhere let another model answer than the one that was asked."""
    rows = read_results(
        home,
        "select distinct stage, model_asked, model_answered from model_calls"
        f" where run_id = '{run_id}' and starts_with(endpoint, 'http') and model_answered is not null",
    )
    stages = sorted({row["stage"] for row in rows})
    return [
        line
        for stage in stages
        for line in told(
            stage, ((r["model_asked"], r["model_answered"]) for r in rows if r["stage"] == stage)
        )
    ]


def silences(home: Path, run_id: str) -> list[str]:
    """Name the systems whose answers are empty: they count as answered, since the system was asked and said nothing."""
    rows = read_results(
        home,
        "select system, count(*) filter (state = 'empty') as n_empty,"
        " count(*) filter (state in ('answered', 'empty')) as n_answered from answers"
        f" where run_id = '{run_id}' group by system having n_empty > 0 order by system",
    )
    whose = ", ".join(f"{row['n_empty']} of {row['n_answered']} of {row['system']}" for row in rows)
    return [f"empty answers, which count as answered: {whose}"] if rows else []


def unscored(home: Path, run_id: str) -> list[str]:
    """Return how many answers a shown metric's means leave out since a model abstained or something failed, and why."""
    of_run = f"where run_id = '{run_id}' and profile = 'any'"
    return gaps(
        read_results(home, f"select metric, system, n_asked, n_scored from system_scores {of_run}"),
        read_results(home, f"from unscored {of_run}"),
        headings("terminal"),
    )


def disagreements(home: Path, run_id: str) -> list[str]:
    """Count for how many nuggets the language model and the embedded signals differ, where both spoke."""
    (both,) = read_results(
        home,
        "select count(*) filter (model_state <> signals_state) as n_differ, count(model_state) as n_asked"
        f" from nugget_states where run_id = '{run_id}'",
    )
    if not both["n_differ"]:
        return []
    return [
        f"the model and the signals differ on {both['n_differ']} of {counted(both['n_asked'], 'nugget')}, for a person"
        ' to decide: medassay query "from nugget_disagreements"'
    ]


def ungrounded(home: Path, run_id: str) -> list[str]:
    """Return how many nuggets of the language model hardly stand in the reference answer that they were made from."""
    (made,) = read_results(
        home,
        f"select count(*) filter (starts_with(provenance, '{NOT_IN_REFERENCE}')) as n_elsewhere, count(*) as n_made"
        f" from nuggets where run_id = '{run_id}' and origin = 'made'",
    )
    if not made["n_elsewhere"]:
        return []
    return [
        f"{made['n_elsewhere']} of {counted(made['n_made'], 'made nugget')} are {NOT_IN_REFERENCE}, for a person to"
        " look at: nuggets.provenance says which"
    ]
