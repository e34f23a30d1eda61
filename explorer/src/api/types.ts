/** The JSON of `/api/v1`, as `docs/http.md` describes it. */

export interface Command {
  cli: string;
  python: string;
}

export interface CorrectionsInfo {
  version: string;
  entries: number;
  writable: boolean;
  file: string;
}

export interface Model {
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
  command: Command;
}

export interface ExportFormat {
  name: string;
  extension: string;
  media_type: string;
  title: string;
}

export interface Server {
  version: string;
  read_only: boolean;
  models: Model[];
  limits: Record<string, number>;
  formats: ExportFormat[];
}

export interface Suggestion {
  term: string;
  kind: "word" | "term";
  frequency: number;
  match: "exact" | "prefix" | "inside" | "spelling";
}

/** A sentence of the text; spans are [start, end) in Unicode code points. */
export interface Evidence {
  sentence: string;
  pattern: string;
  document: number;
  hyponym_span: [number, number];
  hypernym_span: [number, number];
}

export type Signal = "head" | "patterns" | "inclusion" | "generality" | "similarity";

export interface Answer {
  term: string;
  confidence: number | null;
  rank_score: number;
  signals: Signal[];
  statements: number;
  evidence: Evidence[];
  /** The group it belongs to, where answers were asked for by sense. */
  sense: number | null;
}

export interface Unknown {
  message: string;
  near: string[];
}

export interface AnswerTable {
  term: string;
  known: boolean;
  answers: Answer[];
  notes: string[];
  unknown: Unknown | null;
}

export interface Answers {
  model: string;
  score: string;
  calibrated: boolean;
  results: AnswerTable[];
  command: Command;
}

export interface Neighbour {
  term: string;
  similarity: number;
  frequency: number;
}

export interface SimilarAnswers {
  model: string;
  results: { term: string; known: boolean; neighbours: Neighbour[]; notes: string[]; unknown: Unknown | null }[];
  command: Command;
}

export interface PairEvidence {
  model: string;
  hyponym: string;
  hypernym: string;
  statements: number;
  patterns: { pattern: string; statements: number }[];
  head: boolean;
  sentences_kept: boolean;
  evidence: Evidence[];
  stated_hypernyms: { term: string; statements: number }[];
  command: Command;
}

export interface SharedDimension {
  dimension: number;
  label: string;
  values: number[];
  further: string[];
}

export interface Comparison {
  model: string;
  words: string[];
  dimensions: SharedDimension[];
  included: number[][];
  more: number;
  notes: string[];
  command: Command;
}

export interface Topic {
  dimension: number;
  label: string;
  words: string[];
  further: string[];
  size: number;
  share: number;
  status: string;
}

export interface Topics {
  model: string;
  topics: Topic[];
  notes: string[];
  command: Command;
}

export interface GeneralWords {
  model: string;
  query: string | null;
  words: { term: string; value: number }[];
  command: Command;
}

export interface TaxonomyRequest {
  model?: string;
  root?: string;
  top?: number;
  terms?: string[];
  min_confidence?: number;
}

export type JobState = "waiting" | "running" | "done" | "failed" | "cancelled";

export interface Job {
  id: string;
  state: JobState;
  model: string;
  stage: string;
  done: number;
  total: number | null;
  unit: string;
  seconds: number;
  seconds_left: number | null;
  terms: number | null;
  edges: number | null;
  corrections_version: string;
  error: ErrorBody | null;
  command: Command;
}

export type Reason = "model" | "head" | "ending" | "expert";

export interface Edge {
  child: string;
  parent: string;
  confidence: number | null;
  score: number | null;
  statements: number;
  reason: Reason;
  evidence: Evidence[];
}

export interface Taxonomy {
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
  command: Command;
}

export interface WorklistEdge extends Edge {
  alternatives: { term: string; confidence: number | null; rank_score: number }[];
}

export interface Worklist {
  id: string;
  version: string;
  edges: WorklistEdge[];
  left: number;
}

export interface Entry {
  verb: "force" | "forbid" | "root" | "merge" | "rename" | "add";
  term: string;
  other: string | null;
}

export interface Corrections {
  model: string;
  version: string;
  writable: boolean;
  file: string;
  entries: Entry[];
  command: Command;
}

export type Operation =
  | { op: "accept"; child: string; parent: string }
  | { op: "reject"; child: string; parent: string }
  | { op: "move"; child: string; parent: string | null }
  | { op: "merge"; term: string; into: string }
  | { op: "rename"; term: string; name: string }
  | { op: "add"; term: string; parent?: string | null }
  | { op: "edit"; add: Entry[]; remove: Entry[] };

export interface Correction {
  model: string;
  version: string;
  added: Entry[];
  removed: Entry[];
  entries: Entry[];
  undo: Operation;
}

export interface ErrorBody {
  code: string;
  message: string;
  hint: string;
  near: string[];
  version?: string;
}
