/** Corrections as steps: the operation for the server and the sentence for the user. */

import type { Edge, Entry } from "../api/types";
import type { Step } from "../state/use-corrections";

type Pair = Pick<Edge, "child" | "parent">;

export const acceptEdge = ({ child, parent }: Pair): Step => ({
  operation: { op: "accept", child, parent },
  says: `Accepted: ${child} is a kind of ${parent}`,
});

export const rejectEdge = ({ child, parent }: Pair): Step => ({
  operation: { op: "reject", child, parent },
  says: `Rejected: ${child} is no kind of ${parent}`,
});

/** `parent` null is the top. */
export const moveTerm = (child: string, parent: string | null): Step => ({
  operation: { op: "move", child, parent },
  says: parent === null ? `Made ${child} a top term` : `Moved ${child} under ${parent}`,
});

export const mergeTerm = (term: string, into: string): Step => ({
  operation: { op: "merge", term, into },
  says: `Merged ${term} into ${into}`,
});

export const renameTerm = (term: string, name: string): Step => ({
  operation: { op: "rename", term, name },
  says: `Renamed ${term} to ${name}`,
});

export const addTerm = (term: string, parent: string | null): Step => ({
  operation: { op: "add", term, parent },
  says: parent === null ? `Added ${term}` : `Added ${term} under ${parent}`,
});

export const removeEntry = (entry: Entry): Step => ({
  operation: { op: "edit", add: [], remove: [entry] },
  says: `Removed the correction “${describeEntry(entry)}”`,
});

export function describeEntry({ verb, term, other }: Entry): string {
  switch (verb) {
    case "force":
      return `${term} is a kind of ${other}`;
    case "forbid":
      return `${term} is no kind of ${other}`;
    case "root":
      return `${term} is a top term`;
    case "merge":
      return `${term} is another name of ${other}`;
    case "rename":
      return `${term} is shown as ${other}`;
    case "add":
      return `${term} is a term`;
  }
}
