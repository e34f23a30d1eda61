"""The command line: every command by group. `main` runs one, `arguments` makes its options of a class."""

from __future__ import annotations

GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "build": {
        "train": ("build", "Text, a corpus or counts → a model."),
        "add": ("build", "Add terms and evidence of new text to a model, without training again."),
        "encode": ("build", "Text → encoded corpus."),
        "count": ("build", "Encoded corpus → co-occurrence counts; also merges counts."),
        "demo": ("demo", "Train on a small real corpus and show the results."),
    },
    "ask": {
        "hypernyms": ("ask", "Hypernyms (broader terms) of a word, ranked, with the supporting signals."),
        "hyponyms": ("ask", "Hyponyms (narrower terms) of a word, ranked."),
        "evidence": ("ask", "Sentences in which the text states that one term is a kind of another."),
        "similar": ("ask", "Nearest neighbours of a word."),
        "explain": ("ask", "A pair dimension by dimension, and what every score says; or words side by side."),
        "topics": ("ask", "The dimensions of a model: label, top words and quality checks; or its most general words."),
    },
    "taxonomy": {"taxonomy": ("taxonomy", "Build a taxonomy: an acyclic is-a tree over terms.")},
    "serve": {"serve": ("serve", "Explore models in the browser, and an HTTP API.")},
    "measure": {
        "score": ("measure", "Score pairs of terms: is the first a kind of the second?"),
        "evaluate": ("measure", "Evaluate a model on eleven datasets, next to the paper's figures."),
        "reproduce": ("measure", "Reproduce every table of the paper from raw text."),
        "datasets": ("measure", "List, download or verify the evaluation datasets."),
    },
    "exchange": {
        "export": ("build", "Export vectors to the formats of other tools."),
        "import": ("build", "Import vectors from other tools as a hyperdive model."),
    },
    "machine": {
        "info": ("machine", "Describe a corpus, counts or model folder."),
        "doctor": ("machine", "Check the installation and this machine."),
    },
}
"""Every command by group: the module it lives in, imported on first use, and one line about it."""
COMMANDS = {name: entry for group in GROUPS.values() for name, entry in group.items()}
