/** Hypernyms or hyponyms of a term, each with its confidence; an answer opens to show why. */

import type { Answer, TermAnswers } from "../api/types";
import { useExplorer } from "../state/explorer";
import { extendTrail } from "../state/trail";
import { groupBySense } from "../taxonomy/senses";
import { counted } from "./counted";
import { ConfidenceBar, formatValue } from "./confidence-bar";
import { Icon } from "./icon";
import { PairDetails } from "./pair-details";
import { Signals } from "./signals";
import { EmptyState } from "./states";

export type Direction = "broader" | "narrower";

interface AnswerListProps {
  model: string;
  table: TermAnswers;
  calibrated: boolean;
  direction: Direction;
  /** The answer that shows its evidence. */
  opened: string | undefined;
  onOpen: (term: string | undefined) => void;
  /** Answers to mark, such as those that another model gives too. */
  shared?: ReadonlySet<string>;
}

export function AnswerList(props: AnswerListProps) {
  const { table, calibrated } = props;
  if (!table.answers.length) return <NotKnown table={table} />;
  const largest = Math.max(...table.answers.map(({ score }) => score ?? 0), 1e-9);
  const list = (answers: readonly Answer[]) => (
    <ul class="answers">
      {answers.map((answer) => (
        <AnswerRow
          key={answer.term}
          answer={answer}
          share={calibrated && answer.confidence !== null ? answer.confidence : (answer.score ?? 0) / largest}
          {...props}
        />
      ))}
    </ul>
  );
  const groups = groupBySense(table.answers);
  if (groups.length < 2) return list(table.answers);
  return (
    <>
      {groups.map(({ sense, answers }) => (
        <section key={sense} class="sense" aria-labelledby={`sense-${sense}`}>
          <h3 id={`sense-${sense}`} class="small-heading">
            Sense {sense}: {answers[0]!.term}
          </h3>
          {list(answers)}
        </section>
      ))}
    </>
  );
}

function AnswerRow(props: AnswerListProps & { answer: Answer; share: number }) {
  const { answer, share, table, calibrated, direction, opened, onOpen, shared } = props;
  const { hrefTo, parameters } = useExplorer();
  const { term, statements } = answer;
  const open = opened === term;
  const value = calibrated ? answer.confidence : answer.score;
  const asked = table.term;
  return (
    <li class={open ? "answer answer-open" : "answer"}>
      <div class="answer-line">
        <button type="button" class="answer-main" aria-expanded={open} onClick={() => onOpen(open ? undefined : term)}>
          <span class="twisty-mark">
            <Icon name="chevron" size={14} />
          </span>
          <span class="answer-term">
            {term}
            {shared?.has(term) && <span class="chip chip-both">both</span>}
          </span>
          <ConfidenceBar value={share} />
          <span class="answer-value">
            <span class="visually-hidden">{calibrated ? "confidence " : "score "}</span>
            {formatValue(value, calibrated)}
          </span>
          <Signals signals={answer.signals} />
          <span class="answer-statements">
            {statements > 0 && counted(statements, "statement")}
          </span>
        </button>
        <a
          class="icon-button"
          href={hrefTo("ask", { term, from: extendTrail(parameters["from"], asked), senses: parameters["senses"] })}
          aria-label={`Ask about ${term}`}
          title={`Ask about ${term}`}
        >
          <Icon name="arrow" size={18} />
        </a>
      </div>
      {open && (
        <PairDetails
          model={props.model}
          hyponym={direction === "broader" ? asked : term}
          hypernym={direction === "broader" ? term : asked}
          signals={answer.signals}
        />
      )}
    </li>
  );
}

/** The model says so when it does not know; the nearest guess is in its note. */
function NotKnown({ table }: { table: TermAnswers }) {
  const { hrefTo } = useExplorer();
  if (table.unknown) {
    return (
      <EmptyState icon="question" title="Not in this model">
        <p>{table.unknown.near.length > 0 ? "Perhaps one of these:" : "No similar spelling found."}</p>
        {table.unknown.near.length > 0 && (
          <ul class="chips">
            {table.unknown.near.map((term) => (
              <li key={term}>
                <a class="chip chip-link" href={hrefTo("ask", { term })}>
                  {term}
                </a>
              </li>
            ))}
          </ul>
        )}
      </EmptyState>
    );
  }
  const why = (table.notes[0] ?? "no answer is likely enough").replace(/^not known: /, "");
  return (
    <EmptyState icon="question" title="Not known">
      <p>{why}.</p>
    </EmptyState>
  );
}
