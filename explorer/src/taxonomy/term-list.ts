/** Terms that the user pastes or uploads, and how they travel in an address. */

/** Terms of a text, one a line; comments with #, what follows a tab is ignored, repeated terms are used once. */
export function parseTerms(text: string): string[] {
  const terms = new Map<string, string>();
  for (const line of text.split(/\r\n|[\n\r]/)) {
    const field = (line.split("\t", 1)[0] ?? "").trim().replace(/^"(.*)"$/, "$1").trim();
    if (field && !field.startsWith("#") && !terms.has(field.toLowerCase())) terms.set(field.toLowerCase(), field);
  }
  return [...terms.values()];
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const response = new Response(new Blob([bytes]).stream().pipeThrough(stream));
  return new Uint8Array(await response.arrayBuffer());
}

/** A list packed for an address: deflated, in the alphabet of base64url. */
export async function packTerms(terms: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(terms.join("\n"));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The list of an address; empty when it is damaged. */
export async function unpackTerms(packed: string): Promise<string[]> {
  try {
    const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const text = new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
    return text.split("\n").filter((term) => term !== "");
  } catch {
    return [];
  }
}
