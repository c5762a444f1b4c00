"""Answers of several claims: another value of another subject turns no nugget, another value of the same one does."""

import pytest

from medassay.models.embedding import Embedder, load_embedder
from medassay.models.nuggets.evidence import ClaimText
from medassay.models.nuggets.matching import match
from medassay.models.nuggets.windows import window_vectors
from medassay.models.registry import ModelMissing, ensure

# (nugget, claims of the answer): a claim states the nugget, the others speak of other things
OF_SOMETHING_ELSE = [
    (
        "Liver function is checked every month.",
        "Liver function is checked every month. | Kidney function is checked every year.",
    ),
    (
        "Kidney function should be checked every three months.",
        "Kidney function should be checked every three months. "
        "| The thyroid should be checked every year. | The eyes should be checked every two years.",
    ),
    (
        "Blood pressure is measured every day.",
        "Blood pressure is measured every day. | Blood sugar is measured every week.",
    ),
    (
        "Thyroid function is tested every six months on amiodarone.",
        "Thyroid function is tested every six months on amiodarone. "
        "| A chest X-ray is done every year on amiodarone.",
    ),
    (
        "HbA1c is measured every three months.",
        "HbA1c is measured every three months. | Cholesterol is measured every year. "
        "| Feet are examined every year.",
    ),
    (
        "Hepatic function is monitored monthly.",
        "LFTs are monitored monthly. | Renal function is monitored yearly. "
        "| Lung function is monitored yearly.",
    ),
    (
        "The full blood count is checked every two weeks.",
        "A full blood count is checked every two weeks. | Creatinine is checked every month. "
        "| Lipids are checked every year.",
    ),
    (
        "Lithium levels are checked every three months.",
        "Lithium levels are checked every three months. | Calcium levels are checked every year.",
    ),
    (
        "Adults take 500 mg of amoxicillin three times a day.",
        "Adults take 500 mg of amoxicillin three times a day. "
        "| Children take 250 mg of amoxicillin three times a day.",
    ),
    (
        "The maximum dose of paracetamol is 4 g a day.",
        "The maximum dose of paracetamol is 4 g a day. | The maximum dose of ibuprofen is 1.2 g a day.",
    ),
    (
        "Amlodipine is started at 5 mg once daily.",
        "Amlodipine is started at 5 mg once daily. | Ramipril is started at 2.5 mg once daily. "
        "| Bisoprolol is started at 1.25 mg once daily.",
    ),
    (
        "Apixaban is taken twice daily.",
        "Apixaban is taken twice daily. | Rivaroxaban is taken once daily. | Warfarin is taken once daily.",
    ),
    (
        "Doxycycline 100 mg is taken twice daily.",
        "Doxycycline 100 mg is taken twice daily. | Azithromycin 500 mg is taken once daily.",
    ),
    (
        "Methotrexate is taken once a week.",
        "Methotrexate is taken once a week. | Folic acid is taken every day. "
        "| Prednisolone is taken every day.",
    ),
    (
        "The MMR vaccine is given at 12 months.",
        "The MMR vaccine is given at 12 months. | The rotavirus vaccine is given at 2 months. "
        "| The HPV vaccine is given at 12 years.",
    ),
    (
        "The flu vaccine is given every year.",
        "The flu vaccine is given every year. | The tetanus vaccine is given every ten years.",
    ),
    (
        "The HbA1c target is 6.5 % on metformin.",
        "The HbA1c target is 6.5 % on metformin. | The HbA1c target is 7.0 % on a sulfonylurea.",
    ),
    (
        "LDL cholesterol should be below 1.8 mmol/L after a heart attack.",
        "LDL cholesterol should be below 1.8 mmol/L after a heart attack. "
        "| Triglycerides should be below 1.7 mmol/L. | Fasting glucose should be below 7 mmol/L.",
    ),
    (
        "Nausea occurs in 20 % of patients.",
        "Nausea occurs in 20 % of patients. | Headache occurs in 5 % of patients. "
        "| Rash occurs in 1 % of patients.",
    ),
    (
        "Dry cough affects 10 % of users.",
        "Dry cough affects 10 % of users. | Angioedema affects 0.3 % of users.",
    ),
    (
        "Diarrhoea is a common side effect of metformin.",
        "Diarrhoea is a common side effect of metformin. "
        "| Lactic acidosis is a rare side effect of metformin.",
    ),
    (
        "Insomnia is common with bupropion.",
        "Insomnia is common with bupropion. | Seizures are rare with bupropion.",
    ),
    (
        "Isotretinoin is contraindicated in pregnancy.",
        "Isotretinoin is contraindicated in pregnancy. | Azelaic acid is safe in pregnancy.",
    ),
    (
        "Paracetamol is safe in pregnancy.",
        "Paracetamol is safe in pregnancy. | Ibuprofen should be avoided in pregnancy.",
    ),
    (
        "Nitrofurantoin should be avoided in kidney failure.",
        "Nitrofurantoin should be avoided in kidney failure. | Fosfomycin can be used in kidney failure.",
    ),
    (
        "Pneumonia is treated for 5 days.",
        "Pneumonia is treated for 5 days. | Osteomyelitis is treated for 6 weeks. "
        "| Cystitis is treated for 3 days.",
    ),
    (
        "Furosemide lowers potassium.",
        "Furosemide lowers potassium. | Spironolactone raises potassium.",
    ),
    (
        "Colonoscopy is repeated every ten years.",
        "Colonoscopy is repeated every ten years. | Stool testing is repeated every two years.",
    ),
    (
        "Women aged 50 to 74 have a mammogram every two years.",
        "Women aged 50 to 74 have a mammogram every two years. "
        "| Women aged 25 to 64 have a smear test every three years.",
    ),
    (
        "Stage 2 tumours are treated with surgery for 3 weeks.",
        "Stage 2 tumours are treated with surgery for 3 weeks. | Stage 4 tumours are treated with drugs.",
    ),
    (
        "Omeprazole is taken before breakfast.",
        "Omeprazole is taken before breakfast. | Ibuprofen is taken after breakfast.",
    ),
    (
        "Ceftriaxone is given intravenously for meningitis.",
        "Ceftriaxone is given intravenously for meningitis. "
        "| Rifampicin is given orally for meningitis contacts.",
    ),
    (
        "Vitamin B12 is injected every three months.",
        "Vitamin B12 is injected every three months. | Vitamin D is taken every day.",
    ),
    (
        "The INR is checked every week at first.",
        "The INR is checked every week at first. | Haemoglobin is checked every six months.",
    ),
    (
        "Potassium should be checked two weeks after starting ramipril.",
        "Potassium should be checked two weeks after starting ramipril. "
        "| Blood pressure should be checked four weeks after starting ramipril.",
    ),
    (
        "Infants receive the first hepatitis B dose at birth.",
        "Infants receive the first hepatitis B dose at birth. "
        "| They receive the first polio dose at 2 months.",
    ),
    (
        "Sertraline is usually started at 50 mg daily.",
        "Sertraline is usually started at 50 mg daily. "
        "| For elderly patients, citalopram is started at 10 mg daily.",
    ),
    (
        "Bone density is scanned every two years.",
        "Bone density is scanned every two years. | Vision is scanned every five years.",
    ),
    (
        "In children under 12 the limit is 60 mg per day.",
        "In children under 12 the limit is 60 mg per day. | In adults the limit is 240 mg per day.",
    ),
    (
        "Weight gain occurs in 8% of patients on olanzapine.",
        "Weight gain occurs in 8% of patients on olanzapine. "
        "| Sedation occurs in 30% of patients on olanzapine.",
    ),
    (
        "Ramipril must not be used in pregnancy.",
        "Ramipril must not be used in pregnancy. | Labetalol may be used in pregnancy.",
    ),
    (
        "Metformin is stopped when eGFR is below 30 mL/min.",
        "Metformin is stopped when eGFR is below 30 mL/min. "
        "| Dapagliflozin is stopped when eGFR is below 15 mL/min.",
    ),
    (
        "Check the liver every month.",
        "Check the liver every month. | Check the lungs every year.",
    ),
    (
        "The target INR is 2.5 for atrial fibrillation.",
        "The target INR is 2.5 for atrial fibrillation. "
        "| The target INR is 3.5 for a mechanical mitral valve.",
    ),
    (
        "Warfarin interacts with aspirin.",
        "Warfarin interacts with aspirin. | Warfarin does not interact with paracetamol.",
    ),
    (
        "Ibuprofen 400 mg can be taken every 6 hours.",
        "Ibuprofen 400 mg can be taken every 6 hours. | Naproxen 500 mg can be taken every 12 hours. "
        "| Paracetamol 1 g can be taken every 4 hours.",
    ),
    (
        "Patients with type 1 diabetes need eye screening every year.",
        "Patients with type 1 diabetes need eye screening every year. "
        "| Patients with gestational diabetes need glucose screening every three years.",
    ),
    (
        "Phase II lasts 4 weeks.",
        "Phase II lasts 4 weeks. | Phase III lasts 12 weeks.",
    ),
    (
        "Smoking raises the risk of stroke.",
        "Smoking raises the risk of stroke. | Exercise lowers the risk of stroke.",
    ),
    (
        "Potassium rises with spironolactone.",
        "Potassium rises with spironolactone. | Sodium falls with spironolactone.",
    ),
]

