/** The three ways to choose the terms of a tree. */

import { useState } from "preact/hooks";

import { Icon } from "../components/icon";
import { ModelTermBox } from "../components/model-term-box";
import { useExplorer } from "../state/explorer";
import { packTerms, parseTerms } from "../taxonomy/term-list";

const DEFAULT_TOP = 500;
const MOST_SHARE = 0.9; // the heads of phrases come on top and count too

export function TreeStart() {
  return (
    <section class="tree-start">
      <h1>Build a taxonomy</h1>
      <p class="start-text">
        Each term is placed under its most likely broader term. Then correct the tree: every step is saved, can be undone and
        is applied the next time.
      </p>
      <div class="cards">
        <RootCard />
        <TopCard />
        <ListCard />
      </div>
    </section>
  );
}

function RootCard() {
  const { model, go } = useExplorer();
  const [root, setRoot] = useState("");
  const build = (term: string) => term.trim() && go("tree", { root: term.trim() });
  return (
    <form
      class="panel card"
      onSubmit={(event) => {
        event.preventDefault();
        build(root);
      }}
    >
      <h2>
        <Icon name="tree" /> Beneath a term
      </h2>
      <p class="muted">The terms that the model finds under one of your choice.</p>
      <ModelTermBox model={model.name} label="Term" placeholder="animal" onChoose={build} onType={setRoot} />
      <button type="submit" class="button button-primary">
        Build
      </button>
    </form>
  );
}

function TopCard() {
  const { server, go } = useExplorer();
  const [top, setTop] = useState(String(DEFAULT_TOP));
  return (
    <form
      class="panel card"
      onSubmit={(event) => {
        event.preventDefault();
        go("tree", { top });
      }}
    >
      <h2>
        <Icon name="list" /> The most connected terms
      </h2>
      <p class="muted">Terms that the text often states as narrower and as broader.</p>
      <label class="field">
        <span class="field-label">How many</span>
        <input
          class="input"
          type="number"
          min="2"
          max={MOST_SHARE * (server.limits["taxonomy_terms"] ?? 10000)}
          required
          value={top}
          onInput={(event) => setTop(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button button-primary">
        Build
      </button>
    </form>
  );
}

function ListCard() {
  const { server, go } = useExplorer();
  const [text, setText] = useState("");
  const terms = parseTerms(text);
  const most = server.limits["taxonomy_terms"] ?? 10000;
  const upload = async (file: File | undefined) => {
    if (file) setText(await file.text());
  };
  return (
    <form
      class="panel card"
      onSubmit={(event) => {
        event.preventDefault();
        if (terms.length) void packTerms(terms).then((list) => go("tree", { list }));
      }}
    >
      <h2>
        <Icon name="copy" /> Your own list
      </h2>
      <p class="muted">One term on each line, or a file of them.</p>
      <label class="field">
        <span class="field-label">Terms</span>
        <textarea
          class="input"
          rows={5}
          placeholder={"aspirin\nibuprofen\nanalgesic"}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <label class="file-field">
        <input type="file" accept=".txt,.tsv,.csv,text/plain" onChange={(event) => void upload(event.currentTarget.files?.[0])} />
        <span class="button button-small">Open a file</span>
      </label>
      <button type="submit" class="button button-primary" disabled={!terms.length || terms.length > most}>
        {terms.length > most
          ? `More than ${most.toLocaleString("en")} terms`
          : terms.length
            ? `Build from ${terms.length.toLocaleString("en")} terms`
            : "Build"}
      </button>
    </form>
  );
}
