/** The selected term of a tree: its place, why it is there, and what can be done about it. */

import type { TreeReply } from "../api/types";
import { useExplorer } from "../state/explorer";
import { edgeValue, pathTo, type Forest } from "../taxonomy/forest";
import { counted } from "./counted";
import { ConfidenceBar, formatValue } from "./confidence-bar";
import { Icon } from "./icon";
import type { MenuItem } from "./menu";
import { PairDetails } from "./pair-details";
import { EmptyState } from "./states";

const REASONS: Record<string, string> = {
  model: "suggested by the model",
  head: "last word of the phrase",
  ending: "the word ends with its parent",
  modifier: "its modifier is a kind of its parent’s",
  expert: "decided by you",
};

interface TermPanelProps {
  taxonomy: TreeReply;
  forest: Forest;
  term: string | null;
  /** What the model calls a term that was renamed. */
  modelName: (term: string) => string;
  actions: MenuItem[];
  onSelect: (term: string) => void;
}

export function TermPanel({ taxonomy, forest, term, modelName, actions, onSelect }: TermPanelProps) {
  const { hrefTo } = useExplorer();
  if (term === null || !taxonomy.terms.includes(term)) {
    return (
      <EmptyState icon="tree" title="Choose a term">
        <p>Its place, the sentences behind it and everything you can correct appear here.</p>
      </EmptyState>
    );
  }
  const edge = forest.above.get(term);
  const value = edge ? edgeValue(edge) : null;
  const path = pathTo(forest, term).slice(0, -1);
  const names = taxonomy.synonyms[term] ?? [];
  const size = forest.sizes.get(term) ?? 0;
  return (
    <div class="term-panel">
      {path.length > 0 && (
        <nav class="trail" aria-label="Place in the tree">
          {path.map((ancestor) => (
            <button key={ancestor} type="button" class="link" onClick={() => onSelect(ancestor)}>
              {ancestor}
            </button>
          ))}
        </nav>
      )}
      <h2 class="headword headword-small">{term}</h2>
      {names.length > 0 && <p class="muted">also: {names.join(", ")}</p>}
      <p class="muted">
        {size > 0 && `${counted(size, "term")} beneath it. `}
        {!edge && (size > 0 ? "A top term." : "Not placed: nothing is likely enough.")}
        {taxonomy.added.includes(term) && " Added as the head of a phrase."}
      </p>
      {actions.length > 0 && (
        <div class="actions" role="group" aria-label={`Correct ${term}`}>
          {actions.map(({ label, icon, run }) => (
            <button key={label} type="button" class="button button-small" onClick={run}>
              <Icon name={icon} size={16} />
              {label}
            </button>
          ))}
        </div>
      )}
      {edge && (
        <section class="edge" aria-label="Why it is there">
          <h3>
            a kind of <em>{edge.parent}</em>
          </h3>
          <p class="edge-value">
            {taxonomy.calibrated && value !== null && <ConfidenceBar value={value} width={140} />}
            <strong>{formatValue(value, taxonomy.calibrated)}</strong>
            <span class="muted">{REASONS[edge.reason]}</span>
          </p>
          <PairDetails model={taxonomy.model} hyponym={modelName(term)} hypernym={modelName(edge.parent)} />
        </section>
      )}
      <p class="pair-links">
        <a href={hrefTo("ask", { term })}>Ask about {term}</a>
      </p>
    </div>
  );
}
