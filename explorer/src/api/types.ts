/** The messages of the HTTP API, made by tools/explorer_types.py of its OpenAPI description. */

/** The edge is right. */
export interface Accept {
  op: "accept";
  child: string;
  parent: string;
  keep_others?: boolean;
}

/** A new term, under a parent if one is given. */
export interface Add {
  op: "add";
  term: string;
  parent?: string | null;
}

/** An answer: its confidence, or its score where that is not calibrated; its group, if senses were requested. */
export interface AnswerReply {
  term: string;
  confidence: number | null;
  score: number | null;
  signals: string[];
  statements: number;
  evidence: Evidence[];
  sense: number | null;
}

/** A question for hyponyms with long lists. */
export interface AnswersContent {
  model?: string | null;
  top?: number;
  min_confidence?: number | null;
  score?: string | null;
  evidence?: number;
  block?: string[];
  terms: string[];
  candidates?: string[] | null;
}

/** The answers to each term, and the score by which they are ranked. */
export interface AnswersReply {
  model: string;
  score: string;
  calibrated: boolean;
  results: TermAnswers[];
  command: Commands;
}

/** What changed, the corrections after the change, and the operation that undoes it. */
export interface ChangeReply {
  model: string;
  version: string;
  added: Entry[];
  removed: Entry[];
  entries: Entry[];
  undo: Edit;
}

/** The shell line and the Python lines that give the same result. */
export interface Commands {
  cli: string;
  python: string;
}

/** Words side by side; `included[i][j]` is the share of word j that lies under word i. */
export interface CompareReply {
  model: string;
  words: string[];
  dimensions: Shared[];
  included: number[][];
  more: number;
  notes: string[];
  command: Commands;
}

/** Operations on the corrections of a version, all or none. */
export interface CorrectionsContent {
  version: string;
  operations: (Accept | Reject | Move | Merge | Rename | Add | Edit)[];
}

/** The corrections of a model: version, number, whether they can be changed, and the name of their file. */
export interface CorrectionsInfo {
  version: string;
  entries: number;
  writable: boolean;
  file: string;
}

/** The corrections of a model. */
export interface CorrectionsReply {
  model: string;
  version: string;
  writable: boolean;
  file: string;
  entries: Entry[];
  command: Commands;
}

/** One dimension: both values, and what that says about inclusion. */
export interface Dimension {
  dimension: number;
  label: string;
  hyponym: number;
  hypernym: number;
  verdict: string;
}

/** An edge to decide, and other likely parents of its child. */
export interface DoubtfulEdge {
  child: string;
  parent: string;
  confidence: number | null;
  score: number | null;
  statements: number;
  reason: string;
  evidence: Evidence[];
  alternatives: OtherParent[];
}

/** `child` is a kind of `parent`. */
export interface Edge {
  child: string;
  parent: string;
  confidence: number | null;
  score: number | null;
  statements: number;
  reason: string;
  evidence: Evidence[];
}

/** Exactly these entries are added and removed; `undo` is of this kind. */
export interface Edit {
  op: "edit";
  add?: Entry[];
  remove?: Entry[];
}

/** A line of the file of corrections; `other` is null for root and add. */
export interface Entry {
  verb: "force" | "forbid" | "root" | "merge" | "rename" | "add";
  term: string;
  other?: string | null;
}

/** A sentence that states that one term is a kind of another; `spans` are the characters of both, hyponym first. */
export interface Evidence {
  sentence: string;
  pattern: string;
  document: number;
  spans: [[number, number], [number, number]];
}

/** What the text states about a pair. */
export interface EvidenceReply {
  model: string;
  hyponym: string;
  hypernym: string;
  statements: number;
  patterns: PatternCount[];
  head: boolean;
  sentences_kept: boolean;
  evidence: Evidence[];
  stated_hypernyms: StatedTerm[];
  command: Commands;
}

/** A pair dimension by dimension, and the verdict of every score. */
export interface ExplainReply {
  model: string;
  hyponym: string;
  hypernym: string;
  included: number;
  signals: string[];
  against: string[];
  statements: number | null;
  al1: Record<string, number>;
  dimensions: Dimension[];
  scores: VerdictReply[];
  notes: string[];
  command: Commands;
}

/** An error: a code for programs, a message, a hint, similar spellings; of a conflict also the present version. */
export interface Failure {
  code: string;
  message: string;
  hint: string;
  near: string[];
  version?: string | null;
}

/** The body of every answer that is an error. */
export interface FailureReply {
  error: Failure;
}

/** A format to export a taxonomy in. */
export interface FormatInfo {
  name: string;
  extension: string;
  media_type: string;
  title: string;
}

/** The most general words. */
export interface GeneralReply {
  model: string;
  query: string | null;
  words: GeneralWord[];
  command: Commands;
}

/** A word and its sum, or its product with the query. */
export interface GeneralWord {
  term: string;
  value: number;
}

/** A question for hypernyms with long lists; with `senses` the answers are grouped. */
export interface HypernymsContent {
  model?: string | null;
  top?: number;
  min_confidence?: number | null;
  score?: string | null;
  evidence?: number;
  block?: string[];
  terms: string[];
  candidates?: string[] | null;
  senses?: boolean;
}

/** A taxonomy that is being built or finished: its progress, and its error if it failed. */
export interface JobReply {
  id: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  model: string;
  request: TaxonomyRequest;
  stage: string;
  done: number;
  total: number | null;
  unit: string;
  seconds: number;
  seconds_left: number | null;
  terms: number | null;
  edges: number | null;
  corrections_version: string;
  error: Failure | null;
  links: Record<string, string>;
  command: Commands;
}

