/** What can be taken from a tree: the server's formats, and pictures of what is open. */

import { exportAddress } from "../api/client";
import type { TreeReply } from "../api/types";
import { useExplorer } from "../state/explorer";
import type { Forest } from "../taxonomy/forest";
import { layNeighbourhood } from "../taxonomy/neighbourhood";
import type { Row } from "../taxonomy/rows";
import { escapeMarkdown } from "./files";
import { neighbourhoodPicture, treePicture } from "./pictures";
import { Export } from "./export";

interface TreeExportProps {
  title: string;
  taxonomy: TreeReply;
  forest: Forest;
  rows: readonly Row[];
  /** The term whose neighbourhood is shown instead of the tree. */
  graphOf: string | null;
  /** The least confidence of what is shown, where the filter is set. */
  least?: number | undefined;
}

/** The tree as a nested list. */
export function treeMarkdown(title: string, rows: readonly Row[]): string {
  const lines = rows.map(({ term, level }) => `${"  ".repeat(level - 1)}- ${escapeMarkdown(term)}\n`);
  return `**${escapeMarkdown(title)}**\n\n${lines.join("")}`;
}

export function TreeExport({ title, taxonomy, forest, rows, graphOf, least }: TreeExportProps) {
  const { server } = useExplorer();
  return (
    <Export
      title={title}
      note={least === undefined ? undefined : `Only edges of ${least} or more, as --min-confidence ${least} gives them.`}
      files={server.formats.map(({ name, title: detail }) => ({
        title: name.toUpperCase(),
        detail,
        href: exportAddress(taxonomy.id, name, least),
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
