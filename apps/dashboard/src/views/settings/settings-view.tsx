"use client";

import { use, useEffect, useId, useSyncExternalStore } from "react";
import { useAdmitted } from "@/broker/use-admitted";
import { PageBody } from "@/components/page-body";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { PanelBoundary } from "@/components/panel-boundary";
import { useQuery } from "@/core/address/use-query";
import { useTypedParam } from "@/core/address/use-typed-param";
import type { Feature, SettingsGroup, SettingsSection } from "@/parts/feature";
import { useFeatures } from "@/parts/features-context";
import { lazySection } from "@/parts/lazy-section";
import { Input } from "@/ui/input";
import { ConnectionSettings } from "@/views/connection/connection-settings";
import { ServedPages } from "@/views/connection/served-pages";
import { useIsAdmin } from "@/views/people/use-is-admin";

const coreSections: readonly SettingsSection[] = [
  {
    anchor: "name",
    group: "You",
    title: "Profile",
    about: "Your name as others see it.",
    keywords: "account key sign in sign out another browser",
    Content: lazySection(() => import("./name-settings"), "NameSettings"),
  },
  {
    anchor: "appearance",
    group: "You",
    title: "Appearance",
    about: "Applies to this browser only.",
    keywords:
      "theme dark light density compact timestamps time UTC keyboard shortcuts single-letter keys announcements screen reader composer Enter sends",
    Content: lazySection(() => import("./appearance-settings"), "AppearanceSettings"),
  },
  {
    anchor: "notifications",
    group: "Notifications",
    title: "Browser notifications",
    about: "While this page is open. All off by default.",
    keywords: "desktop alerts",
    Content: lazySection(() => import("@/views/attention/notification-settings"), "NotificationSettings"),
  },
  {
    anchor: "attention",
    group: "Notifications",
    title: "Needs you",
    about: "When something counts as waiting for a person. Applies to everyone.",
    keywords: "quiet unanswered undelivered dismissed items return",
    Content: lazySection(() => import("./broker-settings"), "AttentionThresholds"),
    audience: "admins",
  },
  {
    anchor: "people",
    group: "People and access",
    title: "People",
    about: "Members and invites.",
    keywords: "invite link revoke admin role",
    Content: lazySection(() => import("@/views/people/people"), "People"),
  },
  {
    anchor: "tokens",
    group: "People and access",
    title: "Tokens and browsers",
    about: "API tokens and signed-in browsers.",
    keywords: "access token sign out devices observer view-only links",
    Content: lazySection(() => import("@/views/people/tokens"), "Tokens"),
    audience: "members",
  },
  {
    anchor: "meshes",
    group: "People and access",
    title: "Meshes",
    about: "Fully separate workspaces on this broker.",
    keywords: "workspace",
    Content: lazySection(() => import("@/views/people/meshes"), "Meshes"),
  },
  {
    anchor: "connection",
    group: "Agents",
    title: "Agents' address",
    about: "The address that agents connect to. Applies to everyone.",
    keywords: "connection URL MCP connect snippet Claude Code Codex curl install",
    Content: ConnectionSettings,
  },
  {
    anchor: "waiting",
    group: "Agents",
    title: "Waiting and presence",
    about: "When agents stop waiting, and when they count as present. Applies to everyone.",
    keywords: "idle empty waits MCP wait timeout summarise brief unread active disconnected hidden roster",
    Content: lazySection(() => import("./broker-settings"), "AgentThresholds"),
    audience: "admins",
  },
  {
    anchor: "broker",
    group: "Broker",
    title: "Retention",
    about:
      "How long the broker keeps data outside the record. Sessions are never deleted automatically. Applies to everyone.",
    keywords: "delete keep progress presence history job output days cleanup",
    Content: lazySection(() => import("./broker-settings"), "Retention"),
    audience: "admins",
  },
  {
    anchor: "storage",
    group: "Broker",
    title: "Storage",
    about: "Storage by session.",
    keywords: "size disk bytes largest",
    Content: lazySection(() => import("./storage"), "Storage"),
  },
  {
    anchor: "health",
    group: "Broker",
    title: "Health",
    about: "Live broker status.",
    keywords: "version database PostgreSQL latency connections nodes",
    Content: lazySection(() => import("./health"), "Health"),
    audience: "admins",
  },
  {
    anchor: "served",
    group: "Broker",
    title: "Other endpoints",
    about: "For programs and agents.",
    keywords: "API OpenAPI REST metrics",
    Content: ServedPages,
  },
];

/** The groups in the order of the page, with their names in the URL. */
const groups: readonly { readonly part: string; readonly group: SettingsGroup }[] = [
  { part: "me", group: "You" },
  { part: "notifications", group: "Notifications" },
  { part: "people", group: "People and access" },
  { part: "agents", group: "Agents" },
  { part: "broker", group: "Broker" },
];

let sections: Promise<readonly SettingsSection[]> | undefined;

/** Loads the sections that features add, once per page. */
function loadSections(features: readonly Feature[]): Promise<readonly SettingsSection[]> {
  sections ??= Promise.all(features.flatMap(({ loadSettings: settings }) => settings?.() ?? [])).then(
    (loaded) => loaded.map(({ section }) => section),
  );
  return sections;
}

