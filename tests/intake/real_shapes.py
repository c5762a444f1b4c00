"""Shapes of input as peers' programs write them and as people keep sheets: a table of files, by who writes them."""

import json
from dataclasses import dataclass
from typing import Any

Q, A, B, GOLD, TEXT = (
    "Does aspirin prevent strokes?", "It does.", "It may.", "Aspirin lowers the risk.", "In a trial aspirin helped.",
)  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """A file with one question: who writes it so, its name and its text."""

    name: str
    writer: str
    file: str
    text: str


def lines(*rows: dict[str, Any]) -> str:
    """Write JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def whole(value: Any) -> str:
    """Write one JSON file."""
    return json.dumps(value, ensure_ascii=False)


TALK = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": Q}]
SHAPES = (
    # Peers' programs.
    Shape("ragas", "RAGAS 0.2 and later", "ragas.jsonl", lines(
        {"user_input": Q, "retrieved_contexts": [TEXT], "response": A, "reference": GOLD})),
    Shape("ragas-columns", "RAGAS 0.1, `Dataset.from_dict`", "ragas.json", whole(
        {"question": [Q], "answer": [A], "contexts": [[TEXT]], "ground_truth": [GOLD]})),
    Shape("ragas-contexts", "RAGAS with reference contexts", "ragas.jsonl", lines(
        {"user_input": Q, "reference_contexts": [TEXT], "response": A, "reference": GOLD, "synthesizer_name": "one hop"})),
    Shape("ragas-csv", "RAGAS's `to_pandas().to_csv()`", "scored.csv",
        f"user_input,retrieved_contexts,response,reference,faithfulness\n{Q},\"['{TEXT}']\",{A},{GOLD},0.5\n"),
    Shape("deepeval", "DeepEval test cases", "cases.json", whole(
        [{"input": Q, "actual_output": A, "expected_output": GOLD, "context": [GOLD], "retrieval_context": [TEXT]}])),
    Shape("deepeval-camel", "DeepEval's platform", "cases.json", whole(
        [{"input": Q, "actualOutput": A, "expectedOutput": GOLD, "retrievalContext": [TEXT]}])),
    Shape("trulens", "TruLens records", "records.csv",
        f"app_id,record_id,input,output,latency\nbot,r1,{Q},{A},2\n"),
    Shape("trulens-golden", "TruLens golden set", "golden.jsonl", lines(
        {"query": Q, "expected_response": GOLD, "response": A})),
    Shape("langchain", "LangChain RetrievalQA", "out.jsonl", lines(
        {"query": Q, "result": A, "source_documents": [{"page_content": TEXT, "metadata": {"source": "trial.pdf"}}]})),
    Shape("langchain-chain", "LangChain `create_retrieval_chain`", "out.jsonl", lines(
        {"input": Q, "context": [{"page_content": TEXT, "metadata": {}}], "answer": A})),
    Shape("langsmith", "LangSmith data set export", "examples.jsonl", lines(
        {"inputs": {"question": Q}, "outputs": {"answer": A}, "reference_outputs": {"answer": GOLD}})),
    Shape("langsmith-csv", "LangSmith experiment as CSV", "experiment.csv",
        f"input_question,outputs_answer,reference_answer\n{Q},{A},{GOLD}\n"),
    Shape("llamaindex", "LlamaIndex LabelledRagDataset with predictions", "rag.json", whole(
        [{"query": Q, "reference_answer": GOLD, "reference_contexts": [TEXT], "response": A, "contexts": [TEXT]}])),
    Shape("llamaindex-nodes", "LlamaIndex response", "out.jsonl", lines(
        {"query": Q, "response": A, "source_nodes": [{"node": {"text": TEXT, "id_": "n1"}, "score": 0.8}]})),
    Shape("phoenix", "Arize Phoenix spans", "spans.jsonl", lines(
        {"context.span_id": "s1", "attributes.input.value": Q, "attributes.output.value": A, "reference": TEXT})),
    Shape("phoenix-qa", "Arize Phoenix Q&A data frame", "qa.csv", f"input,output,reference\n{Q},{A},{TEXT}\n"),
    Shape("promptfoo", "promptfoo results", "results.json", whole(
        {"results": [{"vars": {"question": Q}, "response": {"output": A}, "provider": {"id": "openai:gpt"},
                      "success": True}]})),
    Shape("promptfoo-tests", "promptfoo test cases", "tests.csv", f"question,__expected\n{Q},contains: lowers\n"),
    Shape("healthbench", "HealthBench", "hb.jsonl", lines(
        {"prompt_id": "p1", "prompt": TALK[1:], "rubrics": [{"criterion": "Says yes", "points": 5, "tags": ["a"]}],
         "example_tags": ["theme:x"], "completion": A,
         "ideal_completions_data": {"ideal_completion": GOLD}})),
    Shape("openai-evals", "OpenAI evals samples", "samples.jsonl", lines({"input": TALK, "ideal": GOLD, "completion": A})),
    Shape("openai-evals-item", "OpenAI evals API", "items.jsonl", lines(
        {"item": {"question": Q, "reference_answer": GOLD}, "sample": {"output_text": A}})),
    Shape("openai-batch", "OpenAI batch output", "batch.jsonl", lines(
        {"custom_id": "q1", "response": {"body": {"model": "gpt", "choices": [
            {"message": {"role": "assistant", "content": A}}]}}})),
    Shape("mlflow", "MLflow evaluation data", "mlflow.csv", f"inputs,ground_truth,predictions\n{Q},{GOLD},{A}\n"),
    Shape("mlflow-genai", "MLflow GenAI evaluation", "mlflow.json", whole(
        [{"inputs": {"question": Q}, "outputs": A, "expectations": {"expected_response": GOLD}}])),
    Shape("azure", "Azure AI evaluation", "azure.jsonl", lines(
        {"query": Q, "response": A, "context": TEXT, "ground_truth": GOLD})),
    Shape("vertex", "Vertex AI evaluation", "vertex.csv", f"prompt,response,reference\n{Q},{A},{GOLD}\n"),
    Shape("lm-eval", "lm-evaluation-harness samples", "samples.jsonl", lines(
        {"doc_id": 0, "doc": {"question": Q}, "target": GOLD, "resps": [[A]], "filtered_resps": [A]})),
    Shape("giskard", "Giskard QATestset", "qa.jsonl", lines(
        {"id": "a1", "question": Q, "reference_answer": GOLD, "reference_context": TEXT, "conversation_history": [],
         "metadata": {"question_type": "simple"}, "agent_answer": A})),
    Shape("ragchecker", "RAGChecker", "checking.json", whole(
        {"results": [{"query_id": "q1", "query": Q, "gt_answer": GOLD, "response": A,
                      "retrieved_context": [{"doc_id": "d1", "text": TEXT}]}]})),
    Shape("chat", "Conversations for fine-tuning", "chat.jsonl", lines(
        {"messages": [*TALK, {"role": "assistant", "content": A}]})),
    Shape("alpaca", "Instruction data", "alpaca.json", whole([{"instruction": Q, "input": "", "output": A}])),
    Shape("instruction", "Instruction data with an input", "alpaca.json", whole(
        [{"instruction": "Answer briefly.", "input": Q, "output": A}])),
    # Sheets of people.
    Shape("semicolons", "A spreadsheet with semicolons", "panel.csv",
        f"Nr;Question;Gold answer;GPT;Llama\n1;{Q};{GOLD};{A};{B}\n"),
    Shape("german", "A German sheet", "tabelle.csv", f"Frage;Musterlösung;Antwort;Modell\n{Q};{GOLD};{A};m\n"),
    Shape("french", "A French sheet", "feuille.csv", f"Question;Réponse attendue;Réponse;Modèle\n{Q};{GOLD};{A};m\n"),
    Shape("spanish", "A Spanish sheet", "hoja.csv", f"Pregunta;Respuesta de referencia;Respuesta;Modelo\n{Q};{GOLD};{A};m\n"),
    Shape("rated", "A sheet with marks of two doctors", "ratings.csv",
        f"ID,Question,Model,Answer,Dr A,Dr B,Comment\n1,{Q},m,{A},4,5,fine\n"),
    Shape("mrn", "A hospital's sheet with who asked when", "asked.csv",
        f"Date,Ward,MRN,Clinical question,Chatbot answer,Correct?\n2026-01-02,ICU,471,{Q},{A},yes\n"),
    Shape("two-answers", "A sheet with answers before and after", "before.csv",
        f"Question,Answer (before),Answer (after),Expected answer\n{Q},{A},{B},{GOLD}\n"),
    Shape("ward", "A sheet with wards and doctors beside systems", "ward.csv",
        f"Question,Gold,GPT,Ward,Consultant,Preferred\n{Q},{GOLD},{A},Cardiology,Dr Smith,first\n"),
    Shape("failed-formulas", "A sheet whose formulas failed", "formulas.csv",
        f"Question,Gold,Answer,Model\n{Q},#N/A,{A},m\n"),
    Shape("numbered", "A sheet with numbered answers", "numbered.csv",
        f"Question,Gold,Answer 1,Answer 2\n{Q},{GOLD},{A},{B}\n"),
    Shape("model-answer", "A sheet with a model answer beside systems", "exam.csv",
        f"Question,Model answer,GPT,Llama\n{Q},{GOLD},{A},{B}\n"),
    Shape("context", "A sheet with a context", "context.csv", f"Question,Context,Answer,Model\n{Q},{TEXT},{A},m\n"),
    Shape("sources", "A sheet with a column of sources", "sources.csv",
        f"Question,Answer,Sources,Model\n{Q},{A},PMID: 12345678,m\n"),
    Shape("title-row", "A sheet with a title above its header", "titled.csv",
        f"Pilot of March,,\nQuestion,Answer,Model\n{Q},{A},m\n"),
    Shape("pandas", "pandas with its row numbers", "frame.csv", f",question,answer,model\n0,{Q},{A},m\n"),
)  # fmt: skip
