"""The order of the stages: what each needs was made by one before it."""

from medassay.tasks.citations.entail import entail
from medassay.tasks.citations.fetch import fetch
from medassay.tasks.citations.joint import read_jointly
from medassay.tasks.citations.retrieve import retrieve
from medassay.tasks.decompose import decompose_answers
from medassay.tasks.embed import embed
from medassay.tasks.judging.judge import judge_answers
from medassay.tasks.judging.listwise import compare_answers
from medassay.tasks.nuggets.assign import assign_nuggets
from medassay.tasks.nuggets.made import make_nuggets
from medassay.tasks.nuggets.match import match_nuggets
from medassay.tasks.nuggets.sentences import label_sentences
from medassay.tasks.nuggets.shortlist import choose_pairs

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
)
