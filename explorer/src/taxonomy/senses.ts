import type { Answer } from "../api/types";

export interface SenseGroup {
  sense: number;
  answers: Answer[];
}

/** The answers sense by sense, in the order of the answers; one group where they were not asked for by sense. */
export function groupBySense(answers: readonly Answer[]): SenseGroup[] {
  const groups = new Map<number, Answer[]>();
  for (const answer of answers) {
    const sense = answer.sense ?? 1;
    const group = groups.get(sense);
    if (group) group.push(answer);
    else groups.set(sense, [answer]);
  }
  return [...groups].map(([sense, members]) => ({ sense, answers: members }));
}
