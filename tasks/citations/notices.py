"""What a person must know of a run's citations: which could not be checked, name nothing, or were withdrawn since."""

from pathlib import Path

from medassay.models.keys import counted
from medassay.sql.snapshot import read_results
from medassay.sql.warehouse import statement

MOST_NAMED = 3


def unchecked(home: Path, run_id: str) -> list[str]:
    """Say how many citations could not be checked, why most of them could not, and what to do.

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
    """Say how many citations name what no source has, and the first of them with the answers they stand in."""
    what = "name what the source that was asked does not have (not_found)"
    return _in_state(home, run_id, "not_found", what)


def not_understood(home: Path, run_id: str) -> list[str]:
    """Say how many marks look like citations and lead to no source, and the first of them with their answers."""
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
    """Say how many citations are of sources that were retracted, or that their journal is concerned about."""
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
