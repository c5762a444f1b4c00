"""What the report calls the states of nuggets, claims and citations, with a sentence each."""

STATES = {
    "covered": ("Covered", "A claim states this nugget rightly."),
    "partial": (
        "Partial",
        "Some parts of the nugget are stated, or of the claim entailed; none is contradicted.",
    ),
    "contradicted": ("Contradicted", "A claim speaks of this nugget and turns it around."),
    "missing": ("Missing", "No claim speaks of this nugget."),
    "correct": ("Correct", "The claim states a nugget of the reference rightly."),
    "contradicts": ("Contradicts", "It says the opposite of the reference or of the source."),
    "unmatched": (
        "Not in the reference",
        "The reference says nothing of this claim: it is neither right nor wrong.",
    ),
    "non_claim": ("Not a claim", "A greeting, a heading, a question or advice: counted apart."),
    "supports": ("Supports", "The source entails the claim."),
    "neutral": ("Does not say", "The source neither supports nor contradicts the claim."),
    "not_found": ("Not found", "A source that answers has no such record: the citation is likely made up."),
    "untraceable": ("Untraceable", "A bare marker with nothing behind it."),
    "unverifiable": ("Unverifiable", "It exists but its text could not be had, or no source could be asked."),
}

CITATION_STATES = (
    "supports",
    "partial",
    "neutral",
    "contradicts",
    "not_found",
    "untraceable",
    "unverifiable",
)