/** The taxonomies of the server, the newest first. */
export interface JobsReply {
  taxonomies: JobReply[];
}

/** The term is another name of a second one. */
export interface Merge {
  op: "merge";
  term: string;
  into: string;
}

/** A served model: its size, what it contains, and its corrections. */
export interface ModelInfo {
  name: string;
  packaged: boolean;
  words: number;
  terms: number;
  dimensions: number;
  tokens: number | null;
  patterns: boolean;
  sentences: boolean;
  calibrated: boolean;
  score: string;
  topics: boolean;
  corrections: CorrectionsInfo;
  command: Commands;
}

/** The served models; the first is the default. */
export interface ModelsReply {
  models: ModelInfo[];
}

/** The child belongs under another parent; null is the top. */
export interface Move {
  op: "move";
  child: string;
  parent: string | null;
}

/** A near word, the cosine, and how often the word occurs in the text. */
export interface Neighbour {
  term: string;
  similarity: number;
  frequency: number;
}

/** Another likely parent: its confidence, or its score where that is not calibrated. */
export interface OtherParent {
  term: string;
  confidence: number | null;
  score: number | null;
}

/** How often a pattern states a pair. */
export interface PatternCount {
  pattern: string;
  statements: number;
}

/** The edge is wrong. */
export interface Reject {
  op: "reject";
  child: string;
  parent: string;
}

/** The term is shown under another name. */
export interface Rename {
  op: "rename";
  term: string;
  name: string;
}

/** Pairs (hyponym, hypernym) to score. */
export interface ScoreContent {
  pairs: [string, string][];
  model?: string | null;
  scores?: string[] | null;
}

/** A score of the table. */
export interface ScoreInfo {
  name: string;
  ascii: string;
  kind: string;
  formula: string;
  range: string;
  symmetric: boolean;
}

/** Pairs and their scores. */
export interface ScoreReply {
  model: string;
  scores: string[];
  pairs: ScoredPair[];
  command: Commands;
}

/** The value of each score for a pair; null if a term is unknown. */
export interface ScoredPair {
  hyponym: string;
  hypernym: string;
  values: (number | null)[];
  unknown: string[];
}

/** The scores that a model allows. */
export interface ScoresReply {
  model: string;
  scores: ScoreInfo[];
}

/** The server: version, models, limits and formats. */
export interface ServerReply {
  version: string;
  read_only: boolean;
  models: ModelInfo[];
  limits: Record<string, number>;
  formats: FormatInfo[];
}

/** One dimension: its first words, some of its words 51–105, and the value of each compared word. */
export interface Shared {
  dimension: number;
  label: string;
  values: number[];
  further: string[];
}

/** The nearest words of each term. */
export interface SimilarReply {
  model: string;
  results: TermNeighbours[];
  command: Commands;
}

/** A term that the text calls a hypernym of another, and how often. */
export interface StatedTerm {
  term: string;
  statements: number;
}

/** Completions of a text. */
export interface SuggestReply {
  model: string;
  q: string;
  suggestions: Suggestion[];
}

/** A word or a term (`kind`), how often the text has it, and why it is suggested. */
export interface Suggestion {
  term: string;
  kind: string;
  frequency: number;
  match: string;
}

/** The taxonomy of a root, of the most useful `top` terms, or of a list of terms. */
export interface TaxonomyRequest {
  model?: string | null;
  root?: string | null;
  top?: number | null;
  terms?: string[] | null;
  levels?: number | null;
  min_children?: number;
  max_children?: number | null;
  min_confidence?: number | null;
  score?: string | null;
  parents?: number;
  heads?: boolean;
  evidence?: number;
  corrections?: boolean;
}

/** The answers to one term; without answers the notes give the reason, or `unknown` similar spellings. */
export interface TermAnswers {
  term: string;
  known: boolean;
  answers: AnswerReply[];
  notes: string[];
  unknown: UnknownTerm | null;
}

/** The nearest words of one term. */
export interface TermNeighbours {
  term: string;
  known: boolean;
  neighbours: Neighbour[];
  notes: string[];
  unknown: UnknownTerm | null;
}

/** A dimension (from 0): label, first words, some of its words 51–105, how many words it has, its share of mass. */
export interface Topic {
  dimension: number;
  label: string;
  words: string[];
  further: string[];
  size: number;
  share: number;
  status: string;
}

/** The dimensions of a model, those with the most mass first. */
export interface TopicsReply {
  model: string;
  topics: Topic[];
  notes: string[];
  command: Commands;
}

/** A finished taxonomy; `stale` means that corrections changed since it was built. */
export interface TreeReply {
  id: string;
  model: string;
  version: string;
  stale: boolean;
  score: string;
  calibrated: boolean;
  measure: "confidence" | "score";
  terms: string[];
  edges: Edge[];
  roots: string[];
  unplaced: string[];
  added: string[];
  unknown: string[];
  synonyms: Record<string, string[]>;
  notes: string[];
  command: Commands;
}

/** A term that the model does not contain, and similar spellings that it does. */
export interface UnknownTerm {
  message: string;
  near: string[];
}

/** The verdict of a score about a pair; `place` is that of the hypernym among all words. */
export interface VerdictReply {
  score: string;
  value: number | null;
  reverse: number | null;
  place: number;
  of: number;
  verdict: string;
}

/** The edges of least confidence that no correction decides; `left` counts all of them. */
export interface WorklistReply {
  id: string;
  version: string;
  edges: DoubtfulEdge[];
  left: number;
}