/** Returns the group that the URL selects, by the anchor of a section or by `part` (default: the first group). */
function useChosenGroup(sections: readonly SettingsSection[]): SettingsGroup {
  const part = useQuery().get("part");
  const anchor = useAnchor();
  const anchored = sections.find((section) => section.anchor === anchor);
  const named = groups.find((each) => each.part === part);
  return anchored?.group ?? named?.group ?? "You";
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

/** The settings, one group at a time. A search shows the matching sections of all groups. */
export function SettingsView() {
  const isMembers = useAdmitted() !== null;
  const isAdmin = useIsAdmin();
  const sections = [...coreSections, ...use(loadSections(useFeatures()))].filter(
    ({ audience }) => audience === undefined || (audience === "members" ? isMembers : isAdmin),
  );
  const chosenGroup = useChosenGroup(sections);
  const anchor = useAnchor();
  const [query, typed, type] = useTypedParam("q");
  const shownSections =
    query === "" ? sections.filter(({ group }) => group === chosenGroup) : search(sections, query);
  // The section did not exist yet when the browser tried to scroll to it.
  useEffect(() => {
    if (anchor !== "") document.getElementById(anchor)?.scrollIntoView();
  }, [anchor]);
  return (
    <>
      <PageHeader crumbs={[{ label: "Settings" }]} />
      <PageBody className="grid gap-x-12 gap-y-6 lg:grid-cols-[13rem_minmax(0,48rem)]">
        <h1 className="sr-only">Settings</h1>
        <div className="grid gap-3 lg:sticky lg:top-6 lg:self-start">
          <Input
            type="search"
            aria-label="Search settings"
            placeholder="Search settings"
            value={typed}
            onChange={(event) => type(event.target.value)}
          />
          <nav aria-label="Settings">
            <ul className="grid gap-x-1 gap-y-0.5 max-lg:flex max-lg:flex-wrap">
              {groups.map(({ part, group }) => (
                <GroupLink
                  key={part}
                  href={`/settings?part=${part}`}
                  label={group}
                  isCurrent={query === "" && group === chosenGroup}
                  isSearching={query !== ""}
                  sections={sections.filter((section) => section.group === group)}
                />
              ))}
            </ul>
          </nav>
        </div>
        <div className="grid min-w-0 content-start gap-8">
          <p role="status" className="text-muted-foreground empty:hidden">
            {query !== "" && describeHits(shownSections.length)}
          </p>
          {shownSections.map((section) => (
            <ShownSection key={section.anchor} {...section} />
          ))}
        </div>
      </PageBody>
    </>
  );
}

/** Returns the sections that contain all words of the query. */
function search(sections: readonly SettingsSection[], query: string): readonly SettingsSection[] {
  const words = query.toLowerCase().split(/\s+/);
  return sections.filter(({ group, title, about, keywords = "" }) => {
    const text = [group, title, about, keywords].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function describeHits(count: number): string {
  if (count === 0) return "No settings match. Try another word, such as theme, invite or timeout.";
  return `${count} ${count === 1 ? "section" : "sections"}`;
}

interface GroupLinkProps {
  readonly href: string;
  readonly label: string;
  readonly isCurrent: boolean;
  /** Whether the page shows search results instead of a group. */
  readonly isSearching: boolean;
  readonly sections: readonly SettingsSection[];
}

function GroupLink({ href, label, isCurrent, isSearching, sections }: GroupLinkProps) {
  return (
    <li>
      <PageLink
        href={href}
        aria-current={isCurrent ? "page" : undefined}
        className="flex min-h-8 items-center rounded-md px-2 font-medium pointer-coarse:min-w-11 text-muted-foreground hover:bg-raised hover:text-foreground aria-[current=page]:bg-raised aria-[current=page]:text-foreground pointer-coarse:min-h-11"
      >
        {label}
      </PageLink>
      <ul className="my-1 ms-2 hidden border-s ps-1 lg:block">
        {sections.map(({ anchor, title }) => (
          <li key={anchor}>
            <SectionLink href={isSearching ? `/settings#${anchor}` : `#${anchor}`} title={title} />
          </li>
        ))}
      </ul>
    </li>
  );
}

/** A link to a section. Only a link of the browser itself reports a change of the hash, and Next's changes the query. */
function SectionLink({ href, title }: { readonly href: string; readonly title: string }) {
  const className =
    "flex min-h-7 items-center rounded-md px-2 text-sm text-muted-foreground hover:text-foreground pointer-coarse:min-h-11";
  if (!href.startsWith("#")) {
    return (
      <PageLink href={href} className={className}>
        {title}
      </PageLink>
    );
  }
  return (
    <a href={href} className={className}>
      {title}
    </a>
  );
}

/** A section with its heading. An error inside does not affect other sections. */
function ShownSection({ anchor, title, about, Content }: SettingsSection) {
  const id = useId();
  return (
    <section
      id={anchor}
      aria-labelledby={id}
      className="min-w-0 scroll-mt-4 border-t pt-6 first-of-type:border-0 first-of-type:pt-0"
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
