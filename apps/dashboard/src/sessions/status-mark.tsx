import { cn } from "@/core/utils";

export type Observed = "active" | "idle" | "disconnected";

export interface StatusMarkProps {
  /** The status of the team or peer, as observed by the broker. */
  readonly status: Observed;
  /**
   * Whether the peer declared itself blocked. The mark then shows only the declared status. The label shows the
   * declared and the observed status.
   */
  readonly blocked?: boolean | undefined;
  /**
   * Whether the peer declared do-not-disturb. The mark then shows only the declared status. The label shows the
   * declared and the observed status.
   */
  readonly dnd?: boolean | undefined;
  /** Whether to show the label next to the mark. */
  readonly withWord?: boolean | undefined;
  readonly className?: string | undefined;
}

/** A status as an icon whose shape and colour both differ. The label is in the tooltip, and available to screen readers. */
export function StatusMark({
  status,
  blocked = false,
  dnd = false,
  withWord = false,
  className,
}: StatusMarkProps) {
  const word = describeStatus(status, blocked, dnd);
  return (
    <span
      title={withWord ? undefined : word}
      className={cn("inline-flex shrink-0 items-center gap-1.5", className)}
    >
      <svg
        // The key makes a new status mount a new icon, which fades in.
        key={word}
        aria-hidden
        viewBox="0 0 10 10"
        className="size-2.5 shrink-0 overflow-visible forced-color-adjust-none motion-safe:transition-[scale,opacity] motion-safe:duration-180 motion-safe:starting:scale-50 motion-safe:starting:opacity-0"
      >
        {blocked ? <Diamond /> : dnd ? <NoEntry /> : chooseShape(status)}
      </svg>
      <span className={withWord ? "" : "sr-only"}>{word}</span>
    </span>
  );
}

export function describeStatus(status: Observed, blocked: boolean, dnd = false): string {
  if (blocked) return `blocked, ${status}`;
  return dnd ? `do not disturb, ${status}` : status;
}

function NoEntry() {
  return (
    <>
      <circle cx="5" cy="5" r="5" className="fill-status-disconnected" />
      <path d="M2.5 5h5" className="fill-none stroke-background [stroke-width:2]" />
    </>
  );
}

function Diamond() {
  return <path d="M5 -0.6 10.6 5 5 10.6 -0.6 5Z" className="fill-status-blocked" />;
}

function chooseShape(status: Observed) {
  switch (status) {
    case "active":
      return <circle cx="5" cy="5" r="5" className="fill-status-active" />;
    case "idle":
      return (
        <>
          <path d="M5 0.75a4.25 4.25 0 0 0 0 8.5Z" className="fill-status-idle" />
          <circle
            cx="5"
            cy="5"
            r="4.25"
            className="fill-none stroke-status-idle-outline [stroke-width:1.5]"
          />
        </>
      );
    case "disconnected":
      return <circle cx="5" cy="5" r="4" className="fill-none stroke-status-disconnected [stroke-width:2]" />;
  }
}
