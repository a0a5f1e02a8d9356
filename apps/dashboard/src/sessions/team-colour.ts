/** The text and bar colours of the teams, by the order in which they joined; the broker keeps that number. */
const texts = [
  "text-team-indigo",
  "text-team-teal",
  "text-team-rose",
  "text-team-amber",
  "text-team-sky",
  "text-team-olive",
  "text-team-fuchsia",
  "text-team-orange",
] as const;

export interface TeamColour {
  /** Sets the text colour; bars and borders take it as `currentColor`. */
  readonly className: string;
  /** From the ninth team on the colours repeat, and the bar is dashed. */
  readonly dashed: boolean;
}

export function toTeamColour(number: number): TeamColour {
  const index = Math.max(0, Math.trunc(number));
  return { className: texts[index % texts.length] ?? texts[0], dashed: index >= texts.length };
}
