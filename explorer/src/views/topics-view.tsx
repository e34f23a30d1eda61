/** Topics: what each dimension of a model is about, and which words are most general. */

import { api } from "../api/client";
import type { GeneralReply, Topic, TopicsReply } from "../api/types";
import { ModelTermBox } from "../components/model-term-box";
import { EmptyState, ErrorState, Loading } from "../components/states";
import { useExplorer } from "../state/explorer";
import { shown, useRequest } from "../state/use-request";
import { topicsPicture } from "../export/pictures";
import { Export, tableFiles, tableMarkdown } from "../export/export";

export function TopicsView() {
  const { model, parameters, replace } = useExplorer();
  const request = useRequest(model.topics ? model.name : null, (signal) => api.topics(model.name, signal));
  const topics = shown(request);
  if (!model.topics) {
    return (
      <EmptyState icon="topics" title="This model has no topics">
        <p>Topics are the dimensions of a DIVE model, as “hyperdive train” makes it.</p>
      </EmptyState>
    );
  }
  const wanted = (parameters["find"] ?? "").trim().toLowerCase();
  const found = (topics?.topics ?? []).filter((topic) => hasWord(topic, wanted));
  return (
    <>
      <div class="headline">
        <div>
          <h1>Topics</h1>
          <p class="muted">{topics?.notes.join(" ")}</p>
        </div>
        <div class="button-row">
          <label class="field">
            <span class="visually-hidden">Find a word in the topics</span>
            <input
              class="input"
              type="search"
              placeholder="Find a word"
              value={parameters["find"] ?? ""}
              onInput={(event) => replace({ find: event.currentTarget.value })}
            />
          </label>
          {topics && <TopicsExport topics={{ ...topics, topics: found }} />}
        </div>
      </div>
      <div class="topics-columns">
        <section aria-label="Topics">
          {request.state === "failed" && <ErrorState error={request.error} />}
          {request.state === "loading" && !topics && <Loading label="Reading the topics" lines={12} />}
          {topics && !found.length && (
            <EmptyState icon="topics" title="No topic has this word in front">
              <p>Each card lists the most general words of its topic.</p>
            </EmptyState>
          )}
          <ul class="topic-grid">
            {found.map((topic) => (
              <TopicCard key={topic.dimension} topic={topic} largest={topics!.topics[0]?.share ?? 1} />
            ))}
          </ul>
        </section>
        <GeneralPanel />
      </div>
    </>
  );
}

function hasWord({ words, further, label }: Topic, wanted: string): boolean {
  return !wanted || [...words, ...further, label].some((word) => word.toLowerCase().includes(wanted));
}

function TopicCard({ topic, largest }: { topic: Topic; largest: number }) {
  const { hrefTo } = useExplorer();
  const { dimension, label, words, further, size, share, status } = topic;
  return (
    <li class="panel topic">
      <h2>{label}</h2>
      <p class="topic-facts">
        <svg class="bar bar-strong" width="64" height="6" aria-hidden="true" focusable="false">
          <rect class="bar-track" width="100%" height="6" rx="3" />
          <rect class="bar-fill" width={`${Math.max(3, (100 * share) / largest)}%`} height="6" rx="3" />
        </svg>
        <span>{(100 * share).toFixed(1)} % of all</span>
        <span>{size.toLocaleString("en")} words</span>
        <span>no. {dimension}</span>
        {status !== "ok" && <span class="chip chip-warn">{status}</span>}
      </p>
      <ul class="chips">
        {words.map((word) => (
          <li key={word}>
            <a class="chip chip-link" href={hrefTo("ask", { term: word })}>
              {word}
            </a>
          </li>
        ))}
      </ul>
      {further.length > 0 && <p class="muted further-words">later: {further.slice(0, 6).join(", ")}</p>}
    </li>
  );
}

function GeneralPanel() {
  const { model, parameters, replace } = useExplorer();
  const query = parameters["about"];
  const request = useRequest(`${model.name} ${query ?? ""}`, (signal) => api.general(model.name, query, signal));
  const general = shown(request);
  return (
    <aside class="panel general" aria-label="Most general words">
      <h2>Most general words</h2>
      <ModelTermBox
        model={model.name}
        label="Within the topics of"
        value={query ?? ""}
        placeholder="all topics"
        onChoose={(term) => replace({ about: term })}
      />
      {query && (
        <button type="button" class="link" onClick={() => replace({ about: undefined })}>
          All topics
        </button>
      )}
      {request.state === "failed" && <ErrorState error={request.error} />}
      {general && <GeneralList general={general} />}
    </aside>
  );
}

function GeneralList({ general }: { general: GeneralReply }) {
  const { hrefTo } = useExplorer();
  const largest = Math.max(1e-9, ...general.words.map(({ value }) => value));
  return (
    <ol class="general-list">
      {general.words.map(({ term, value }) => (
        <li key={term}>
          <a href={hrefTo("ask", { term })}>{term}</a>
          <svg class="bar bar-strong" width="72" height="6" aria-hidden="true" focusable="false">
            <rect class="bar-fill" width={`${(100 * value) / largest}%`} height="6" rx="3" />
          </svg>
          <span class="muted">{value.toFixed(1)}</span>
        </li>
      ))}
    </ol>
  );
}

function TopicsExport({ topics }: { topics: TopicsReply }) {
  const table = {
    columns: ["dimension", "label", "words", "size", "share", "status"],
    rows: topics.topics.map(({ dimension, label, words, size, share, status }) => [
      dimension,
      label,
      words.join(", "),
      size,
      share,
      status,
    ]),
  };
  const title = `Topics of ${topics.model}`;
  return (
    <Export
      title={title}
      files={tableFiles(table, topics)}
      markdown={() => tableMarkdown(title, table)}
      picture={() => topicsPicture(title, topics.topics)}
      command={topics.command}
    />
  );
}
