/** Ask: what a term is a kind of, what is a kind of it, and why. */

import type { ComponentChildren } from "preact";

import { api } from "../api/client";
import type { AnswersReply, SimilarReply } from "../api/types";
import { AnswerList, type Direction } from "../components/answer-list";
import { Icon } from "../components/icon";
import { ModelTermBox } from "../components/model-term-box";
import { ErrorState, Loading } from "../components/states";
import { useExplorer } from "../state/explorer";
import { extendTrail, parseTrail } from "../state/trail";
import { shown, useRequest, type Request } from "../state/use-request";
import { joinCommands } from "../export/commands";
import { answersPicture } from "../export/pictures";
import { groupBySense } from "../taxonomy/senses";
import { Export, tableFiles, tableMarkdown } from "../export/export";
import type { Table } from "../export/files";

const TOP = 12;

export function AskView() {
  const { model, parameters, go } = useExplorer();
  const term = parameters["term"] ?? "";
  const ask = (wanted: string) => go("ask", { term: wanted, senses: parameters["senses"] });
  if (!term) return <StartPage ask={ask} />;
  return (
    <>
      <div class="ask-bar">
        <ModelTermBox model={model.name} label="Ask about a term" hideLabel value={term} onChoose={ask} placeholder="Ask about a term" />
      </div>
      <AskedTerm key={`${model.name} ${term}`} term={term} />
    </>
  );
}