# nothing states the nugget, and what is said is said of another organ, drug, test or group
OF_SOMETHING_ELSE_ONLY = [
    (
        "Liver function is checked every month.",
        "Kidney function is checked every year.",
    ),
    (
        "The kidneys are checked every month.",
        "The liver is checked every year. | The lungs are checked every two years.",
    ),
    (
        "Hepatic function is monitored monthly.",
        "Renal function is monitored yearly.",
    ),
    (
        "Type 1 diabetes begins in childhood.",
        "Type 2 diabetes begins in adult life.",
    ),
    (
        "Drug 4 lowers the heart rate.",
        "Drug 5 lowers the heart rate.",
    ),
    (
        "Stage 3 disease is treated with surgery.",
        "Stage 4 disease is treated with drugs.",
    ),
    (
        "Adults take 500 mg three times a day.",
        "Children take 250 mg three times a day.",
    ),
    (
        "Vitamin B12 is taken once a day.",
        "Vitamin B6 is taken once a week.",
    ),
    (
        "Ramipril is started at 2.5 mg daily.",
        "Amlodipine is started at 5 mg daily.",
    ),
    (
        "COVID-19 needs isolation for 5 days.",
        "Measles needs isolation for 4 days.",
    ),
]

# what is said of the nugget's own subject, in its words or in others, is another value
TURNED = [
    (
        "Liver function is checked every month.",
        "Liver function is checked every year.",
    ),
    (
        "Liver function is checked every month.",
        "Kidney function is checked every month. | Liver function is checked every year.",
    ),
    (
        "Liver function is checked every month.",
        "Kidney function is checked every month. | Hepatic function is checked every year.",
    ),
    (
        "Liver function is checked every month.",
        "Liver function is checked every month. | Hepatic function is checked every year.",
    ),
    (
        "Kidney function should be checked every three months.",
        "The eyes are checked every year. | Renal function should be checked every two years.",
    ),
    (
        "Blood sugar is measured every day.",
        "Blood pressure is measured every day. | Blood glucose is measured every month.",
    ),
    (
        "Blood pressure is measured every day.",
        "Blood pressure is measured every day. | Measure the BP every month.",
    ),
    (
        "Thyroid function is tested every six months on amiodarone.",
        "A chest X-ray is done every year. | With amiodarone, test the thyroid every five years.",
    ),
    (
        "Adults take 500 mg of amoxicillin three times a day.",
        "Children take 250 mg of amoxicillin three times a day. "
        "| Adults take 50 mg of amoxicillin three times a day.",
    ),
    (
        "Adults take 500 mg of amoxicillin three times a day.",
        "Adults take 500 mg of amoxicillin three times a day. | Adults take 1 g of amoxicillin twice a day.",
    ),
    (
        "The maximum dose of paracetamol is 4 g a day.",
        "The maximum dose of ibuprofen is 1.2 g a day. | The maximum dose of acetaminophen is 8 g a day.",
    ),
    (
        "The maximum dose of paracetamol is 4 g a day.",
        "The maximum dose of paracetamol is 4 g a day. | The highest dose of Tylenol is 6 g a day.",
    ),
    (
        "Amlodipine is started at 5 mg once daily.",
        "Ramipril is started at 2.5 mg once daily. | Amlodipine is started at 50 mg once daily.",
    ),
    (
        "Apixaban is taken twice daily.",
        "Rivaroxaban is taken once daily. | Apixaban is taken once daily.",
    ),
    (
        "Apixaban is taken twice daily.",
        "Apixaban is taken twice daily. | Most people take apixaban once daily.",
    ),
    (
        "Methotrexate is taken once a week.",
        "Folic acid is taken once a week. | Methotrexate is taken every day.",
    ),
    (
        "The MMR vaccine is given at 12 months.",
        "The rotavirus vaccine is given at 2 months. | The MMR vaccine is given at 4 months.",
    ),
    (
        "The flu vaccine is given every year.",
        "The influenza vaccine is given every ten years. | The tetanus vaccine is given every ten years.",
    ),
    (
        "The flu vaccine is given every year.",
        "The flu vaccine is given every year. | Influenza vaccination is given every five years.",
    ),
    (
        "The HbA1c target is 6.5 % on metformin.",
        "The HbA1c target is 7.0 % on a sulfonylurea. | The HbA1c target is 9 % on metformin.",
    ),
    (
        "Nausea occurs in 20 % of patients.",
        "Headache occurs in 5 % of patients. | Nausea occurs in 2 % of patients.",
    ),
    (
        "Diarrhoea is a common side effect of metformin.",
        "Lactic acidosis is a rare side effect of metformin. | Diarrhea is a rare side effect of metformin.",
    ),
    (
        "Isotretinoin is contraindicated in pregnancy.",
        "Azelaic acid is safe in pregnancy. | Isotretinoin is safe in pregnancy.",
    ),
    (
        "Isotretinoin is contraindicated in pregnancy.",
        "Isotretinoin is contraindicated in pregnancy. | Isotretinoin can be used safely by pregnant women.",
    ),
    (
        "Paracetamol is safe in pregnancy.",
        "Ibuprofen should be avoided in pregnancy. | Acetaminophen is not safe in pregnancy.",
    ),
    (
        "Pneumonia is treated for 5 days.",
        "Cystitis is treated for 3 days. | Pneumonia is treated for 21 days.",
    ),
    (
        "Furosemide lowers potassium.",
        "Spironolactone raises potassium. | Furosemide raises potassium.",
    ),
    (
        "Colonoscopy is repeated every ten years.",
        "Stool testing is repeated every two years. | Colonoscopy is repeated every year.",
    ),
    (
        "Omeprazole is taken before breakfast.",
        "Ibuprofen is taken after breakfast. | Omeprazole is taken after breakfast.",
    ),
    (
        "Ceftriaxone is given intravenously for meningitis.",
        "Rifampicin is given orally for meningitis contacts. | Ceftriaxone is given orally for meningitis.",
    ),
    (
        "Vitamin B12 is injected every three months.",
        "Vitamin D is taken every day. | Vitamin B12 is injected every two years.",
    ),
    (
        "Vitamin B12 is injected every three months.",
        "Vitamin B12 is injected every three months. | Cobalamin (vitamin B12) is injected every two years.",
    ),
    (
        "Heart rate is checked every week.",
        "Heart rate is checked every week. | The cardiac rate is checked every three months.",
    ),
    (
        "Blood tests are done every month.",
        "Blood tests are done every month. | Blood work is done every year.",
    ),
    (
        "Eye examinations are done every year.",
        "Foot checks are done every year. | Ophthalmic examinations are done every five years.",
    ),
    (
        "The recommended dose of vitamin D is 800 IU daily.",
        "The recommended dose of vitamin D is 800 IU daily. "
        "| The usual dose of cholecalciferol is 8000 IU daily.",
    ),
    (
        "Potassium should be checked two weeks after starting ramipril.",
        "Potassium should be checked two weeks after starting ramipril. "
        "| Serum potassium should be checked six months after starting ramipril.",
    ),
    (
        "Sertraline is usually started at 50 mg daily.",
        "Sertraline is usually started at 50 mg daily. | Zoloft is usually started at 200 mg daily.",
    ),
    (
        "Weight gain occurs in 8% of patients on olanzapine.",
        "Weight gain occurs in 80% of patients on olanzapine. "
        "| Sedation occurs in 30% of patients on olanzapine.",
    ),
    (
        "Weight gain occurs in 8% of patients on olanzapine.",
        "Weight gain occurs in 8% of patients on olanzapine. "
        "| About 80% of people on olanzapine gain weight.",
    ),
    (
        "Ramipril must not be used in pregnancy.",
        "Ramipril must not be used in pregnancy. | ACE inhibitors such as ramipril may be used in pregnancy.",
    ),
    (
        "Ramipril must not be used in pregnancy.",
        "Ramipril must not be used in pregnancy. | Pregnant women may use ramipril.",
    ),
    (
        "Metformin is stopped when eGFR is below 30 mL/min.",
        "Metformin is stopped when eGFR is below 60 mL/min. "
        "| Dapagliflozin is stopped when eGFR is below 15 mL/min.",
    ),
    (
        "Ibuprofen 400 mg can be taken every 6 hours.",
        "Ibuprofen 400 mg can be taken every 6 hours. | Advil 400 mg can be taken every hour.",
    ),
    (
        "Patients with type 1 diabetes need eye screening every year.",
        "Patients with type 2 diabetes need foot screening every year. "
        "| Patients with type 1 diabetes need eye screening every ten years.",
    ),
    (
        "The flu shot is given every year.",
        "The flu shot is given every year. | Influenza immunisation is given every five years.",
    ),
    (
        "Blood sugar is measured every day.",
        "Blood sugar is measured every day. | Glucose levels are measured every month.",
    ),
    (
        "High blood pressure is reviewed every year.",
        "High blood pressure is reviewed every year. | Hypertension is reviewed every five years.",
    ),
    (
        "The heart is examined every year.",
        "The heart is examined every year. | Cardiac examinations are done every five years.",
    ),
]


