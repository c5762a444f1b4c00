"""Metrics that hold an answer against what its system retrieved, and what it retrieved against the nuggets."""

from medassay.metrics.metric import Group, Metric, Place

CONTEXTS = Group("contexts", "Retrieved contexts", counts="context_counts")
RAGCHECKER = "Ru et al. 2024, RAGChecker (arXiv:2408.08067); Es et al. 2024, RAGAS (arXiv:2309.15217)"
_NONE = "no retrieved contexts came with the answer"
_SHOWN: frozenset[Place] = frozenset({"leaderboard", "report", "terminal"})
_CLAIMS = "coalesce(no_contexts, no_claims)"
_NUGGETS = "coalesce(no_contexts, no_nuggets)"

METRICS = (
    Metric(
        name="faithfulness",
        label="Faithfulness",
        means="The share of the answer's claims that a retrieved context supports.",
        formula="claims that a context entails / claims, 0 to 1",
        group=CONTEXTS,
        sql={"any": f"ratio(n_claims_held, n_claims_against_contexts, {_CLAIMS})"},
        paper=RAGCHECKER,
        shown=_SHOWN,
        unused=_NONE,
        human=(),
    ),
    Metric(
        name="context_contradiction_rate",
        label="Context contradiction rate",
        means="The share of the answer's claims that a context contradicts and none supports. Lower is better.",
        formula="claims that a context contradicts and none entails / claims, 0 to 1; lower is better",
        group=CONTEXTS,
        sql={"any": f"ratio(n_claims_opposed, n_claims_against_contexts, {_CLAIMS})"},
        lower_is_better=True,
        unused=_NONE,
    ),
    Metric(
        name="context_recall",
        label="Context recall",
        means="The share of the question's nuggets that a retrieved context holds, said in the answer or not.",
        formula="nuggets that a context entails / nuggets, 0 to 1",
        group=CONTEXTS,
        sql={"any": f"ratio(n_nuggets_retrieved, n_nuggets_against_contexts, {_NUGGETS})"},
        paper=RAGCHECKER,
        shown=_SHOWN,
        unused=_NONE,
        human=(),
    ),
    Metric(
        name="context_precision",
        label="Context precision",
        means="The share of the retrieved contexts that hold a nugget of the question.",
        formula="contexts that entail a nugget / contexts, 0 to 1; their order counts nothing",
        group=CONTEXTS,
        sql={"any": f"ratio(n_contexts_of_use, n_contexts_read, {_NUGGETS})"},
        paper=RAGCHECKER,
        shown=_SHOWN,
        unused=_NONE,
        human=(),
    ),
)
