/** What can be taken from a tree: the server's formats, and pictures of what is open. */

import { exportAddress } from "../api/client";
import type { Taxonomy } from "../api/types";
import { useExplorer } from "../state/explorer";
import type { Forest } from "../taxonomy/forest";
import { layNeighbourhood } from "../taxonomy/neighbourhood";
import type { Row } from "../taxonomy/rows";
import { escapeMarkdown } from "./files";
import { neighbourhoodPicture, treePicture } from "./pictures";
import { TakeAway } from "./take-away";

interface TreeTakeAwayProps {
  title: string;
  taxonomy: Taxonomy;
  forest: Forest;
  rows: readonly Row[];
  /** The term whose neighbourhood is shown instead of the tree. */
  graphOf: string | null;
}

const FIRST = ["skos", "owl", "tsv", "json", "graphml"];

/** The tree as a nested list. */
export function treeMarkdown(title: string, rows: readonly Row[]): string {
  const lines = rows.map(({ term, level }) => `${"  ".repeat(level - 1)}- ${escapeMarkdown(term)}\n`);
  return `**${escapeMarkdown(title)}**\n\n${lines.join("")}`;
}

export function TreeTakeAway({ title, taxonomy, forest, rows, graphOf }: TreeTakeAwayProps) {
  const { server } = useExplorer();
  const formats = [...server.formats].sort((first, second) => place(first.name) - place(second.name));
  return (
    <TakeAway
      title={title}
      files={formats.map(({ name, title: detail }) => ({
        title: name.toUpperCase(),
        detail,
        href: exportAddress(taxonomy.id, name),
      }))}
      markdown={() => treeMarkdown(title, rows)}
      picture={() =>
        graphOf === null
          ? treePicture(title, rows, taxonomy.calibrated)
          : neighbourhoodPicture(layNeighbourhood(forest, graphOf, taxonomy.calibrated))
      }
      command={taxonomy.command}
    />
  );
}

const place = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
