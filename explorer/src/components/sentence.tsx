/** A sentence of the text with both terms marked. */

import type { Evidence } from "../api/types";

export interface Segment {
  text: string;
  hyponym: boolean;
  hypernym: boolean;
}

/** The parts of a sentence; spans (hyponym first) count code points and may overlap. */
export function segmentsOf({ sentence, spans }: Evidence): Segment[] {
  const characters = Array.from(sentence);
  const within = (place: number, [start, end]: [number, number]) => start <= place && place < end;
  const segments: Segment[] = [];
  characters.forEach((character, place) => {
    const hyponym = within(place, spans[0]);
    const hypernym = within(place, spans[1]);
    const last = segments.at(-1);
    if (last && last.hyponym === hyponym && last.hypernym === hypernym) last.text += character;
    else segments.push({ text: character, hyponym, hypernym });
  });
  return segments;
}

export function Sentence({ evidence }: { evidence: Evidence }) {
  return (
    <figure class="sentence">
      <blockquote>
        {segmentsOf(evidence).map(({ text, hyponym, hypernym }, place) => {
          if (!hyponym && !hypernym) return text;
          return (
            <mark key={place} class={hyponym ? "mark-hyponym" : "mark-hypernym"}>
              {text}
            </mark>
          );
        })}
      </blockquote>
      <figcaption>
        <span class="chip">pattern: {evidence.pattern}</span>
        <span>document {evidence.document.toLocaleString("en")}</span>
      </figcaption>
    </figure>
  );
}
