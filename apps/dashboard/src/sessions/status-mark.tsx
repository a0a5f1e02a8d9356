import { cn } from "@/core/utils";

export type ObservedStatus = "active" | "idle" | "disconnected";

export interface StatusMarkProps {
  /** The status of the team or peer, as observed by the broker. */
  readonly status: ObservedStatus;
  /**
   * Whether the peer declared itself blocked. The mark then shows only the declared status. The label shows the
   * declared and the observed status.
   */
  readonly isBlocked?: boolean | undefined;
  /**
   * Whether the peer declared do-not-disturb. The mark then shows only the declared status. The label shows the
   * declared and the observed status.
   */
  readonly isDnd?: boolean | undefined;
  /** Whether to show the label next to the mark. */
  readonly showsLabel?: boolean | undefined;
  readonly className?: string | undefined;
}

/** A status as an icon whose shape and colour both differ. The label is in the tooltip, and available to screen readers. */
export function StatusMark({
  status,
  isBlocked = false,
  isDnd = false,
  showsLabel = false,
  className,
}: StatusMarkProps) {
  const label = describeStatus(status, isBlocked, isDnd);
  return (
    <span
      title={showsLabel ? undefined : label}
      className={cn("inline-flex shrink-0 items-center gap-1.5", className)}
    >
      <svg
        // The key makes a new status mount a new icon, which fades in.
        key={label}
        aria-hidden
        viewBox="0 0 10 10"
        className="size-2.5 shrink-0 overflow-visible forced-color-adjust-none motion-safe:transition-[scale,opacity] motion-safe:duration-180 motion-safe:starting:scale-50 motion-safe:starting:opacity-0"
      >
        {isBlocked ? <Diamond /> : isDnd ? <NoEntry /> : chooseShape(status)}
      </svg>
      <span className={showsLabel ? "" : "sr-only"}>{label}</span>
    </span>
  );
}

export function describeStatus(status: ObservedStatus, isBlocked: boolean, isDnd = false): string {
  if (isBlocked) return `blocked, ${status}`;
  return isDnd ? `do not disturb, ${status}` : status;
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

function chooseShape(status: ObservedStatus) {
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
