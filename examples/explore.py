"""Look around in the published results: `marimo edit examples/explore.py`, or `marimo run` for readers.

The file is read while runs go on. `MEDASSAY_HOME` says where it is, `.medassay` in the current folder unless given;
`pip install marimo` if it is not there. As a plain script it runs once, without a page.
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="MedAssay results")


@app.cell
def _():
    import os
    from pathlib import Path

    import altair
    import duckdb
    import marimo as mo

    home = Path(os.environ.get("MEDASSAY_HOME", ".medassay"))
    results = duckdb.connect(str(home / "results.duckdb"), read_only=True)

    def ask(query, *values):
        """Return the rows that a query of the published views gives, as dicts."""
        cursor = results.execute(query, values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    return altair, ask, mo


@app.cell
def _(ask, mo):
    runs = ask("select run_id, coalesce(name, dataset) as name from runs order by finished_at desc")
    names = {f"{row['name']} · {row['run_id']}": row["run_id"] for row in runs}
    run = mo.ui.dropdown(options=names, value=next(iter(names)), label="Run")
    mo.vstack([mo.md("# Which system is better, and why?"), run])
    return (run,)


@app.cell
def _(altair, ask, mo, run):
    scores = ask(
        """
        select metric, system, value, low, high, n_scored from system_scores
        where run_id = ? and value is not null
          and metric in ('nugget_coverage', 'contradiction_rate', 'factual_correctness', 'citation_precision',
                         'citation_recall', 'rubric_score')
        order by value desc
        """,
        run.value,
    )
    base = altair.Chart().encode(y=altair.Y("system:N", title=None, sort="-x"))
    dots = base.mark_circle(size=90).encode(
        x=altair.X("value:Q", title=None, scale=altair.Scale(domain=[0, 1])),
        tooltip=[f"{name}:N" for name in scores[0]],
    )
    lines = base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q")
    layers = altair.layer(lines, dots, data=altair.Data(values=scores)).properties(width=230)
    chart = layers.facet(altair.Facet("metric:N", title=None), columns=3)
    mo.vstack([mo.md("## Means over questions, with their 95 % intervals"), chart])
    return (scores,)


@app.cell
def _(mo, scores):
    systems = list(dict.fromkeys(row["system"] for row in scores if row["metric"] == "nugget_coverage"))
    left = mo.ui.dropdown(options=systems, value=systems[0], label="System")
    right = mo.ui.dropdown(options=systems, value=systems[-1], label="against")
    mo.vstack([mo.md("## Where do two of them part?"), mo.hstack([left, right], justify="start")])
    return left, right


@app.cell
def _(ask, left, mo, right, run):
    apart = ask(
        """
        select
            question_id, question, category, risk_level,
            round(a.nugget_coverage, 2) as coverage, round(b.nugget_coverage, 2) as against,
            round(a.nugget_coverage - b.nugget_coverage, 2) as difference
        from answer_scores as a
        join answer_scores as b using (run_id, question_id)
        join questions using (run_id, question_id)
        where run_id = ? and a.system = ? and b.system = ?
        order by abs(difference) desc, question_id
        """,
        run.value,
        left.value,
        right.value,
    )
    mo.ui.table(apart, page_size=8, label="The widest differences in nugget coverage first")
    return (apart,)


@app.cell
def _(ask, mo, right, run):
    turned_around = ask(
        """
        select question_id, nugget, claim, state.reason
        from nugget_states as state
        left join claims using (run_id, question_id, system)
        where run_id = ? and system = ? and state.state = 'contradicted' and list_contains(claim_ids, claim_id)
        order by question_id, state.nugget_id
        """,
        run.value,
        right.value,
    )
    mo.vstack([mo.md(f"## What **{right.value}** turns around"), mo.ui.table(turned_around, page_size=8)])
    return (turned_around,)


@app.cell
def _(altair, ask, mo, run):
    citations = ask(
        "select system, state, count(*) as n from citation_verdicts where run_id = ? group by all order by all",
        run.value,
    )
    colours = altair.Scale(
        domain=["supports", "partial", "neutral", "contradicts", "not_found", "untraceable", "unverifiable"],
        range=["#2f8f6b", "#d9a441", "#b9c0c4", "#c4551b", "#83386a", "#b98aac", "#7a84b8"],
    )
    bars = (
        altair.Chart(altair.Data(values=citations))
        .mark_bar()
        .encode(
            x=altair.X("n:Q", title="citations"),
            y=altair.Y("system:N", title=None),
            color=altair.Color("state:N", scale=colours, title=None),
            tooltip=["state:N", "n:Q"],
        )
        .properties(width=620)
    )
    mo.vstack([mo.md("## Do the citations hold?"), bars])
    return (citations,)


if __name__ == "__main__":
    app.run()
