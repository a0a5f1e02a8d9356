import { type ReactNode, useId } from "react";
import { PanelBoundary } from "@/components/panel-boundary";

export interface SettingsSectionProps {
  /** Names the section in the address. */
  readonly anchor: string;
  readonly title: string;
  /** Whom it concerns: this browser, or everybody. */
  readonly about: string;
  readonly children: ReactNode;
}

/** A part of the settings. What breaks inside of it stays inside of it. */
export function SettingsSection({ anchor, title, about, children }: SettingsSectionProps) {
  const id = useId();
  return (
    <section
      id={anchor}
      aria-labelledby={id}
      className="min-w-0 scroll-mt-4 border-t pt-5 first:border-0 first:pt-0"
    >
      <h2 id={id} className="text-lg font-semibold">
        {title}
      </h2>
      <p className="mb-3 text-sm text-muted-foreground">{about}</p>
      <PanelBoundary title={title}>{children}</PanelBoundary>
    </section>
  );
}
