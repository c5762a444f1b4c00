"""What is said of one drug says nothing of another."""

import pytest

from medassay.models.nli.word_checks import names_other_drugs_only


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Atorvastatin reduced LDL cholesterol by 40%.", "Ezetimibe reduces LDL cholesterol."),
        (
            "Sertraline was no drug of this trial; fluoxetine eased depression.",
            "Paroxetine eases depression.",
        ),
        (
            "Noradrenaline is the first choice in septic shock.",
            "Dopamine is the first choice in septic shock.",
        ),
        ("Idarucizumab reverses it within minutes.", "Andexanet reverses it within minutes."),
        ("Aspirin prevented thrombosis.", "Enoxaparin prevents thrombosis."),
    ],
)
def test_a_passage_on_other_drugs(passage: str, claim: str) -> None:
    assert names_other_drugs_only(passage, claim)


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Atorvastatin reduced LDL cholesterol.", "Atorvastatin lowers LDL cholesterol."),
        # The passage names no drug: it may speak of a class, or call the drug by another name.
        ("Statins reduced LDL cholesterol.", "Atorvastatin lowers LDL cholesterol."),
        ("Atorvastatin reduced LDL cholesterol.", "Statins lower LDL cholesterol."),
        ("Metformin and sitagliptin were compared.", "Sitagliptin is no better than pioglitazone."),
        ("Acyclovir shortened the illness.", "Aciclovir shortens herpes zoster."),
        ("Frusemide relieved the oedema.", "Furosemide relieves oedema."),
        ("Esomeprazole healed the ulcer.", "Omeprazole heals ulcers."),
        ("Ciclosporin levels rose with azithromycin.", "Cyclosporine levels rise."),
        ("They intercept histidine.", "Metformin helps."),
        ("Epinephrine was given.", "Adrenaline is given in anaphylaxis."),
        ("Acetaminophen eased the pain; ibuprofen did not.", "Paracetamol eases pain."),
        ("Acetylsalicylic acid prevented stroke.", "Aspirin prevents stroke."),
        ("LMWH prevented thrombosis better than aspirin.", "Enoxaparin prevents thrombosis."),
        ("Patients whose glucose was high did worse on insulin.", "High glucose is worse."),
    ],
)
def test_a_passage_that_may_be_on_the_same_drug(passage: str, claim: str) -> None:
    assert not names_other_drugs_only(passage, claim)
