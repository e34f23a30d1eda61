/** Which signals speak for an answer: four dots with names, filled where the signal agrees. */

const SIGNALS: readonly { name: string; says: string }[] = [
  { name: "patterns", says: "the text states it" },
  { name: "inclusion", says: "its contexts include the narrower term’s" },
  { name: "generality", says: "it is the more general one" },
  { name: "similarity", says: "the two are similar" },
];

export function Signals({ signals }: { signals: readonly string[] }) {
  const label = signals.length ? `signals: ${signals.join(", ")}` : "no signal agrees";
  return (
    <span class="signals" role="img" aria-label={label} title={label}>
      {SIGNALS.map(({ name }) => (
        <span key={name} class={signals.includes(name) ? "dot dot-on" : "dot"} />
      ))}
    </span>
  );
}

export function SignalList({ signals }: { signals: readonly string[] }) {
  return (
    <ul class="signal-list" aria-label="Signals">
      {signals.includes("head") && <li class="signal-on">head: the phrase ends with the broader term</li>}
      {SIGNALS.map(({ name, says }) => (
        <li key={name} class={signals.includes(name) ? "signal-on" : "signal-off"}>
          {name}: {signals.includes(name) ? says : "does not agree"}
        </li>
      ))}
    </ul>
  );
}
