/** Terms without a parent, and those below the confidence filter; drag them into the tree. */

import { useState } from "preact/hooks";

import { findTerms, type Forest } from "../taxonomy/forest";
import { EmptyState } from "./states";

const MOST = 200;

interface UnplacedPanelProps {
  forest: Forest;
  unknown: readonly string[];
  editable: boolean;
  onSelect: (term: string) => void;
  onGrab: (term: string, event: PointerEvent) => void;
}

export function UnplacedPanel({ forest, unknown, editable, onSelect, onGrab }: UnplacedPanelProps) {
  const [wanted, setWanted] = useState("");
  const cut = forest.cut.map(({ child }) => child);
  if (!forest.unplaced.length && !cut.length && !unknown.length) {
    return (
      <EmptyState icon="check" title="Every term has a parent">
        <p>Terms without a likely parent would be listed here.</p>
      </EmptyState>
    );
  }
  const groups = [
    { heading: "Without a parent", terms: forest.unplaced, grab: true },
    { heading: "Below the confidence filter", terms: cut, grab: true },
    { heading: "Not in the model", terms: unknown, grab: false },
  ];
  return (
    <div class="tray">
      <label class="field">
        <span class="visually-hidden">Find in this list</span>
        <input
          class="input"
          type="search"
          placeholder="Find in this list"
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
      </label>
      {editable && <p class="muted">Choose a term to move it, or drag it onto its parent.</p>}
      {groups.map(({ heading, terms, grab }) => {
        const found = wanted.trim() ? findTerms(terms, wanted, terms.length) : terms;
        if (!found.length) return null;
        return (
          <section key={heading}>
            <h3 class="small-heading">
              {heading} ({found.length.toLocaleString("en")})
            </h3>
            <ul class="chips">
              {found.slice(0, MOST).map((term) => (
                <li key={term}>
                  <button
                    type="button"
                    class="chip chip-link"
                    onClick={() => onSelect(term)}
                    onPointerDown={(event) => {
                      if (editable && grab && event.button === 0 && event.pointerType !== "touch") onGrab(term, event);
                    }}
                  >
                    {term}
                  </button>
                </li>
              ))}
            </ul>
            {found.length > MOST && <p class="muted">and {(found.length - MOST).toLocaleString("en")} more</p>}
          </section>
        );
      })}
    </div>
  );
}
