/** The relations with the lowest confidence, to be reviewed one by one. */

import { useEffect, useRef } from "preact/hooks";

import { api } from "../api/client";
import type { DoubtfulEdge } from "../api/types";
import { shown, useRequest } from "../state/use-request";
import type { Step } from "../state/use-corrections";
import { edgeValue } from "../taxonomy/forest";
import { acceptEdge, moveTerm, rejectEdge } from "../taxonomy/steps";
import { counted } from "./counted";
import { ConfidenceBar, formatValue } from "./confidence-bar";
import { Icon } from "./icon";
import { EmptyState, ErrorState, Loading } from "./states";

const TOP = 30;

interface WorklistPanelProps {
  taxonomy: string;
  version: string;
  calibrated: boolean;
  editable: boolean;
  onStep: (step: Step) => void;
  onSelect: (term: string) => void;
}

export function WorklistPanel({ taxonomy, version, calibrated, editable, onStep, onSelect }: WorklistPanelProps) {
  const request = useRequest(`${taxonomy} ${version}`, (signal) => api.worklist(taxonomy, TOP, signal));
  const list = useRef<HTMLOListElement>(null);
  const decided = useRef(false);
  const worklist = shown(request);

  // the button that was pressed is gone with its edge: go on with the next one
  useEffect(() => {
    if (!decided.current || request.state !== "ready") return;
    decided.current = false;
    list.current?.querySelector<HTMLButtonElement>("button.decide")?.focus();
  }, [request]);

  if (request.state === "failed") return <ErrorState error={request.error} />;
  if (!worklist) return <Loading label="Looking for uncertain relations" />;
  if (!worklist.edges.length) {
    return (
      <EmptyState icon="check" title="All reviewed">
        <p>Every relation is reviewed or has a high confidence.</p>
      </EmptyState>
    );
  }
  const decide = (step: Step) => {
    decided.current = true;
    onStep(step);
  };
  return (
    <>
      <p class="muted">
        {worklist.edges.length} least certain of {worklist.left.toLocaleString("en")} undecided relations
      </p>
      <ol class="worklist" ref={list} aria-label="Least certain relations">
        {worklist.edges.map((edge) => (
          <WorklistItem
            key={`${edge.child} ${edge.parent}`}
            edge={edge}
            calibrated={calibrated}
            editable={editable}
            onStep={decide}
            onSelect={onSelect}
          />
        ))}
      </ol>
    </>
  );
}

interface WorklistItemProps {
  edge: DoubtfulEdge;
  calibrated: boolean;
  editable: boolean;
  onStep: (step: Step) => void;
  onSelect: (term: string) => void;
}

function WorklistItem({ edge, calibrated, editable, onStep, onSelect }: WorklistItemProps) {
  const { child, parent, alternatives } = edge;
  const value = edgeValue(edge);
  return (
    <li class="work">
      <p class="work-line">
        <button type="button" class="link" onClick={() => onSelect(child)}>
          {child}
        </button>{" "}
        is a kind of <strong>{parent}</strong>
      </p>
      <p class="edge-value">
        {calibrated && value !== null && <ConfidenceBar value={value} width={80} />}
        <span>{formatValue(value, calibrated)}</span>
        {edge.statements > 0 && <span class="muted">{counted(edge.statements, "mention")}</span>}
      </p>
      {editable && (
        <div class="actions" role="group" aria-label={`${child} is a kind of ${parent}`}>
          <button type="button" class="button button-small decide" onClick={() => onStep(acceptEdge(edge))}>
            <Icon name="check" size={16} />
            Accept
          </button>
          <button type="button" class="button button-small" onClick={() => onStep(rejectEdge(edge))}>
            <Icon name="cross" size={16} />
            Reject
          </button>
          {alternatives.map(({ term }) => (
            <button
              key={term}
              type="button"
              class="button button-small button-quiet"
              onClick={() => onStep(moveTerm(child, term))}
            >
              Move to {term}
            </button>
          ))}
        </div>
      )}
    </li>
  );
}
