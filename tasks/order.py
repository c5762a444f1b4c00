"""The order of the stages, each under its name in the run table: what each needs was made by one before it."""

from tasks.citations.entail import entail
from tasks.citations.fetch import fetch
from tasks.citations.joint import read_jointly as joint
from tasks.citations.retrieve import retrieve
from tasks.decompose import decompose_answers as decompose
from tasks.embed import embed
from tasks.judging.judge import judge_answers as judge
from tasks.judging.listwise import compare_answers as listwise
from tasks.nuggets.assign import assign_nuggets as assign
from tasks.nuggets.made import make_nuggets as nuggets
from tasks.nuggets.match import match_nuggets as match
from tasks.nuggets.sentences import label_sentences as label
from tasks.nuggets.shortlist import choose_pairs as shortlist

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
)
