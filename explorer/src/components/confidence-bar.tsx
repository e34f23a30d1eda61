/** A value from 0 to 1 as a bar whose length and colour say the same; the number beside it says it in words. */

export type Band = "strong" | "good" | "fair" | "weak";

export function bandOf(value: number): Band {
  if (value >= 0.9) return "strong";
  if (value >= 0.7) return "good";
  return value >= 0.5 ? "fair" : "weak";
}

export function formatValue(value: number | null, calibrated = true): string {
  if (value === null) return "–";
  return calibrated ? value.toFixed(2) : value.toPrecision(3);
}

export function ConfidenceBar({ value, width = 96 }: { value: number; width?: number }) {
  const share = Math.max(0, Math.min(1, value));
  return (
    <svg class={`bar bar-${bandOf(share)}`} width={width} height="8" aria-hidden="true" focusable="false">
      <rect class="bar-track" width="100%" height="8" rx="4" />
      <rect class="bar-fill" width={`${Math.max(share * 100, 3)}%`} height="8" rx="4" />
    </svg>
  );
}
