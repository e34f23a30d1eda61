/** The state of a view in the hash of the address, so that a link restores it: `#/ask?term=dog`. */

export const VIEWS = ["ask", "tree", "compare", "topics", "models"] as const;
export type View = (typeof VIEWS)[number];

export interface Route {
  view: View;
  parameters: Readonly<Record<string, string>>;
}

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const view = VIEWS.find((name) => name === path) ?? "ask";
  return { view, parameters: Object.fromEntries(new URLSearchParams(query)) };
}

/** The hash of a route; empty parameters are left out. */
export function formatRoute(view: View, parameters: Record<string, string | undefined> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "") query.set(name, value);
  }
  const text = query.toString();
  return `#/${view}${text ? `?${text}` : ""}`;
}
