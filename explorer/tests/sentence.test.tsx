// @vitest-environment jsdom

import { render } from "preact";
import { describe, expect, it } from "vitest";

import { Sentence, segmentsOf } from "../src/components/sentence";

const evidence = (sentence: string, hyponym: [number, number], hypernym: [number, number]) => ({
  sentence,
  pattern: "such as",
  document: 1234,
  spans: [hyponym, hypernym] as [[number, number], [number, number]],
});

describe("segmentsOf", () => {
  it("marks both terms and keeps every character", () => {
    const segments = segmentsOf(evidence("dogs such as poodles bark", [13, 20], [0, 4]));
    expect(segments.map(({ text }) => text)).toEqual(["dogs", " such as ", "poodles", " bark"]);
    expect(segments.map(({ hyponym, hypernym }) => [hyponym, hypernym])).toEqual([
      [false, true],
      [false, false],
      [true, false],
      [false, false],
    ]);
  });

  it("counts code points, not UTF-16 units", () => {
    const segments = segmentsOf(evidence("🐩🐩 is a dog", [0, 2], [8, 11]));
    expect(segments[0]).toEqual({ text: "🐩🐩", hyponym: true, hypernym: false });
    expect(segments.at(-1)).toEqual({ text: "dog", hyponym: false, hypernym: true });
  });

  it("splits where spans overlap", () => {
    const segments = segmentsOf(evidence("red wine", [0, 8], [4, 8]));
    expect(segments).toEqual([
      { text: "red ", hyponym: true, hypernym: false },
      { text: "wine", hyponym: true, hypernym: true },
    ]);
  });
});

describe("Sentence", () => {
  it("shows text of the corpus as text, never as HTML", () => {
    const host = document.createElement("div");
    render(<Sentence evidence={evidence("<img src=x onerror=alert(1)> dog", [0, 4], [29, 32])} />, host);
    expect(host.querySelector("img")).toBeNull();
    expect(host.querySelector("blockquote")!.textContent).toBe("<img src=x onerror=alert(1)> dog");
    expect([...host.querySelectorAll("mark")].map((mark) => mark.textContent)).toEqual(["<img", "dog"]);
  });
});
