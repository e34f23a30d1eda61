import type { Commands } from "../api/types";

/** Two commands as one: an import or the opening of a model that both have stands once. */
export function joinCommands(first: Commands, second: Commands): Commands {
  const lines = first.python.split("\n");
  const repeated = (line: string) => /^(from|import|model =) ?/.test(line) && lines.includes(line);
  return {
    cli: `${first.cli}\n${second.cli}`,
    python: [...lines, ...second.python.split("\n").filter((line) => !repeated(line))].join("\n"),
  };
}
