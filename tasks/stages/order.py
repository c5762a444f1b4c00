"""The stages in order; each needs only what earlier ones wrote."""

from medassay.tasks.stages.assign import assign
from medassay.tasks.stages.criteria import criteria
from medassay.tasks.stages.decompose import decompose
from medassay.tasks.stages.embed import embed
from medassay.tasks.stages.entail import entail
from medassay.tasks.stages.fetch import fetch
from medassay.tasks.stages.guidance import guidance
from medassay.tasks.stages.joint import joint
from medassay.tasks.stages.judge import judge
from medassay.tasks.stages.label import label
from medassay.tasks.stages.listwise import listwise
from medassay.tasks.stages.match import match
from medassay.tasks.stages.nuggets import nuggets
from medassay.tasks.stages.retrieve import retrieve
from medassay.tasks.stages.shortlist import shortlist

STAGES = (
    decompose,
    nuggets,
    fetch,
    embed,
    retrieve,
    shortlist,
    entail,
    joint,
    match,
    assign,
    guidance,
    label,
    judge,
    listwise,
    criteria,
)
FACTORS = {stage.name: stage.factor for stage in STAGES}
"""The factors that the stages declare."""
