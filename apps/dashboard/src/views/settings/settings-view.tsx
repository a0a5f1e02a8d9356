"use client";

import dynamic from "next/dynamic";
import { type ReactNode, useEffect, useId, useSyncExternalStore } from "react";
import { useAdmitted } from "@/broker/use-admitted";
import { PageBody } from "@/components/page-body";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { PanelBoundary } from "@/components/panel-boundary";
import { useQuery } from "@/core/address/use-query";
import { Skeleton } from "@/ui/skeleton";
import { ConnectionSettings } from "@/views/connection/connection-settings";
import { ServedPages } from "@/views/connection/served-pages";
import { useIsAdmin } from "@/views/people/use-is-admin";

const loading = () => <Skeleton className="h-24" />;
const NameSettings = dynamic(() => import("./name-settings").then((part) => part.NameSettings), {
  ssr: false,
  loading,
});
const AppearanceSettings = dynamic(
  () => import("./appearance-settings").then((part) => part.AppearanceSettings),
  { ssr: false, loading },
);
const NotificationSettings = dynamic(
  () => import("@/views/attention/notification-settings").then((part) => part.NotificationSettings),
  { ssr: false, loading },
);
const AlertSettings = dynamic(
  () => import("@/views/alerts/alert-settings").then((part) => part.AlertSettings),
  { ssr: false, loading },
);
const BrokerSettings = dynamic(() => import("./broker-settings").then((part) => part.BrokerSettings), {
  ssr: false,
  loading,
});
const People = dynamic(() => import("@/views/people/people").then((part) => part.People), {
  ssr: false,
  loading,
});
const Tokens = dynamic(() => import("@/views/people/tokens").then((part) => part.Tokens), {
  ssr: false,
  loading,
});
const Meshes = dynamic(() => import("@/views/people/meshes").then((part) => part.Meshes), {
  ssr: false,
  loading,
});
const RunnerFacts = dynamic(() => import("@/work/jobs/runner-facts").then((part) => part.RunnerFacts), {
  ssr: false,
  loading,
});
const Personas = dynamic(
  () => import("@/work/personas/persona-settings").then((part) => part.PersonaSettings),
  { ssr: false, loading },
);
const UsageTable = dynamic(() => import("@/record/usage-table").then((part) => part.UsageTable), {
  ssr: false,
  loading,
});
const Storage = dynamic(() => import("./storage").then((part) => part.Storage), { ssr: false, loading });
const Health = dynamic(() => import("./health").then((part) => part.Health), { ssr: false, loading });

interface Section {
  readonly anchor: string;
  readonly title: string;
  readonly about: string;
  readonly content: ReactNode;
  /** Shown only on a broker that admits only members, or only to an admin. */
  readonly only?: "members" | "admins";
}

const basic: readonly Section[] = [
  {
    anchor: "name",
    title: "Profile",
    about: "Your name as others see it.",
    content: <NameSettings />,
  },
  {
    anchor: "appearance",
    title: "Appearance",
    about: "Applies to this browser only.",
    content: <AppearanceSettings />,
  },
  {
    anchor: "notifications",
    title: "Notifications",
    about: "Desktop notifications. All off by default.",
    content: <NotificationSettings />,
  },
  {
    anchor: "people",
    title: "People",
    about: "Members and invites.",
    content: <People />,
  },
  {
    anchor: "connection",
    title: "Agents' address",
    about: "The address that agents connect to. Applies to everyone.",
    content: <ConnectionSettings />,
  },
];

const advanced: readonly Section[] = [
  {
    anchor: "alerts",
    title: "Push and webhooks",
    about: "Get notified when Merkle isn't open: phone, Slack, Discord or a webhook.",
    content: <AlertSettings />,
  },
  {
    anchor: "tokens",
    title: "Tokens and browsers",
    about: "API tokens and signed-in browsers.",
    content: <Tokens />,
    only: "members",
  },
  {
    anchor: "meshes",
    title: "Meshes",
    about: "Fully separate workspaces on this broker.",
    content: <Meshes />,
  },
  {
    anchor: "broker",
    title: "Broker",
    about: "Presence, timeouts and retention. Applies to everyone.",
    content: <BrokerSettings />,
    only: "admins",
  },
  {
    anchor: "jobs",
    title: "Job runner",
    about: "Where background jobs run, and their limits.",
    content: <RunnerFacts />,
  },
  {
    anchor: "personas",
    title: "Personas",
    about: "Instructions that an agent follows when it reviews a document as this persona.",
    content: <Personas />,
  },
  {
    anchor: "usage",
    title: "Usage",
    about: "How many tokens agents and jobs have reported, in all sessions.",
    content: <UsageTable groupings={["session", "team", "model", "day"]} />,
  },
  {
    anchor: "storage",
    title: "Storage",
    about:
      "Storage by session. Sessions are never deleted automatically; set retention of other data under Broker.",
    content: <Storage />,
  },
  {
    anchor: "health",
    title: "Health",
    about: "Live broker status.",
    content: <Health />,
    only: "admins",
  },
  {
    anchor: "served",
    title: "Other endpoints",
    about: "For programs and agents.",
    content: <ServedPages />,
  },
];

/** Whether the address asks for the advanced sections: by `part`, of which `broker` is an earlier name, or by a section. */
function useIsAdvanced(): boolean {
  const part = useQuery().get("part");
  const anchor = useAnchor();
  if (basic.some((section) => section.anchor === anchor)) return false;
  return advanced.some((section) => section.anchor === anchor) || part === "advanced" || part === "broker";
}

/** What stands behind the # of the address; the exported page does not know it. */
function useAnchor(): string {
  return useSyncExternalStore(
    onAnchor,
    () => window.location.hash.slice(1),
    () => "",
  );
}

function onAnchor(listener: () => void): () => void {
  for (const name of ["hashchange", "popstate"]) window.addEventListener(name, listener);
  return () => {
    for (const name of ["hashchange", "popstate"]) window.removeEventListener(name, listener);
  };
}

/** The five sections that most people need, or the advanced ones. */
export function SettingsView() {
  const isMembers = useAdmitted() !== null;
  const isAdmin = useIsAdmin();
  const isAdvanced = useIsAdvanced();
  const anchor = useAnchor();
  const more = advanced.filter(
    ({ only }) => only === undefined || (only === "members" ? isMembers : isAdmin),
  );
  const shown = isAdvanced ? more : basic;
  // The section was not there yet when the browser looked for it.
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
            <PartLink href="/settings?part=me" label="Settings" sections={isAdvanced ? null : shown} />
            <PartLink
              href="/settings?part=advanced"
              label="Advanced"
              count={more.length}
              sections={isAdvanced ? shown : null}
            />
          </ul>
        </nav>
        <div className="grid min-w-0 gap-8">
          {shown.map(({ content, only: _, ...section }) => (
            <SettingsSection key={section.anchor} {...section}>
              {content}
            </SettingsSection>
          ))}
          {!isAdvanced && (
            <PageLink href="/settings?part=advanced" className="text-link underline underline-offset-4">
              {more.length} advanced sections
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
  /** The sections of the part that is shown; null for another part. */
  readonly sections: readonly Section[] | null;
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

interface SettingsSectionProps {
  /** Names the section in the address. */
  readonly anchor: string;
  readonly title: string;
  /** The scope of a setting: this browser, or everybody. */
  readonly about: string;
  readonly children: ReactNode;
}

/** A part of the settings. What breaks inside of it stays inside of it. */
function SettingsSection({ anchor, title, about, children }: SettingsSectionProps) {
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
      <PanelBoundary title={title}>{children}</PanelBoundary>
    </section>
  );
}
