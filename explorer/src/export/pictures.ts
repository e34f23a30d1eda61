/** Pictures of the views: answers, trees, comparisons, neighbourhoods, topics. */

import type { AnswersReply, CompareReply, Topic } from "../api/types";
import { formatValue } from "../components/confidence-bar";
import { edgeValue } from "../taxonomy/forest";
import type { Neighbourhood } from "../taxonomy/neighbourhood";
import type { Row } from "../taxonomy/rows";
import { Drawing, themePalette } from "./drawing";

const LETTER = 7.6; // pixels of a letter, on average
const LINE = 26;
const MARGIN = 24;
const MOST_ROWS = 2000; // a picture with more lines than this cannot be read, nor drawn as PNG

/** Lists of answers side by side. */
export function answersPicture(title: string, lists: readonly { heading: string; answers: AnswersReply }[]): string {
  const terms = lists.flatMap(({ answers }) => answers.results[0]?.answers ?? []).map(({ term }) => term.length * LETTER);
  const bars = Math.max(180, ...terms) + 10;
  const column = bars + 190;
  const lengths = lists.map(({ answers }) => answers.results[0]?.answers.length ?? 0);
  const height = 2 * MARGIN + 64 + LINE * Math.max(1, ...lengths);
  const drawing = new Drawing(2 * MARGIN + column * lists.length, height, themePalette());
  drawing.text(MARGIN, MARGIN + 16, title, { size: 22, bold: true });
  lists.forEach(({ heading, answers }, place) => {
    const left = MARGIN + place * column;
    drawing.text(left, MARGIN + 52, heading, { fill: drawing.palette.muted });
    const rows = answers.results[0]?.answers ?? [];
    const largest = Math.max(1e-9, ...rows.map(({ score }) => score ?? 0));
    if (!rows.length) drawing.text(left, MARGIN + 52 + LINE, "not known", { fill: drawing.palette.muted });
    rows.forEach((answer, row) => {
      const y = MARGIN + 52 + LINE * (row + 1);
      const value = answers.calibrated ? answer.confidence : answer.score;
      drawing.text(left, y, answer.term);
      drawing.bar(left + bars, y - 9, 100, answers.calibrated ? (answer.confidence ?? 0) : (answer.score ?? 0) / largest);
      drawing.text(left + bars + 150, y, formatValue(value, answers.calibrated), { anchor: "end" });
    });
  });
  return drawing.toString();
}

/** The rows of a tree as they are open on the screen. */
export function treePicture(title: string, rows: readonly Row[], calibrated: boolean): string {
  const drawn = rows.slice(0, MOST_ROWS);
  const deepest = Math.max(1, ...drawn.map(({ level }) => level));
  const longest = Math.max(12, ...drawn.map(({ term }) => term.length));
  const terms = deepest * 20 + longest * 8 + 40;
  const drawing = new Drawing(2 * MARGIN + terms + 150, 2 * MARGIN + 40 + LINE * drawn.length, themePalette());
  drawing.text(MARGIN, MARGIN + 16, title, { size: 22, bold: true });
  drawn.forEach((row, place) => {
    const y = MARGIN + 40 + LINE * (place + 1) - 8;
    const x = MARGIN + (row.level - 1) * 20;
    if (row.level > 1) drawing.path(`M${x - 12} ${y - LINE + 8}V${y - 5}h9`, drawing.palette.line);
    drawing.text(x, y, row.term, { bold: row.level === 1 });
    if (!row.edge) return;
    const value = edgeValue(row.edge);
    if (calibrated && value !== null) drawing.bar(MARGIN + terms, y - 9, 90, value);
    drawing.text(MARGIN + terms + 140, y, formatValue(value, calibrated), { anchor: "end", fill: drawing.palette.muted });
  });
  return drawing.toString();
}

/** The paper's figure: dimensions by the broadest word, a bar for each word. */
export function comparisonPicture(comparison: CompareReply): string {
  const { words, dimensions } = comparison;
  const bar = 8;
  const block = words.length * (bar + 2) + 12;
  const labels = 300;
  const width = 420;
  const drawing = new Drawing(2 * MARGIN + labels + width + 60, 2 * MARGIN + 60 + block * dimensions.length, themePalette());
  const { palette } = drawing;
  const largest = Math.max(1e-9, ...dimensions.flatMap(({ values }) => values));
  drawing.text(MARGIN, MARGIN + 16, words.join(" · "), { size: 22, bold: true });
  words.forEach((word, place) => {
    drawing.rect(MARGIN + labels + place * 110, MARGIN + 30, 12, 12, palette.words[place] ?? palette.ink, 2);
    drawing.text(MARGIN + labels + place * 110 + 18, MARGIN + 41, word);
  });
  dimensions.forEach(({ label, values }, row) => {
    const y = MARGIN + 60 + block * row;
    drawing.text(MARGIN + labels - 14, y + block / 2, label, { size: 13, anchor: "end", fill: palette.muted });
    values.forEach((value, place) => {
      drawing.rect(MARGIN + labels, y + place * (bar + 2), (width * value) / largest, bar, palette.words[place] ?? palette.ink, 2);
    });
  });
  return drawing.toString();
}

/** Dimensions with their words and their share of the model. */
export function topicsPicture(title: string, topics: readonly Topic[]): string {
  const block = 2 * LINE;
  const widest = Math.max(40, ...topics.map(({ words }) => words.join(", ").length));
  const drawing = new Drawing(2 * MARGIN + 150 + widest * LETTER, 2 * MARGIN + 40 + block * topics.length, themePalette());
  const { palette } = drawing;
  const largest = Math.max(1e-9, ...topics.map(({ share }) => share));
  drawing.text(MARGIN, MARGIN + 16, title, { size: 22, bold: true });
  topics.forEach(({ label, words, share }, place) => {
    const y = MARGIN + 40 + block * place + 20;
    drawing.rect(MARGIN, y - 9, (72 * share) / largest, 8, palette.strong, 4);
    drawing.text(MARGIN + 130, y, `${(100 * share).toFixed(1)} %`, { anchor: "end", fill: palette.muted });
    drawing.text(MARGIN + 150, y, label, { bold: true });
    drawing.text(MARGIN + 150, y + 20, words.join(", "), { size: 13, fill: palette.muted });
  });
  return drawing.toString();
}

/** A term with what is above and beneath it. */
export function neighbourhoodPicture(neighbourhood: Neighbourhood): string {
  const { width, height, nodes, links } = neighbourhood;
  const drawing = new Drawing(width, height, themePalette());
  for (const { path, width: thick, band } of links) drawing.path(path, drawing.palette[band], thick);
  for (const { x, y, term, anchor, focus } of nodes) {
    drawing.text(x, y + 5, term, { anchor, bold: focus });
  }
  return drawing.toString();
}
