/** A text box that completes terms, as the ARIA practices have a combobox with a list. */

import { useEffect, useId, useRef, useState } from "preact/hooks";

export interface Choice {
  term: string;
  /** A short remark at the end of the line. */
  note?: string;
}

interface TermBoxProps {
  label: string;
  hideLabel?: boolean;
  placeholder?: string;
  value?: string;
  autofocus?: boolean;
  large?: boolean;
  /** Choices for a text; an outdated question is aborted. */
  complete: (text: string, signal: AbortSignal) => Promise<Choice[]>;
  onChoose: (term: string) => void;
  /** A suggestion only fills the box, and Enter chooses what is in it: for forms with a button of their own. */
  fills?: boolean;
  /** Every text that is typed, for forms that read it at the end. */
  onType?: (text: string) => void;
}

const PAUSE = 90; // milliseconds without a key before the server is asked

export function TermBox(props: TermBoxProps) {
  const { label, value = "", complete, onChoose, onType } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const [typed, setTyped] = useState(false);
  const [choices, setChoices] = useState<Choice[]>([]);
  const [active, setActive] = useState(-1);

  useEffect(() => setText(value), [value]);

  useEffect(() => {
    if (props.autofocus) input.current?.focus();
  }, []);

  useEffect(() => {
    if (!typed || !text.trim()) {
      setChoices([]);
      return undefined;
    }
    const controller = new AbortController();
    const timer = setTimeout(() => {
      complete(text, controller.signal).then(
        (completed) => {
          if (controller.signal.aborted) return;
          setChoices(completed);
          setActive(-1);
        },
        () => {
          if (!controller.signal.aborted) setChoices([]); // a completion that fails only means no list
        },
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, typed]);

  const close = () => {
    setTyped(false);
    setChoices([]);
    setActive(-1);
  };
  const choose = (term: string) => {
    if (!term.trim()) return;
    setText(term);
    close();
    onChoose(term.trim());
  };
  const pick = (term: string) => {
    if (!props.fills) return choose(term);
    setText(term);
    close();
    onType?.(term);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!choices.length) return;
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      setActive((active + step + choices.length + (active < 0 && step < 0 ? 1 : 0)) % choices.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const picked = choices[active];
      if (picked) pick(picked.term);
      else choose(text);
    } else if (event.key === "Escape" && choices.length) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };

  const expanded = choices.length > 0;
  return (
    <div class={props.large ? "term-box term-box-large" : "term-box"}>
      <label class={props.hideLabel ? "visually-hidden" : "field-label"} for={`${id}-input`}>
        {label}
      </label>
      <input
        ref={input}
        id={`${id}-input`}
        class="input"
        type="text"
        role="combobox"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder={props.placeholder}
        aria-autocomplete="list"
        aria-expanded={expanded}
        aria-controls={`${id}-list`}
        aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setTyped(true);
          onType?.(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      <ul id={`${id}-list`} class="choices" role="listbox" aria-label={`${label}: suggestions`} hidden={!expanded}>
        {choices.map(({ term, note }, place) => (
          <li
            key={term}
            id={`${id}-${place}`}
            class={place === active ? "choice choice-active" : "choice"}
            role="option"
            aria-selected={place === active}
            // a press must not take the focus from the box, or its blur would close the list before the click
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => pick(term)}
          >
            <span>{term}</span>
            {note && <span class="choice-note">{note}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
