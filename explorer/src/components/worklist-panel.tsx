/** The edges that the model is least sure of, to be decided one after another. */

import { useEffect, useRef } from "preact/hooks";

import { api } from "../api/client";
import type { DoubtfulEdge } from "../api/types";
import { shown, useRequest } from "../state/use-request";
import type { Step } from "../state/use-corrections";
import { edgeValue } from "../taxonomy/forest";
import { acceptEdge, moveTerm, rejectEdge } from "../taxonomy/steps";
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
  if (!worklist) return <Loading label="Looking for doubtful edges" />;
  if (!worklist.edges.length) {
    return (
      <EmptyState icon="check" title="Nothing left to decide">
        <p>Every edge is decided or sure enough.</p>
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
        The {worklist.edges.length} edges that are least sure, of {worklist.left.toLocaleString("en")} undecided ones.
      </p>
      <ol class="worklist" ref={list} aria-label="Least sure edges">
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
        {edge.statements > 0 && <span class="muted">{edge.statements}×</span>}
      </p>
      {editable && (
        <div class="actions" role="group" aria-label={`${child} is a kind of ${parent}`}>
          <button type="button" class="button button-small decide" onClick={() => onStep(acceptEdge(edge))}>
            <Icon name="check" size={16} />
            Right
          </button>
          <button type="button" class="button button-small" onClick={() => onStep(rejectEdge(edge))}>
            <Icon name="cross" size={16} />
            Wrong
          </button>
          {alternatives.map(({ term }) => (
            <button
              key={term}
              type="button"
              class="button button-small button-quiet"
              onClick={() => onStep(moveTerm(child, term))}
            >
              rather {term}
            </button>
          ))}
        </div>
      )}
    </li>
  );
}
