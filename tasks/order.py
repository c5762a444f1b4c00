"""The order of the stages, each under its name in the run table: what each needs was made by one before it."""

from medassay.tasks.citations.entail import entail
from medassay.tasks.citations.fetch import fetch
from medassay.tasks.citations.joint import read_jointly as joint
from medassay.tasks.citations.retrieve import retrieve
from medassay.tasks.decompose import decompose_answers as decompose
from medassay.tasks.embed import embed
from medassay.tasks.judging.criteria import judge_criteria as criteria
from medassay.tasks.judging.judge import judge_answers as judge
from medassay.tasks.judging.listwise import compare_answers as listwise
from medassay.tasks.nuggets.assign import assign_nuggets as assign
from medassay.tasks.nuggets.made import make_nuggets as nuggets
from medassay.tasks.nuggets.match import match_nuggets as match
from medassay.tasks.nuggets.sentences import label_sentences as label
from medassay.tasks.nuggets.shortlist import choose_pairs as shortlist

STAGES = (
    decompose,
    nuggets,
    embed,
    fetch,
    retrieve,
    shortlist,
    entail,
    joint,
    match,
    assign,
    label,
    judge,
    listwise,
    criteria,
)
