"use client";

import type { Liveness } from "@/broker/liveness";
import { useBroker } from "@/broker/use-broker";
import { useLiveness } from "@/broker/use-liveness";
import { describeDuration } from "@/core/time/describe-time";
import { useAtNow } from "@/core/time/use-now";
import { cn } from "@/core/utils";
import { Button } from "@/ui/button";

/** Shows whether the page is up to date. If not, shows since when, and a button to retry. */
export function LiveBadge() {
  const broker = useBroker();
  const liveness = useLiveness();
  return (
    <span
      data-slot="live-badge"
      className="inline-flex min-w-0 items-center gap-2 text-sm whitespace-nowrap text-muted-foreground tabular-nums"
    >
      <span aria-hidden className={cn("size-2.5 shrink-0 rounded-full", getDotClasses(liveness))} />
      <span className="truncate">
        <LivenessText liveness={liveness} />
      </span>
      {(liveness.is === "offline" || liveness.is === "reconnecting") && (
        <Button variant="outline" size="sm" onClick={() => broker.retryNow()}>
          Retry
        </Button>
      )}
      {(liveness.is === "ended" || liveness.is === "outdated") && (
        <Button variant="outline" size="sm" onClick={() => location.reload()}>
          Reload
        </Button>
      )}
    </span>
  );
}

function LivenessText({ liveness }: { liveness: Liveness }) {
  switch (liveness.is) {
    case "connecting":
      return "Connecting";
    case "live":
      return <span className="max-sm:sr-only">Live</span>;
    case "reconnecting":
      return <Countdown to={liveness.retryAt} />;
    case "offline":
      return `Offline since ${describeHourAndMinute(liveness.since)}`;
    case "back":
      return <span title={describeReturn(liveness)}>{describeReturn(liveness)}</span>;
    case "outdated":
      return `Version ${liveness.version} available`;
    case "ended":
      return <span title={liveness.reason}>Refused by the broker</span>;
  }
}

function Countdown({ to }: { to: number }) {
  const seconds = useAtNow((now) => Math.max(0, Math.ceil((to - now) / 1000)));
  return `Reconnecting ${seconds === 0 ? "…" : `${seconds} s`}`;
}

function describeReturn({ offlineMs, isRefreshed, filledIn }: Extract<Liveness, { is: "back" }>): string {
  if (isRefreshed) return `Live again · refreshed after ${describeDuration(offlineMs / 1000)} offline`;
  return filledIn === 0 ? "Live again" : `Live again · ${filledIn} missed, now loaded`;
}

function describeHourAndMinute(at: number): string {
  return new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

function getDotClasses({ is }: Liveness): string {
  switch (is) {
    case "connecting":
      return "border-[1.5px] border-input";
    case "live":
    case "back":
      return "bg-status-active";
    case "outdated":
    case "reconnecting":
      return "border-[1.5px] border-status-idle-outline bg-status-idle";
    case "offline":
    case "ended":
      return "border-2 border-danger";
  }
}
