/** The colours of teams, in the order in which teams joined. The broker stores each team's number. */
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
  /** Sets the text colour, which bars and borders use as `currentColor`. */
  readonly className: string;
  /** From the ninth team on, colours repeat and the bar is dashed. */
  readonly isDashed: boolean;
}

export function toTeamColour(number: number): TeamColour {
  const index = Math.max(0, Math.trunc(number));
  return { className: texts[index % texts.length] ?? texts[0], isDashed: index >= texts.length };
}
