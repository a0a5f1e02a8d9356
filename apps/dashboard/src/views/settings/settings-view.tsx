"use client";

import { use, useEffect, useId, useSyncExternalStore } from "react";
import { useAdmitted } from "@/broker/use-admitted";
import { PageBody } from "@/components/page-body";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { PanelBoundary } from "@/components/panel-boundary";
import { useQuery } from "@/core/address/use-query";
import type { Feature, SettingsSection } from "@/parts/feature";
import { useFeatures } from "@/parts/features-context";
import { lazySection } from "@/parts/lazy-section";
import { ConnectionSettings } from "@/views/connection/connection-settings";
import { ServedPages } from "@/views/connection/served-pages";
import { useIsAdmin } from "@/views/people/use-is-admin";

const basicSections: readonly SettingsSection[] = [
  {
    anchor: "name",
    title: "Profile",
    about: "Your name as others see it.",
    Content: lazySection(() => import("./name-settings"), "NameSettings"),
  },
  {
    anchor: "appearance",
    title: "Appearance",
    about: "Applies to this browser only.",
    Content: lazySection(() => import("./appearance-settings"), "AppearanceSettings"),
  },
  {
    anchor: "notifications",
    title: "Notifications",
    about: "Desktop notifications. All off by default.",
    Content: lazySection(() => import("@/views/attention/notification-settings"), "NotificationSettings"),
  },
  {
    anchor: "people",
    title: "People",
    about: "Members and invites.",
    Content: lazySection(() => import("@/views/people/people"), "People"),
  },
  {
    anchor: "connection",
    title: "Agents' address",
    about: "The address that agents connect to. Applies to everyone.",
    Content: ConnectionSettings,
  },
];

const meshSections: readonly SettingsSection[] = [
  {
    anchor: "tokens",
    title: "Tokens and browsers",
    about: "API tokens and signed-in browsers.",
    Content: lazySection(() => import("@/views/people/tokens"), "Tokens"),
    audience: "members",
  },
  {
    anchor: "meshes",
    title: "Meshes",
    about: "Fully separate workspaces on this broker.",
    Content: lazySection(() => import("@/views/people/meshes"), "Meshes"),
  },
  {
    anchor: "broker",
    title: "Broker",
    about: "Presence, timeouts and retention. Applies to everyone.",
    Content: lazySection(() => import("./broker-settings"), "BrokerSettings"),
    audience: "admins",
  },
];

const brokerSections: readonly SettingsSection[] = [
  {
    anchor: "storage",
    title: "Storage",
    about:
      "Storage by session. Sessions are never deleted automatically; set retention of other data under Broker.",
    Content: lazySection(() => import("./storage"), "Storage"),
  },
  {
    anchor: "health",
    title: "Health",
    about: "Live broker status.",
    Content: lazySection(() => import("./health"), "Health"),
    audience: "admins",
  },
  {
    anchor: "served",
    title: "Other endpoints",
    about: "For programs and agents.",
    Content: ServedPages,
  },
];

let sections: Promise<readonly SettingsSection[]> | undefined;

/** Loads the sections that features add, once per page. */
function loadSections(features: readonly Feature[]): Promise<readonly SettingsSection[]> {
  sections ??= Promise.all(features.flatMap(({ loadSettings: settings }) => settings?.() ?? [])).then(
    (loaded) => loaded.map(({ section }) => section),
  );
  return sections;
}

/**
 * Returns whether the URL selects the advanced sections, with `part` or an anchor. `part=broker` is an older name for
 * the advanced sections.
 */
function useIsAdvanced(advanced: readonly SettingsSection[]): boolean {
  const part = useQuery().get("part");
  const anchor = useAnchor();
  if (basicSections.some((section) => section.anchor === anchor)) return false;
  return advanced.some((section) => section.anchor === anchor) || part === "advanced" || part === "broker";
}

/** Returns the URL's hash, which the exported page does not know. */
function useAnchor(): string {
  return useSyncExternalStore(
    onAnchorChange,
    () => window.location.hash.slice(1),
    () => "",
  );
}

