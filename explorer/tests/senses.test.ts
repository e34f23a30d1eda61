import { describe, expect, it } from "vitest";

import type { Answer } from "../src/api/types";
import { groupBySense } from "../src/taxonomy/senses";

const answers = (...senses: (number | null)[]) => senses.map((sense, place) => ({ term: `t${place}`, sense }) as Answer);

describe("groupBySense", () => {
  it("keeps the order of the answers and of their senses", () => {
    const groups = groupBySense(answers(1, 1, 3, 2, 3));
    expect(groups.map(({ sense, answers: members }) => [sense, ...members.map(({ term }) => term)])).toEqual([
      [1, "t0", "t1"],
      [3, "t2", "t4"],
      [2, "t3"],
    ]);
  });

  it("is one group where answers have no sense", () => {
    expect(groupBySense(answers(null, null)).length).toBe(1);
    expect(groupBySense([])).toEqual([]);
  });
});
