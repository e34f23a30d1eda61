/** Why one term is thought to be a kind of another: the sentences, the patterns, the signals. */

import { api } from "../api/client";
import type { EvidenceReply } from "../api/types";
import { useExplorer } from "../state/explorer";
import { useRequest } from "../state/use-request";
import { counted } from "./counted";
import { ErrorState, Loading } from "./states";
import { SignalList } from "./signals";
import { Sentence } from "./sentence";

interface PairDetailsProps {
  model: string;
  hyponym: string;
  hypernym: string;
  signals?: readonly string[];
}

export function PairDetails({ model, hyponym, hypernym, signals }: PairDetailsProps) {
  const { hrefTo, server } = useExplorer();
  const known = server.models.find(({ name }) => name === model);
  const request = useRequest(known?.patterns ? `${model} ${hyponym} ${hypernym}` : null, (signal) =>
    api.evidence(model, hyponym, hypernym, signal),
  );
  return (
    <div class="pair">
      {request.state === "idle" && <p class="muted">This model was trained without patterns, so it has no sentences.</p>}
      {request.state === "loading" && <Loading label="Looking for sentences" lines={2} />}
      {request.state === "failed" &&
        (request.error.code === "unknown_term" ? (
          <p class="muted">The text has no sentence about this pair.</p>
        ) : (
          <ErrorState error={request.error} />
        ))}
      {request.state === "ready" && <Statements pair={request.value} />}
      {signals && <SignalList signals={signals} />}
      {known?.topics && (
        <p class="pair-links">
          <a href={hrefTo("compare", { terms: `${hypernym}, ${hyponym}` })}>Compare the two, dimension by dimension</a>
        </p>
      )}
    </div>
  );
}

function Statements({ pair }: { pair: EvidenceReply }) {
  const { hyponym, hypernym, statements, evidence, patterns, head, stated_hypernyms: stated } = pair;
  if (statements === 0) {
    return (
      <div>
        <p class="muted">
          {head
            ? `No sentence states it: “${hyponym}” ends with “${hypernym}”.`
            : `No sentence states that “${hyponym}” is a kind of “${hypernym}”; the confidence rests on the other signals.`}
        </p>
        {stated.length > 0 && (
          <p class="muted">
            The text calls it: {stated.map(({ term, statements: times }) => `${term} (${times})`).join(", ")}.
          </p>
        )}
      </div>
    );
  }
  return (
    <div>
      {evidence.map((sentence) => (
        <Sentence key={`${sentence.document} ${sentence.sentence}`} evidence={sentence} />
      ))}
      {evidence.length === 0 && (
        <p class="muted">
          {pair.sentences_kept
            ? "The sentences of this pair were not kept."
            : "This model keeps how often the text says so, but not the sentences."}
        </p>
      )}
      <p class="pattern-counts">
        {counted(statements, "statement")}:
        {patterns.map(({ pattern, statements: times }) => (
          <span key={pattern} class="chip">
            {pattern} {times.toLocaleString("en")}
          </span>
        ))}
      </p>
    </div>
  );
}
