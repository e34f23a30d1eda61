import { describe, expect, it } from "vitest";

import { packTerms, parseTerms, unpackTerms } from "../src/taxonomy/term-list";

describe("parseTerms", () => {
  it("reads one term a line, without comments, columns, quotes and repetitions", () => {
    const text = '# mine\naspirin\t3\r\n"red wine"\n\n  ibuprofen \rAspirin\n';
    expect(parseTerms(text)).toEqual(["aspirin", "red wine", "ibuprofen"]);
  });
});

describe("a list in an address", () => {
  it("comes back as it was", async () => {
    const terms = ["château", "水", "red wine vinegar", ...Array.from({ length: 2000 }, (_, place) => `term ${place}`)];
    const packed = await packTerms(terms);
    expect(packed).toMatch(/^[\w-]+$/);
    expect(packed.length).toBeLessThan(terms.join("\n").length / 2);
    expect(await unpackTerms(packed)).toEqual(terms);
  });

  it("is empty when the address is damaged", async () => {
    expect(await unpackTerms("%%%")).toEqual([]);
    expect(await unpackTerms("AAAA")).toEqual([]);
  });
});
