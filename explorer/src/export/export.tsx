/** Everything that can be taken from a view: files, a picture, Markdown, a link, and the command that gives it. */

import { useState } from "preact/hooks";

import type { Commands } from "../api/types";
import { Dialog } from "../components/dialog";
import { Icon } from "../components/icon";
import { toPng } from "./drawing";
import { fileStem, saveBlob, saveText, toMarkdown, toTsv, type Table } from "./files";

export type FileOffer =
  | { title: string; detail: string; href: string }
  | { title: string; detail: string; content: () => string; extension: string; type: string };

export interface ExportProps {
  /** What is on screen; also the name of files. */
  title: string;
  /** What is left out, if anything is. */
  note?: string | undefined;
  files: FileOffer[];
  markdown: () => string;
  picture?: (() => string) | undefined;
  command: Commands;
}

/** The files of a view whose content is a table. */
export function tableFiles(table: Table, json: unknown): FileOffer[] {
  return [
    { title: "TSV", detail: "for a spreadsheet", content: () => toTsv(table), extension: "tsv", type: "text/tab-separated-values" },
    {
      title: "JSON",
      detail: "everything, for a program",
      content: () => `${JSON.stringify(json, null, 2)}\n`,
      extension: "json",
      type: "application/json",
    },
  ];
}

export const tableMarkdown = (title: string, table: Table): string => `**${title}**\n\n${toMarkdown(table)}`;

export function Export(props: ExportProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        <Icon name="share" size={18} />
        Export
      </button>
      {open && <ExportDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function ExportDialog(props: ExportProps & { onClose: () => void }) {
  const { title, note, files, markdown, picture, command, onClose } = props;
  const stem = fileStem(title);
  return (
    <Dialog title="Export" onClose={onClose}>
      <p class="muted">
        {title}
        {note && `. ${note}`}
      </p>
      <h3>Files</h3>
      <ul class="offers">
        {files.map((file) => (
          <li key={file.title}>
            {"href" in file ? (
              <a class="offer" href={file.href} download="">
                <strong>{file.title}</strong> <span>{file.detail}</span>
              </a>
            ) : (
              <button
                type="button"
                class="offer"
                onClick={() => saveText(file.content(), `${stem}.${file.extension}`, file.type)}
              >
                <strong>{file.title}</strong> <span>{file.detail}</span>
              </button>
            )}
          </li>
        ))}
        {picture && (
          <>
            <li>
              <button type="button" class="offer" onClick={() => saveText(picture(), `${stem}.svg`, "image/svg+xml")}>
                <strong>SVG</strong> <span>picture of this view</span>
              </button>
            </li>
            <li>
              <button
                type="button"
                class="offer"
                onClick={() => void toPng(picture()).then((blob) => saveBlob(blob, `${stem}.png`))}
              >
                <strong>PNG</strong> <span>picture of this view</span>
              </button>
            </li>
          </>
        )}
      </ul>
      <h3>Copy</h3>
      <div class="button-row">
        <CopyButton label="Copy as Markdown" content={markdown} />
        <CopyButton label="Copy link to this view" content={() => location.href} />
      </div>
      <h3>Show the command</h3>
      <CodeBlock name="Command line" code={command.cli} />
      <CodeBlock name="Python" code={command.python} />
    </Dialog>
  );
}

function CodeBlock({ name, code }: { name: string; code: string }) {
  return (
    <div class="code">
      <div class="code-head">
        <span>{name}</span>
        <CopyButton label="Copy" about={name} content={() => code} />
      </div>
      <pre tabIndex={0} aria-label={name}>
        <code>{code}</code>
      </pre>
    </div>
  );
}

function CopyButton({ label, about, content }: { label: string; about?: string; content: () => string }) {
  const [copied, setCopied] = useState<"" | "Copied" | "Not allowed by the browser">("");
  const copy = () =>
    navigator.clipboard.writeText(content()).then(
      () => setCopied("Copied"),
      () => setCopied("Not allowed by the browser"),
    );
  return (
    <button type="button" class="button button-small" aria-label={about ? `${label}: ${about}` : undefined} onClick={copy}>
      <Icon name={copied === "Copied" ? "check" : "copy"} size={16} />
      <span aria-live="polite">{copied || label}</span>
    </button>
  );
}
