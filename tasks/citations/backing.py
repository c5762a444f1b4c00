"""PubMed's files as the last resort, where those who were asked did not answer or have less."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from medassay.models.sources.resolver import Resolution
from medassay.sql.warehouse import Warehouse
from medassay.tasks.citations.pubmed_files import PubMedFiles


def backed_by_files(
    warehouse: Warehouse, resolution: Resolution, earlier: Collection[str], filed_bare: Collection[str] = ()
) -> Resolution:
    """Let PubMed's files speak where nobody answered, and where a name that stands in them is denied.

    So they do of those that they hold without an abstract, where Crossref alone answered.
    """
    unanswered = [name for name in resolution.unresolved if name not in earlier]
    by_crossref = [
        name
        for name in resolution.found
        if name in filed_bare and name not in earlier and resolution.origins[name] == "crossref"
    ]
    filed = PubMedFiles(warehouse).resolve([*unanswered, *resolution.not_found, *by_crossref])
    told = resolution.unresolved | resolution.not_found

    def without(reasons: Mapping[str, str]) -> dict[str, str]:
        return {name: reason for name, reason in reasons.items() if name not in filed.found}

    return replace(
        resolution,
        found=resolution.found | filed.found,
        not_found=without(resolution.not_found),
        unresolved=without(resolution.unresolved),
        final=resolution.final - filed.found.keys(),
        origins=resolution.origins | dict.fromkeys(filed.found, PubMedFiles.name),
        bodies=resolution.bodies | filed.bodies,
        notes=resolution.notes
        | {name: f"as PubMed's files hold it: {told[name]}" for name in filed.found.keys() & told.keys()},
    )
