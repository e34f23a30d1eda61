import { describe, expect, it } from "vitest";

import { byExcess, excess, inclusions } from "../src/taxonomy/inclusion";

const dimension = (number: number, ...values: number[]) => ({ dimension: number, label: "", values, further: [] });

describe("inclusion", () => {
  it("fails by what sticks out over the broadest word", () => {
    expect(excess(dimension(0, 5, 3, 6))).toBe(1);
    expect(excess(dimension(0, 5, 5, 0))).toBe(0);
  });

  it("sorts failures first and leaves the rest in order", () => {
    const dimensions = [dimension(0, 5, 3), dimension(1, 2, 3), dimension(2, 1, 1), dimension(3, 0, 4)];
    expect(byExcess(dimensions).map(({ dimension: number }) => number)).toEqual([3, 1, 0, 2]);
  });

  it("names every ordered pair, the largest share first", () => {
    const comparison = { words: ["animal", "dog"], included: [[1, 0.86], [0.4, 1]] };
    expect(inclusions(comparison)).toEqual([
      { broader: "animal", narrower: "dog", share: 0.86 },
      { broader: "dog", narrower: "animal", share: 0.4 },
    ]);
  });
});
