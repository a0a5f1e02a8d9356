import { cn } from "@/core/utils";
import { toMonogram } from "./monogram";
import { toTeamColour } from "./team-colour";

export interface TeamMarkProps {
  readonly name: string;
  /** The number of the team's colour. */
  readonly colour: number;
  readonly className?: string | undefined;
}

/** A team's colour as a bar, and its monogram. Hidden from screen readers, because the name is next to it. */
export function TeamMark({ name, colour, className }: TeamMarkProps) {
  const { className: text } = toTeamColour(colour);
  return (
    <span aria-hidden className={cn("inline-flex shrink-0 items-center gap-1.5", text, className)}>
      <TeamBar colour={colour} className="h-4" />
      <span className="min-w-[2ch] font-mono text-xs leading-4 font-medium">{toMonogram(name)}</span>
    </span>
  );
}

/** A bar in a team's colour. The caller sets its height. */
export function TeamBar({ colour, className }: { colour: number; className?: string | undefined }) {
  const { className: text, isDashed } = toTeamColour(colour);
  return (
    <span
      aria-hidden
      data-dashed={isDashed || undefined}
      className={cn(
        "w-[3px] shrink-0 forced-color-adjust-none",
        isDashed ? "border-l-[3px] border-dashed border-current" : "rounded-full bg-current",
        text,
        className,
      )}
    />
  );
}
