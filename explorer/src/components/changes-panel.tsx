/** The corrections that are saved beside the model, each of which can be taken out again. */

import type { CorrectionsReply } from "../api/types";
import type { Step } from "../state/use-corrections";
import { describeEntry, removeEntry } from "../taxonomy/steps";
import { Icon } from "./icon";
import { EmptyState } from "./states";

interface ChangesPanelProps {
  corrections: CorrectionsReply | null;
  editable: boolean;
  onStep: (step: Step) => void;
}

export function ChangesPanel({ corrections, editable, onStep }: ChangesPanelProps) {
  if (!corrections?.entries.length) {
    return (
      <EmptyState icon="rename" title="No corrections yet">
        <p>
          {editable
            ? "Accept, reject or move a term: each step is saved beside the model."
            : "This server is read-only: corrections cannot be made here."}
        </p>
      </EmptyState>
    );
  }
  return (
    <>
      <p class="muted">
        Saved in <code>{corrections.file}</code>, newest first.
      </p>
      <ul class="changes">
        {[...corrections.entries].reverse().map((entry) => (
          <li key={`${entry.verb} ${entry.term} ${entry.other}`}>
            <span class={`chip chip-${entry.verb}`}>{entry.verb}</span>
            <span>{describeEntry(entry)}</span>
            {editable && (
              <button
                type="button"
                class="icon-button"
                aria-label={`Remove: ${describeEntry(entry)}`}
                title="Remove"
                onClick={() => onStep(removeEntry(entry))}
              >
                <Icon name="cross" size={16} />
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