function StartPage({ ask }: { ask: (term: string) => void }) {
  const { model, hrefTo } = useExplorer();
  const general = useRequest(model.topics ? model.name : null, (signal) => api.general(model.name, undefined, signal));
  const examples = shown(general)?.words.slice(0, 10) ?? [];
  return (
    <section class="start">
      <h1>What is it a kind of?</h1>
      <p class="start-text">
        Type a word or a phrase. The answers come from text: each with how sure the model is, and with the sentences that say so.
      </p>
      <ModelTermBox model={model.name} label="Ask about a term" hideLabel large autofocus placeholder="malaria, string quartet, oak …" onChoose={ask} />
      {examples.length > 0 && (
        <div class="start-examples">
          <h2 class="small-heading">The most general words of this model</h2>
          <ul class="chips">
            {examples.map(({ term }) => (
              <li key={term}>
                <a class="chip chip-link" href={hrefTo("ask", { term })}>
                  {term}
                </a>
              </li>
            ))}
          </ul>
        </div>
      )}
      <dl class="facts">
        <div>
          <dt>words</dt>
          <dd>{model.words.toLocaleString("en")}</dd>
        </div>
        <div>
          <dt>multi-word terms</dt>
          <dd>{model.terms.toLocaleString("en")}</dd>
        </div>
        {model.tokens !== null && (
          <div>
            <dt>words in the corpus</dt>
            <dd>{model.tokens.toLocaleString("en")}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}

function AskedTerm({ term }: { term: string }) {
  const { model, parameters, replace, hrefTo } = useExplorer();
  const key = `${model.name} ${term}`;
  const senses = parameters["senses"] === "1";
  const askBroader = senses ? api.senses : api.hypernyms;
  const broader = useRequest(`${key} ${senses}`, (signal) => askBroader(model.name, term, TOP, signal));
  const narrower = useRequest(key, (signal) => api.hyponyms(model.name, term, TOP, signal));
  const similar = useRequest(key, (signal) => api.similar(model.name, term, signal));
  const trail = parseTrail(parameters["from"]);
  const both = broader.state === "ready" && narrower.state === "ready" ? [broader.value, narrower.value] : null;
  const unknown = broader.state === "ready" && broader.value.results[0]?.unknown;
  return (
    <>
      {trail.length > 0 && (
        <nav class="trail" aria-label="Way here">
          {trail.map((earlier) => (
            <a
              key={earlier}
              href={hrefTo("ask", {
                term: earlier,
                from: trail.slice(0, trail.indexOf(earlier)).join("|"),
                senses: parameters["senses"],
              })}
            >
              {earlier}
            </a>
          ))}
        </nav>
      )}
      <div class="headline">
        <h1 class="headword">{term}</h1>
        <div class="button-row">
          {!unknown && (
            <a class="button" href={hrefTo("tree", { root: term })}>
              <Icon name="tree" size={18} />
              Tree beneath it
            </a>
          )}
          {both && !unknown && <AskExport term={term} broader={both[0]!} narrower={both[1]!} />}
        </div>
      </div>
      {unknown && broader.state === "ready" ? (
        <section class="panel">
          <AnswerList model={model.name} table={broader.value.results[0]!} calibrated direction="broader" opened={undefined} onOpen={() => undefined} />
        </section>
      ) : (
        <div class="columns">
          <AnswersPanel
            heading="Broader"
            line={`${term} is a kind of …`}
            direction="broader"
            request={broader}
            opened={parameters["up"]}
            onOpen={(up) => replace({ up, down: undefined })}
          >
            <SenseSwitch on={senses} answers={shown(broader)} onChange={(on) => replace({ senses: on ? "1" : undefined })} />
          </AnswersPanel>
          <AnswersPanel
            heading="Narrower"
            line={`… is a kind of ${term}`}
            direction="narrower"
            request={narrower}
            opened={parameters["down"]}
            onOpen={(down) => replace({ down, up: undefined })}
          />
        </div>
      )}
      <SimilarTerms request={similar} term={term} />
    </>
  );
}

interface AnswersPanelProps {
  heading: string;
  line: string;
  direction: Direction;
  request: Request<AnswersReply>;
  opened: string | undefined;
  onOpen: (term: string | undefined) => void;
  /** What stands at the end of the head of the panel. */
  children?: ComponentChildren;
}

function AnswersPanel({ heading, line, direction, request, opened, onOpen, children }: AnswersPanelProps) {
  const { model } = useExplorer();
  const value = shown(request);
  const table = value?.results[0];
  return (
    <section class="panel" aria-label={heading} aria-busy={request.state === "loading"}>
      <header class="panel-head">
        <h2>{heading}</h2>
        <p class="muted">{line}</p>
        {children}
      </header>
      {request.state === "failed" && <ErrorState error={request.error} />}
      {request.state === "loading" && !table && <Loading label={`Looking for ${heading.toLowerCase()} terms`} />}
      {table && (
        <AnswerList
          model={model.name}
          table={table}
          calibrated={value.calibrated}
          direction={direction}
          opened={opened}
          onOpen={onOpen}
        />
      )}
    </section>
  );
}

interface SenseSwitchProps {
  on: boolean;
  answers: AnswersReply | undefined;
  onChange: (on: boolean) => void;
}

/** Groups the broader terms by sense, and says so where there is only one. */
function SenseSwitch({ on, answers, onChange }: SenseSwitchProps) {
  const found = answers?.results[0]?.answers ?? [];
  const grouped = found.some(({ sense }) => sense !== null);
  const count = groupBySense(found).length;
  return (
    <p class="sense-switch">
      <label class="check">
        <input type="checkbox" role="switch" checked={on} onChange={(event) => onChange(event.currentTarget.checked)} />
        By sense
      </label>
      <span class="muted" role="status">
        {on && grouped && (count > 1 ? `${count} senses` : "one sense")}
      </span>
    </p>
  );
}

function SimilarTerms({ request, term }: { request: Request<SimilarReply>; term: string }) {
  const { hrefTo, parameters } = useExplorer();
  const neighbours = shown(request)?.results[0]?.neighbours ?? [];
  if (!neighbours.length) return null;
  return (
    <section class="similar" aria-label="Similar terms">
      <h2 class="small-heading">Related terms (same level)</h2>
      <ul class="chips">
        {neighbours.map((neighbour) => (
          <li key={neighbour.term}>
            <a
              class="chip chip-link"
              href={hrefTo("ask", {
                term: neighbour.term,
                from: extendTrail(parameters["from"], term),
                senses: parameters["senses"],
              })}
              title={`similarity ${neighbour.similarity.toFixed(2)}`}
            >
              {neighbour.term}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function AskExport({ term, broader, narrower }: { term: string; broader: AnswersReply; narrower: AnswersReply }) {
  const bySense = (broader.results[0]?.answers ?? []).some(({ sense }) => sense !== null);
  const rowsOf = (direction: Direction, answers: AnswersReply) =>
    (answers.results[0]?.answers ?? []).map((answer) => [
      direction === "broader" ? term : answer.term,
      direction === "broader" ? answer.term : term,
      answer.confidence ?? answer.score,
      answer.statements,
      answer.signals.join(", "),
      ...(bySense ? [direction === "broader" ? answer.sense : null] : []),
    ]);
  const measure = broader.calibrated ? "confidence" : "score";
  const table: Table = {
    columns: ["hyponym", "hypernym", measure, "statements", "signals", ...(bySense ? ["sense"] : [])],
    rows: [...rowsOf("broader", broader), ...rowsOf("narrower", narrower)],
  };
  return (
    <Export
      title={term}
      files={tableFiles(table, { term, broader: broader.results[0], narrower: narrower.results[0] })}
      markdown={() => tableMarkdown(term, table)}
      picture={() => answersPicture(term, [
        { heading: "Broader", answers: broader },
        { heading: "Narrower", answers: narrower },
      ])}
      command={joinCommands(broader.command, narrower.command)}
    />
  );
}
