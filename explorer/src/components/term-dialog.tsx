/** A dialog that asks for one term: where to move to, what to merge into, what to add, how to rename. */

import { useState } from "preact/hooks";

import { Dialog } from "./dialog";
import { TermBox, type Choice } from "./term-box";

export interface TermDialogProps {
  title: string;
  explanation: string;
  label: string;
  confirm: string;
  initial?: string;
  complete: (text: string) => Choice[];
  /** Why a term will not do; null when it will. */
  problem: (term: string) => string | null;
  /** A second way out, such as "Make it a top term". */
  other?: { label: string; run: () => void };
  onConfirm: (term: string) => void;
  onClose: () => void;
}

export function TermDialog(props: TermDialogProps) {
  const [text, setText] = useState(props.initial ?? "");
  const [tried, setTried] = useState(false);
  const problem = props.problem(text.trim());
  const finish = (term: string) => {
    setText(term);
    setTried(true);
    if (props.problem(term.trim()) === null) props.onConfirm(term.trim());
  };
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form
        class="term-form"
        onSubmit={(event) => {
          event.preventDefault();
          finish(text);
        }}
      >
        <p class="muted">{props.explanation}</p>
        <TermBox
          label={props.label}
          value={props.initial ?? ""}
          autofocus
          fills
          complete={(wanted) => Promise.resolve(props.complete(wanted))}
          onType={(typed) => {
            setText(typed);
            setTried(false);
          }}
          onChoose={finish}
        />
        <p class="form-problem" role="alert">
          {tried && problem}
        </p>
        <div class="button-row dialog-end">
          {props.other && (
            <button type="button" class="button" onClick={props.other.run}>
              {props.other.label}
            </button>
          )}
          <button type="button" class="button" onClick={props.onClose}>
            Cancel
          </button>
          <button type="submit" class="button button-primary">
            {props.confirm}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
