/** Compare: words over the dimensions they have, as in the paper's figure; what includes what, and where it fails. */

import { api } from "../api/client";
import type { CompareReply, Shared } from "../api/types";
import { Icon } from "../components/icon";
import { ModelTermBox } from "../components/model-term-box";
import { EmptyState, ErrorState, Loading } from "../components/states";
import { useExplorer } from "../state/explorer";
import { shown, useRequest } from "../state/use-request";
import { comparisonPicture } from "../export/pictures";
import { Export, tableFiles, tableMarkdown } from "../export/export";
import { byExcess, excess, HIDDEN, inclusions } from "../taxonomy/inclusion";

const MOST_WORDS = 6;
const EXAMPLES = ["mammal, rodent", "fruit, apple, pear", "music, jazz", "disease, malaria"];

export function CompareView() {
  const { model, parameters, replace, hrefTo } = useExplorer();
  const terms = (parameters["terms"] ?? "").split(",").map((term) => term.trim()).filter(Boolean);
  const setTerms = (next: string[]) => replace({ terms: next.join(", ") });
  const request = useRequest(model.topics && terms.length > 1 ? `${model.name} ${terms.join()}` : null, (signal) =>
    api.compare(model.name, terms, signal),
  );
  const comparison = shown(request);
  if (!model.topics) {
    return (
      <EmptyState icon="compare" title="This model has no dimensions to compare">
        <p>Comparisons need a DIVE model, as “hyperdive train” makes it.</p>
      </EmptyState>
    );
  }
  return (
    <>
      <div class="headline">
        <h1>Compare words</h1>
        {comparison && <CompareExport comparison={comparison} />}
      </div>
      <div class="compare-words">
        <ul class="chips" aria-label="Compared words">
          {terms.map((term) => (
            <li key={term} class={`chip chip-word word-${(comparison?.words.indexOf(term.toLowerCase()) ?? -1) + 1}`}>
              <span class="swatch" />
              {term}
              <button
                type="button"
                class="chip-remove"
                aria-label={`Remove ${term}`}
                onClick={() => setTerms(terms.filter((other) => other !== term))}
              >
                <Icon name="cross" size={14} />
              </button>
            </li>
          ))}
        </ul>
        {terms.length < MOST_WORDS && (
          <ModelTermBox
            key={terms.length}
            model={model.name}
            label="Add a word"
            hideLabel
            placeholder={terms.length ? "Add a word" : "First word"}
            autofocus={terms.length > 0 && terms.length < 2}
            onChoose={(term) => terms.includes(term) || setTerms([...terms, term])}
          />
        )}
      </div>
      {terms.length < 2 && (
        <EmptyState icon="compare" title={terms.length ? "One more word" : "Two words or more"}>
          <p>A broader word should have at least as much as a narrower one in every dimension. See where it does.</p>
          <ul class="chips chips-centred">
            {EXAMPLES.map((example) => (
              <li key={example}>
                <a class="chip chip-link" href={hrefTo("compare", { terms: example })}>
                  {example}
                </a>
              </li>
            ))}
          </ul>
        </EmptyState>
      )}
      {request.state === "failed" && <ErrorState error={request.error} />}
      {request.state === "loading" && !comparison && <Loading label="Comparing" lines={10} />}
      {terms.length > 1 && comparison && <ComparisonFigure comparison={comparison} />}
    </>
  );
}

function ComparisonFigure({ comparison }: { comparison: CompareReply }) {
  const { parameters, replace } = useExplorer();
  const { words } = comparison;
  const failing = parameters["sort"] === "fails";
  const dimensions = failing ? byExcess(comparison.dimensions) : comparison.dimensions;
  const largest = Math.max(1e-9, ...dimensions.flatMap(({ values }) => values));
  return (
    <>
      <ul class="inclusions" aria-label="What includes what">
        {inclusions(comparison).map(({ broader, narrower, share }) => (
          <li key={`${broader} ${narrower}`} class="inclusion">
            <strong>{Math.round(100 * share)} %</strong>
            <span>
              of <em>{narrower}</em> lies under <em>{broader}</em>
            </span>
          </li>
        ))}
      </ul>
      <section class="panel figure" aria-label="Dimension by dimension">
        <header class="panel-head figure-head">
          <div class="legend">
            {words.map((word, place) => (
              <span key={word} class={`legend-word word-${place + 1}`}>
                <span class="swatch" />
                {word}
              </span>
            ))}
            <span class="legend-word">
              <span class="swatch swatch-fails" />
              more than {words[0]}: inclusion fails
            </span>
          </div>
          <label class="check">
            <input
              type="checkbox"
              checked={failing}
              onChange={(event) => replace({ sort: event.currentTarget.checked ? "fails" : undefined })}
            />
            failures first
          </label>
        </header>
        <table class="figure-table">
          <caption class="visually-hidden">Values of {words.join(", ")} in each dimension</caption>
          <thead>
            <tr>
              <th scope="col">Dimension</th>
              <th scope="col">
                <span class="visually-hidden">Bars</span>
              </th>
              {words.map((word) => (
                <th key={word} scope="col" class="figure-value">
                  {word}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {dimensions.map((dimension) => (
              <DimensionRow key={dimension.dimension} dimension={dimension} words={words} largest={largest} />
            ))}
          </tbody>
        </table>
        {comparison.more > 0 && <p class="muted">{comparison.more} more dimensions</p>}
      </section>
    </>
  );
}

const BAR = 8;
const GAP = 3;

function DimensionRow({ dimension, words, largest }: { dimension: Shared; words: readonly string[]; largest: number }) {
  const { values, label, further } = dimension;
  const broadest = values[0] ?? 0;
  const percent = (value: number) => `${(100 * value) / largest}%`;
  return (
    <tr class={excess(dimension) >= HIDDEN ? "fails" : undefined}>
      <th scope="row">
        {label}
        <span class="further">{further.join(" ")}</span>
      </th>
      <td class="figure-bars">
        <svg width="100%" height={values.length * (BAR + GAP)} aria-hidden="true" focusable="false">
          {values.map((value, place) => (
            <g key={place} class={`word-${place + 1}`}>
              <title>{`${words[place]}: ${value.toFixed(2)}`}</title>
              <rect class="word-bar" y={place * (BAR + GAP)} width={percent(Math.min(value, place ? broadest : value))} height={BAR} rx="2" />
              {place > 0 && value > broadest && (
                <rect
                  class="excess-bar"
                  x={percent(broadest)}
                  y={place * (BAR + GAP)}
                  width={percent(value - broadest)}
                  height={BAR}
                  rx="2"
                />
              )}
            </g>
          ))}
        </svg>
      </td>
      {values.map((value, place) => (
        <td key={place} class="figure-value">
          {value >= HIDDEN ? value.toFixed(2) : "–"}
        </td>
      ))}
    </tr>
  );
}

function CompareExport({ comparison }: { comparison: CompareReply }) {
  const { words, dimensions, command } = comparison;
  const table = {
    columns: ["dimension", "label", ...words],
    rows: dimensions.map(({ dimension, label, values }) => [dimension, label, ...values]),
  };
  const title = words.join(" ");
  return (
    <Export
      title={title}
      files={tableFiles(table, comparison)}
      markdown={() => tableMarkdown(title, table)}
      picture={() => comparisonPicture(comparison)}
      command={command}
    />
  );
}
