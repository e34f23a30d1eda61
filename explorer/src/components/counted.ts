/** A number with its noun: "1 statement", "2,000 terms". */
export function counted(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
