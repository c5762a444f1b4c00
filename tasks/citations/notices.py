"""What a person must know of a run's citations: which could not be checked, name nothing, or were withdrawn since."""

from pathlib import Path

from medassay.models.counting import counted
from medassay.sql.snapshot import read_results

MOST_NAMED = 3


def unchecked(home: Path, run_id: str) -> list[str]:
    """Say how many citations could not be checked, why most of them could not, and what to do.

    An outage is asked about again by the next run; any other reason says itself what would help.
    """
    rows = read_results(
        home,
        f"""
        select
            citations.reason,
            count(*) as n_citations,
            sum(count(*)) over ()::int as n_unchecked,
            (select count(*) from citations where run_id = '{run_id}') as n_all,
            bool_or(outcome.state = 'failed') as is_asked_again
        from citations
        left join outcome
            on outcome.run_id = citations.run_id and outcome.stage = 'fetch' and outcome.item_key = citations.source_id
        where citations.run_id = '{run_id}' and citations.state = 'unverifiable'
        group by citations.reason order by n_citations desc, citations.reason limit 1
        """,
    )
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
    return _in_state(home, run_id, "not_found", "source_id", what)


def not_understood(home: Path, run_id: str) -> list[str]:
    """Say how many marks look like citations and lead to no source, and the first of them with their answers."""
    return _in_state(home, run_id, "untraceable", "citation", "lead to no source (untraceable)")


def _in_state(home: Path, run_id: str, state: str, named_by: str, what: str) -> list[str]:
    rows = read_results(
        home,
        f"""
        select
            {named_by} as name,
            system,
            question_id,
            sum(count(*)) over ()::int as n_citations,
            count(*) over ()::int as n_places,
            (select count(*) from citations where run_id = '{run_id}') as n_all
        from citations where run_id = '{run_id}' and state = '{state}'
        group by name, system, question_id order by system, question_id, name limit {MOST_NAMED}
        """,
    )
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
    rows = read_results(
        home,
        f"""
        select
            if(retracted = 'yes', 'retracted', 'under an expression of concern') as standing,
            count(*) as n_citations,
            count(distinct source_id) as n_sources,
            min(source_id) as first_source,
            (select count(*) from citations where run_id = '{run_id}') as n_all
        from citations where run_id = '{run_id}' and 'yes' in (retracted, concern)
        group by standing order by standing
        """,
    )
    told = []
    for row in rows:
        more = f" and {row['n_sources'] - 1:,} more" if row["n_sources"] > 1 else ""
        told.append(
            f"{row['n_citations']:,} of {counted(row['n_all'], 'citation')} cite what is {row['standing']}"
            f" ({row['first_source']}{more}): they count by what it says; retracted and concern in the view citations"
            " name them"
        )
    return told
