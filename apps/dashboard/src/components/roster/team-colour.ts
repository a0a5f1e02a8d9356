/** The text and bar colours of the teams, by the order in which they joined; the broker keeps that number. */
const texts = [
  "text-[#4338ca] dark:text-[#a5b4fc]",
  "text-[#0f766e] dark:text-[#5eead4]",
  "text-[#be123c] dark:text-[#fda4af]",
  "text-[#92400e] dark:text-[#fcd34d]",
  "text-[#0369a1] dark:text-[#7dd3fc]",
  "text-[#3f6212] dark:text-[#bef264]",
  "text-[#a21caf] dark:text-[#f0abfc]",
  "text-[#b93a09] dark:text-[#fdba74]",
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
