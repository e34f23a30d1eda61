/** Tables as files and as Markdown, and how a file reaches the user's disk. */

export type Cell = string | number | null;

export interface Table {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

const text = (cell: Cell): string => (cell === null ? "" : String(cell));

/** Tab-separated values; a cell with a tab, a quote or a line break is quoted. */
export function toTsv({ columns, rows }: Table): string {
  const quoted = (cell: Cell) => (/["\t\r\n]/.test(text(cell)) ? `"${text(cell).replaceAll('"', '""')}"` : text(cell));
  return [columns, ...rows].map((row) => `${row.map(quoted).join("\t")}\n`).join("");
}

/** A Markdown table; characters that Markdown would read are escaped. */
export function toMarkdown({ columns, rows }: Table): string {
  const line = (row: readonly Cell[]) => `| ${row.map((cell) => escapeMarkdown(text(cell))).join(" | ")} |\n`;
  return line(columns) + line(columns.map(() => "---")) + rows.map(line).join("");
}

export function escapeMarkdown(value: string): string {
  return value === "---" ? value : value.replace(/[\\`*_[\]<>|#]/g, "\\$&").replace(/\s+/g, " ");
}

/** A name for a file: letters, digits and dashes. */
export function fileStem(title: string): string {
  const stem = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  return stem.slice(0, 60) || "hyperdive";
}

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function saveText(content: string, name: string, type: string): void {
  saveBlob(new Blob([content], { type: `${type};charset=utf-8` }), name);
}