def state(embedder: Embedder, nugget: str, answer: str) -> tuple[str, str]:
    claims = [ClaimText(place, text.strip()) for place, text in enumerate(answer.split("|"))]
    vectors, target = embedder.encode([claim.text for claim in claims]), embedder.encode([nugget])
    around = window_vectors(claims, vectors) @ target.T
    row = match(claims, [nugget], vectors @ target.T, {}, window_similarity=around).nuggets[0]
    return row.state, row.reason


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    try:
        ensure("all-MiniLM-L6-v2")
    except ModelMissing as missing:
        pytest.skip(str(missing))
    return load_embedder("embedded")


@pytest.mark.parametrize(("nugget", "answer"), OF_SOMETHING_ELSE)
def test_a_stated_nugget_is_not_turned_by_what_is_said_of_something_else(
    embedder: Embedder, nugget: str, answer: str
) -> None:
    assert state(embedder, nugget, answer)[0] == "covered"


@pytest.mark.parametrize(("nugget", "answer"), OF_SOMETHING_ELSE_ONLY)
def test_what_is_said_only_of_something_else_turns_nothing(
    embedder: Embedder, nugget: str, answer: str
) -> None:
    assert state(embedder, nugget, answer)[0] != "contradicted"


@pytest.mark.parametrize(("nugget", "answer"), TURNED)
def test_another_value_of_the_same_subject_turns_the_nugget(
    embedder: Embedder, nugget: str, answer: str
) -> None:
    assert state(embedder, nugget, answer)[0] == "contradicted"