function onAnchorChange(listener: () => void): () => void {
  for (const name of ["hashchange", "popstate"]) window.addEventListener(name, listener);
  return () => {
    for (const name of ["hashchange", "popstate"]) window.removeEventListener(name, listener);
  };
}

/** The five sections that most people need, or the advanced sections. */
export function SettingsView() {
  const isMembers = useAdmitted() !== null;
  const isAdmin = useIsAdmin();
  const advancedSections = [...meshSections, ...use(loadSections(useFeatures())), ...brokerSections];
  const isAdvanced = useIsAdvanced(advancedSections);
  const anchor = useAnchor();
  const visibleAdvanced = advancedSections.filter(
    ({ audience }) => audience === undefined || (audience === "members" ? isMembers : isAdmin),
  );
  const shownSections = isAdvanced ? visibleAdvanced : basicSections;
  // The section did not exist yet when the browser tried to scroll to it.
  useEffect(() => {
    if (anchor !== "") document.getElementById(anchor)?.scrollIntoView();
  }, [anchor]);
  return (
    <>
      <PageHeader
        crumbs={
          isAdvanced
            ? [{ label: "Settings", href: "/settings?part=me" }, { label: "Advanced" }]
            : [{ label: "Settings" }]
        }
      />
      <PageBody className="grid gap-x-12 gap-y-6 lg:grid-cols-[12rem_minmax(0,48rem)]">
        <h1 className="sr-only">{isAdvanced ? "Advanced settings" : "Settings"}</h1>
        <nav aria-label="Settings" className="lg:sticky lg:top-6 lg:self-start">
          <ul className="grid gap-x-1 gap-y-0.5 max-lg:flex max-lg:flex-wrap">
            <PartLink
              href="/settings?part=me"
              label="Settings"
              sections={isAdvanced ? null : shownSections}
            />
            <PartLink
              href="/settings?part=advanced"
              label="Advanced"
              count={visibleAdvanced.length}
              sections={isAdvanced ? shownSections : null}
            />
          </ul>
        </nav>
        <div className="grid min-w-0 gap-8">
          {shownSections.map((section) => (
            <ShownSection key={section.anchor} {...section} />
          ))}
          {!isAdvanced && (
            <PageLink
              href="/settings?part=advanced"
              className="inline-flex min-h-6 items-center justify-self-start text-link underline underline-offset-4 pointer-coarse:min-h-11"
            >
              {visibleAdvanced.length} advanced sections
            </PageLink>
          )}
        </div>
      </PageBody>
    </>
  );
}

interface PartLinkProps {
  readonly href: string;
  readonly label: string;
  readonly count?: number;
  /** The sections on the page that this link opens. Null unless that page is the current page. */
  readonly sections: readonly SettingsSection[] | null;
}

function PartLink({ href, label, count, sections }: PartLinkProps) {
  return (
    <li>
      <PageLink
        href={href}
        aria-current={sections === null ? undefined : "page"}
        className="flex min-h-8 items-center gap-1.5 rounded-md px-2 font-medium pointer-coarse:min-w-11 text-muted-foreground hover:bg-raised hover:text-foreground aria-[current=page]:bg-raised aria-[current=page]:text-foreground pointer-coarse:min-h-11"
      >
        {label}
        {count !== undefined && <span className="text-sm font-normal tabular-nums">{count}</span>}
      </PageLink>
      {sections && (
        <ul className="my-1 ms-2 hidden border-s ps-1 lg:block">
          {sections.map(({ anchor, title }) => (
            <li key={anchor}>
              <a
                href={`#${anchor}`}
                className="flex min-h-7 items-center rounded-md px-2 text-sm text-muted-foreground hover:text-foreground"
              >
                {title}
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** A section with its heading. An error inside does not affect other sections. */
function ShownSection({ anchor, title, about, Content }: SettingsSection) {
  const id = useId();
  return (
    <section
      id={anchor}
      aria-labelledby={id}
      className="min-w-0 scroll-mt-4 border-t pt-6 first:border-0 first:pt-0"
    >
      <h2 id={id} className="text-lg font-semibold">
        {title}
      </h2>
      <p className="mb-3 text-sm text-muted-foreground">{about}</p>
      <PanelBoundary title={title}>
        <Content />
      </PanelBoundary>
    </section>
  );
}
