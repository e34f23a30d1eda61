/** Compare models: the same question to both, shared answers marked. */

import { api } from "../api/client";
import type { AnswersReply, ModelInfo } from "../api/types";
import { AnswerList, type Direction } from "../components/answer-list";
import { ModelTermBox } from "../components/model-term-box";
import { EmptyState, ErrorState, Loading } from "../components/states";
import { Tabs } from "../components/tabs";
import { useExplorer } from "../state/explorer";
import { shown, useRequest, type Request } from "../state/use-request";
import { answersPicture } from "../export/pictures";
import { joinCommands } from "../export/commands";
import { Export, tableFiles, tableMarkdown } from "../export/export";

const TOP = 12;

export function ModelsView() {
  const { server, model, parameters, replace } = useExplorer();
  const second = server.models.find(({ name }) => name === parameters["other"]) ?? server.models.find((other) => other !== model);
  const term = parameters["term"] ?? "";
  if (!second) {
    return (
      <EmptyState icon="models" title="Only one model is served">
        <p>Start the server with two, to ask both the same question:</p>
        <p>
          <code>hyperdive serve {model.name} my.model</code>
        </p>
      </EmptyState>
    );
  }
  const direction: Direction = parameters["way"] === "narrower" ? "narrower" : "broader";
  return (
    <>
      <h1>Compare models</h1>
      <div class="models-bar">
        <ModelTermBox
          model={model.name}
          label="Ask both about"
          value={term}
          autofocus={!term}
          placeholder="a term"
          onChoose={(wanted) => replace({ term: wanted })}
        />
        <ModelChoice label="First model" value={model} onChange={(name) => replace({ model: name, other: second.name })} />
        <ModelChoice label="Second model" value={second} onChange={(other) => replace({ other })} />
      </div>
      {term ? (
        <Tabs
          label="Direction"
          active={direction}
          onChange={(way) => replace({ way: way === "broader" ? undefined : way })}
          tabs={[
            { name: "broader", title: "Broader" },
            { name: "narrower", title: "Narrower" },
          ]}
        >
          <BothModels key={`${direction} ${term}`} first={model} second={second} term={term} direction={direction} />
        </Tabs>
      ) : (
        <EmptyState icon="models" title="Ask both models">
          <p>Type a term: the answers of each model appear side by side, and those they share are marked.</p>
        </EmptyState>
      )}
    </>
  );
}

function ModelChoice({ label, value, onChange }: { label: string; value: ModelInfo; onChange: (name: string) => void }) {
  const { server } = useExplorer();
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <select class="input" value={value.name} onChange={(event) => onChange(event.currentTarget.value)}>
        {server.models.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

interface BothModelsProps {
  first: ModelInfo;
  second: ModelInfo;
  term: string;
  direction: Direction;
}

function useAnswers(model: ModelInfo, term: string, direction: Direction): Request<AnswersReply> {
  const ask = direction === "broader" ? api.hypernyms : api.hyponyms;
  return useRequest(`${model.name} ${term} ${direction}`, (signal) => ask(model.name, term, TOP, signal));
}

const termsOf = (answers: AnswersReply | undefined): string[] => (answers?.results[0]?.answers ?? []).map(({ term }) => term);

function BothModels({ first, second, term, direction }: BothModelsProps) {
  const { parameters, replace } = useExplorer();
  const left = useAnswers(first, term, direction);
  const right = useAnswers(second, term, direction);
  const leftAnswers = shown(left);
  const rightAnswers = shown(right);
  const rightTerms = new Set(termsOf(rightAnswers));
  const shared = new Set(termsOf(leftAnswers).filter((answer) => rightTerms.has(answer)));
  return (
    <>
      <div class="headline">
        <h2 class="headword">{term}</h2>
        {leftAnswers && rightAnswers && (
          <BothExport term={term} direction={direction} models={[first, second]} answers={[leftAnswers, rightAnswers]} />
        )}
      </div>
      <div class="columns">
        {[
          { model: first, request: left, side: "left" },
          { model: second, request: right, side: "right" },
        ].map(({ model, request, side }) => {
          const answers = shown(request);
          const table = answers?.results[0];
          return (
            <section key={side} class="panel" aria-label={model.name}>
              <header class="panel-head">
                <h2>{model.name}</h2>
                <p class="muted">
                  {model.words.toLocaleString("en")} words, {model.terms.toLocaleString("en")} terms
                </p>
              </header>
              {request.state === "failed" && <ErrorState error={request.error} />}
              {request.state === "loading" && !table && <Loading label={`Asking ${model.name}`} />}
              {table && (
                <AnswerList
                  model={model.name}
                  table={table}
                  calibrated={answers.calibrated}
                  direction={direction}
                  opened={parameters[side]}
                  onOpen={(opened) => replace({ [side]: opened })}
                  shared={shared}
                />
              )}
            </section>
          );
        })}
      </div>
    </>
  );
}

interface BothExportProps {
  term: string;
  direction: Direction;
  models: [ModelInfo, ModelInfo];
  answers: [AnswersReply, AnswersReply];
}

function BothExport({ term, direction, models, answers }: BothExportProps) {
  const rows = answers.flatMap((given, place) =>
    (given.results[0]?.answers ?? []).map((answer) => [
      models[place]!.name,
      term,
      answer.term,
      answer.confidence ?? answer.score,
      answer.statements,
    ]),
  );
  const table = { columns: ["model", "term", direction, "confidence", "statements"], rows };
  const title = `${term} in ${models[0].name} and ${models[1].name}`;
  const [first, second] = answers;
  return (
    <Export
      title={title}
      files={tableFiles(table, answers)}
      markdown={() => tableMarkdown(title, table)}
      picture={() => answersPicture(title, answers.map((given, place) => ({ heading: models[place]!.name, answers: given })))}
      command={joinCommands(first.command, second.command)}
    />
  );
}
