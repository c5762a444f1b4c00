"""docs/metrics.md: every metric of the registry."""

from medassay.metrics import GROUPS, METRICS, Metric

HEAD = """# Metrics

Every metric that MedAssay computes per answer; a system's value is the mean over questions. Written by `make docs` from
the registry in `medassay/metrics`, which also makes the columns, the report and the settings; in SQL it is the view
`metrics`.

A value is NULL only where its denominator is 0 or something of ours failed; the column `<metric>_reason` then says why.
An empty or refused answer scores 0 on completeness and recall, and NULL on precision and on ratios of citations.

`completeness`, `correctness`, `precision` and `recall` follow the run's profile: `seed` (default), `bioace` or `trec`.
"""
DIRECTIONS = {True: "lower is better", False: "higher is better"}


def page() -> str:
    """Return the page: a section a group, a paragraph a metric."""
    parts = [HEAD]
    for group in GROUPS:
        parts.append(f"## {group.title}\n")
        parts += [section(metric) for metric in METRICS if metric.group is group]
    return "\n".join(parts)


def section(metric: Metric) -> str:
    """Return one metric's name, meaning, formula, range, direction, definition in SQL and pairing with people."""
    facts = [f"0 to {metric.high:g}", DIRECTIONS[metric.lower_is_better]]
    if metric.only_under:
        facts.append(f"profile {metric.only_under} only")
    if metric.paper:
        facts.append(f"defined in: {metric.paper}")
    if metric.human is not None:
        facts.append(
            f"`agree` holds it against {', '.join(f'`{name}`' for name in (metric.name, *metric.human))}"
        )
    lines = [f"### `{metric.name}`\n", metric.means, "", f"- {metric.formula}", f"- {'; '.join(facts)}"]
    for profile, sql in metric.sql.items():
        under = "" if profile == "any" else f" ({profile})"
        written = "\n".join(line.removeprefix(" " * 12) for line in sql.strip("\n").rstrip().split("\n"))
        lines.append(
            f"- SQL{under}: `{written}`"
            if "\n" not in written
            else f"- SQL{under}:\n\n```sql\n{written}\n```"
        )
    return "\n".join(lines) + "\n"
