import type { Polled } from "@/lib/use-polled";
import { LiveBadge } from "./live-badge";
import { Logo } from "./logo";
import { ThemeSwitch } from "./theme-switch";

export function PageHeader({ state, version }: { state: Polled<unknown>; version: string | null }) {
  return (
    <header className="border-b bg-surface">
      <div className="mx-auto flex h-13 max-w-7xl items-center gap-x-4 px-4">
        <span className="flex items-center gap-2 text-lg font-semibold">
          <Logo />
          merkle
        </span>
        {version !== null && (
          <span className="hidden text-sm text-muted-foreground sm:inline">{version}</span>
        )}
        <span className="ml-auto">
          <LiveBadge state={state} />
        </span>
        <ThemeSwitch />
      </div>
    </header>
  );
}
