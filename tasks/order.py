"""The order of the stages: what each needs was made by one before it."""

from tasks.citations.entail import entail
from tasks.citations.fetch import fetch
from tasks.citations.joint import read_jointly
from tasks.citations.retrieve import retrieve
from tasks.decompose import decompose_answers
from tasks.embed import embed
from tasks.judging.criteria import judge_criteria
from tasks.judging.judge import judge_answers
from tasks.judging.listwise import compare_answers
from tasks.nuggets.assign import assign_nuggets
from tasks.nuggets.made import make_nuggets
from tasks.nuggets.match import match_nuggets
from tasks.nuggets.sentences import label_sentences
from tasks.nuggets.shortlist import choose_pairs

STAGES = (
    decompose_answers,
    make_nuggets,
    embed,
    fetch,
    retrieve,
    choose_pairs,
    entail,
    read_jointly,
    match_nuggets,
    assign_nuggets,
    label_sentences,
    judge_answers,
    compare_answers,
    judge_criteria,
)
