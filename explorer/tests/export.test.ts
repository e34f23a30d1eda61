// @vitest-environment jsdom

import { describe, expect, it } from "vitest";

import { joinCommands } from "../src/export/commands";
import { Drawing, type Palette } from "../src/export/drawing";
import { fileStem, toMarkdown, toTsv } from "../src/export/files";
import { treeMarkdown } from "../src/export/tree-export";
import { buildForest } from "../src/taxonomy/forest";
import { visibleRows } from "../src/taxonomy/rows";
import { PETS } from "./taxonomy";

const table = { columns: ["term", "confidence"], rows: [["a|b", 0.5] as const, ["tab\there", null] as const] };

describe("tables", () => {
  it("become tab-separated values that keep tabs inside cells", () => {
    expect(toTsv(table)).toBe('term\tconfidence\na|b\t0.5\n"tab\there"\t\n');
  });

  it("become Markdown that shows every character as it is", () => {
    expect(toMarkdown(table)).toBe("| term | confidence |\n| --- | --- |\n| a\\|b | 0.5 |\n| tab here |  |\n");
  });
});

describe("treeMarkdown", () => {
  it("nests the rows that are open", () => {
    const rows = visibleRows(buildForest(PETS), new Set(["animal"]));
    expect(treeMarkdown("Pets", rows)).toBe("**Pets**\n\n- animal\n  - bird\n  - dog\n- tree\n");
  });
});

describe("fileStem", () => {
  it("keeps letters of every script and nothing a file system minds", () => {
    expect(fileStem("Beneath “Château d'eau”")).toBe("beneath-château-d-eau");
    expect(fileStem("../../etc")).toBe("etc");
    expect(fileStem("…")).toBe("hyperdive");
  });
});

describe("joinCommands", () => {
  it("opens a model once, but two models twice", () => {
    const up = { cli: "hyperdive hypernyms dog", python: "from hyperdive import load\nmodel = load('a')\nmodel.hypernyms('dog')" };
    const down = { cli: "hyperdive hyponyms dog", python: "from hyperdive import load\nmodel = load('a')\nmodel.hyponyms('dog')" };
    expect(joinCommands(up, down).python.split("\n")).toEqual([
      "from hyperdive import load",
      "model = load('a')",
      "model.hypernyms('dog')",
      "model.hyponyms('dog')",
    ]);
    const other = { cli: "x", python: up.python.replace("'a'", "'b'") };
    expect(joinCommands(up, other).python.split("\n").slice(3)).toEqual(["model = load('b')", "model.hypernyms('dog')"]);
  });
});

describe("Drawing", () => {
  it("is well-formed XML whatever the text is", () => {
    const palette = { background: "white", ink: "black", muted: "grey", line: "silver", strong: "teal" } as Palette;
    const drawing = new Drawing(100, 50, palette);
    drawing.text(1, 2, `<b>"dogs" & 'cats'</b>`);
    drawing.bar(0, 0, 50, 0.95);
    const parsed = new DOMParser().parseFromString(drawing.toString(), "image/svg+xml");
    expect(parsed.querySelector("parsererror")).toBeNull();
    expect(parsed.querySelector("text")!.textContent).toBe(`<b>"dogs" & 'cats'</b>`);
    expect(parsed.querySelectorAll("[style]").length).toBe(0);
  });
});
