"""Metrics of conversations: nuggets over all replies, and what was asked and raised by when."""

from medassay.metrics.metric import Group, Metric, Place

CONVERSATIONS = Group("conversations", "Conversations", counts="conversation_counts")
_SHOWN: frozenset[Place] = frozenset({"leaderboard", "report"})
_ALONE = "the question is no conversation of several replies"
_ASKS = "nothing has to be asked"
_FLAGS = "no red flag has to be raised"

METRICS = (
    Metric(
        name="conversation_coverage",
        label="Coverage over the conversation",
        means=(
            "The share of the nuggets that the conversation leaves stated rightly: some reply states them, and no later"
            " one turns them around."
        ),
        formula="nuggets whose last word in the conversation is covered / nuggets, 0 to 1",
        group=CONVERSATIONS,
        sql={"any": "ratio(n_covered_at_last, n_conversation_nuggets, no_conversation)"},
        shown=_SHOWN,
        unused=_ALONE,
        human=(),
    ),
    Metric(
        name="conversation_contradiction_rate",
        label="Contradicted in some reply",
        means="The share of the nuggets that some reply contradicts, corrected later or not. Lower is better.",
        formula="nuggets that a reply of the conversation contradicts / nuggets, 0 to 1; lower is better",
        group=CONVERSATIONS,
        sql={"any": "ratio(n_ever_contradicted, n_conversation_nuggets, no_conversation)"},
        lower_is_better=True,
        unused=_ALONE,
    ),
    Metric(
        name="unsaid_rate",
        label="Unsaid later",
        means="Of the nuggets that a reply states, the share that a later reply turns around. Lower is better.",
        formula="covered in a turn and contradicted in a later one / covered in some turn, 0 to 1; lower is better",
        group=CONVERSATIONS,
        sql={
            "any": """
            ratio(
                n_unsaid, n_ever_covered,
                if(n_conversation_nuggets > 0, not_applicable('no reply states a nugget'), no_conversation)
            )
            """
        },
        lower_is_better=True,
        shown=_SHOWN,
        unused=_ALONE,
    ),
    Metric(
        name="must_ask_recall",
        label="Asked what must be asked",
        means="The share of what must be asked (`must_ask`) that the assistant asks in some turn.",
        formula="asked in any turn / what must be asked, 0 to 1",
        group=CONVERSATIONS,
        sql={"any": f"ratio(n_asked_of_user, n_to_ask, coalesce(no_acts, not_applicable('{_ASKS}')))"},
        shown=_SHOWN,
        unused=_ASKS,
        human=(),
    ),
    Metric(
        name="must_ask_in_time",
        label="Asked in time",
        means="Of what must be asked by a turn, the share that is asked by then.",
        formula="asked by its turn / what must be asked by a turn, 0 to 1",
        group=CONVERSATIONS,
        sql={
            "any": """
            ratio(
                n_asked_in_time, n_to_ask_by_turn,
                coalesce(no_acts, not_applicable('nothing has to be asked by a turn'))
            )
            """
        },
        unused="nothing has to be asked by a turn",
    ),
    Metric(
        name="red_flags_raised",
        label="Red flags raised",
        means="The share of the red flags (`red_flags`) that the assistant raises, by their turn where one is given.",
        formula="red flags raised, by their turn where they have one / red flags, 0 to 1",
        group=CONVERSATIONS,
        sql={"any": f"ratio(n_raised, n_to_raise, coalesce(no_acts, not_applicable('{_FLAGS}')))"},
        shown=_SHOWN,
        unused=_FLAGS,
        human=(),
    ),
)
