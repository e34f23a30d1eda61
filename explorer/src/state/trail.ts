/** The terms that were walked through before the present one, as they stand in the address. */

const MOST = 8;

export function parseTrail(text: string | undefined): string[] {
  return text ? text.split("|").filter(Boolean) : [];
}

/** The trail after a step from `term`; walking back to a term forgets what came after it. */
export function extendTrail(text: string | undefined, term: string): string {
  const trail = parseTrail(text);
  const before = trail.indexOf(term);
  return [...(before < 0 ? trail : trail.slice(0, before)), term].slice(-MOST).join("|");
}
