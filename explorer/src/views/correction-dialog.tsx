/** The dialogs of the corrections that need a second term. */

import type { TreeReply } from "../api/types";
import { TermDialog } from "../components/term-dialog";
import type { Choice } from "../components/term-box";
import type { Step } from "../state/use-corrections";
import { findTerms, isBeneath, pathTo, type Forest } from "../taxonomy/forest";
import { addTerm, mergeTerm, moveTerm, renameTerm } from "../taxonomy/steps";

export type CorrectionKind = "move" | "merge" | "add" | "rename";

interface CorrectionDialogProps {
  kind: CorrectionKind;
  term: string;
  taxonomy: TreeReply;
  forest: Forest;
  onStep: (step: Step) => void;
  onClose: () => void;
}

const MOST = 8;

export function CorrectionDialog({ kind, term, taxonomy, forest, onStep, onClose }: CorrectionDialogProps) {
  const spelled = new Map(taxonomy.terms.map((name) => [name.toLowerCase(), name]));
  const named = (text: string): string | undefined => spelled.get(text.toLowerCase().replace(/\s+/g, " "));
  const among = (fits: (name: string) => boolean) => (text: string): Choice[] =>
    findTerms(taxonomy.terms.filter(fits), text, MOST).map((name) => {
      const place = pathTo(forest, name).slice(0, -1).slice(-2).join(" › ");
      return place ? { term: name, note: place } : { term: name };
    });
  const notATerm = (text: string) => (text ? `“${text}” is not a term of this tree.` : "Type a term.");
  switch (kind) {
    case "move": {
      const from = forest.above.get(term)?.parent ?? null;
      return (
        <TermDialog
          title={`Move ${term}`}
          explanation={from === null ? "It has no parent now." : `It is under ${from} now.`}
          label="New parent"
          confirm="Move"
          complete={among((name) => !isBeneath(forest, name, term))}
          problem={(text) => {
            const parent = named(text);
            if (parent === undefined) return notATerm(text);
            if (isBeneath(forest, parent, term)) return `“${parent}” is ${term} itself or beneath it.`;
            return parent === from ? `It is under ${parent} already.` : null;
          }}
          {...(from !== null && { other: { label: "Make it a top term", run: () => onStep(moveTerm(term, null)) } })}
          onConfirm={(text) => onStep(moveTerm(term, named(text)!))}
          onClose={onClose}
        />
      );
    }
    case "merge":
      return (
        <TermDialog
          title={`Merge ${term}`}
          explanation={`${term} becomes another name of the term you choose, and its narrower terms move there.`}
          label="Merge into"
          confirm="Merge"
          complete={among((name) => name !== term)}
          problem={(text) => {
            const into = named(text);
            if (into === undefined) return notATerm(text);
            return into === term ? "A term cannot be merged into itself." : null;
          }}
          onConfirm={(text) => onStep(mergeTerm(term, named(text)!))}
          onClose={onClose}
        />
      );
    case "add":
      return (
        <TermDialog
          title={`Add a term beneath ${term}`}
          explanation="A new term; the model need not know it."
          label="Term"
          confirm="Add"
          complete={() => []}
          problem={(text) => {
            if (!text) return "Type a term.";
            return named(text) === undefined ? null : `“${text}” is in this tree already: move it instead.`;
          }}
          onConfirm={(text) => onStep(addTerm(text, term))}
          onClose={onClose}
        />
      );
    case "rename":
      return (
        <TermDialog
          title={`Rename ${term}`}
          explanation="How the term is shown and exported; the model keeps its own name for it."
          label="New name"
          confirm="Rename"
          initial={term}
          complete={() => []}
          problem={(text) => {
            if (!text || text === term) return "Type another name.";
            const other = named(text);
            return other === undefined || other === term ? null : `“${other}” is another term: merge the two instead.`;
          }}
          onConfirm={(text) => onStep(renameTerm(term, text))}
          onClose={onClose}
        />
      );
  }
}
