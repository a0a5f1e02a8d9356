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

type Part = "me" | "people" | "broker";

interface Section {
  readonly part: Part;
  readonly anchor: string;
  readonly title: string;
  readonly about: string;
  readonly content: ReactNode;
  /** Whether it means something only where members alone are let in, or only to an admin. */
  readonly only?: "members" | "admins";
}

const sections: readonly Section[] = [
  {
    part: "me",
    anchor: "name",
    title: "Profile",
    about: "Your name as others see it.",
    content: <NameSettings />,
  },
  {
    part: "me",
    anchor: "appearance",
    title: "Appearance",
    about: "Applies to this browser only.",
    content: <AppearanceSettings />,
  },
  {
    part: "me",
    anchor: "notifications",
    title: "Notifications",
    about: "Desktop notifications. All off by default.",
    content: <NotificationSettings />,
  },
  {
    part: "me",
    anchor: "alerts",
    title: "Push and webhooks",
    about: "Get notified when Merkle isn't open: phone, Slack, Discord or a webhook.",
    content: <AlertSettings />,
  },
  {
    part: "people",
    anchor: "people",
    title: "People",
    about: "Members and invites.",
    content: <People />,
  },
  {
    part: "people",
    anchor: "tokens",
    title: "Tokens and browsers",
    about: "API tokens and signed-in browsers.",
    content: <Tokens />,
    only: "members",
  },
  {
    part: "people",
    anchor: "meshes",
    title: "Meshes",
    about: "Fully separate workspaces on this broker.",
    content: <Meshes />,
  },
  {
    part: "broker",
    anchor: "connection",
    title: "Connection",
    about: "The address agents connect to. Applies to everyone.",
    content: <ConnectionSettings />,
  },
  {
    part: "broker",
    anchor: "broker",
    title: "Broker",
    about: "Presence, timeouts and retention. Applies to everyone.",
    content: <BrokerSettings />,
    only: "admins",
  },
  {
    part: "broker",
    anchor: "jobs",
    title: "Jobs runner",
    about: "Where background jobs run, and their limits.",
    content: <RunnerFacts />,
  },
  {
    part: "broker",
    anchor: "usage",
    title: "Usage",
    about: "How many tokens agents and jobs have reported, in all sessions.",
    content: <UsageTable groupings={["session", "team", "model", "day"]} />,
  },
  {
    part: "broker",
    anchor: "personas",
    title: "Personas",
    about: "Instructions that an agent follows when it reviews a document as this persona.",
    content: <Personas />,
  },
  {
    part: "broker",
    anchor: "storage",
    title: "Storage",
    about:
      "Storage by session. Sessions are never deleted automatically; set retention of other data under Broker.",
    content: <Storage />,
  },
  {
    part: "broker",
    anchor: "health",
    title: "Health",
    about: "Live broker status.",
    content: <Health />,
    only: "admins",
  },
  {
    part: "broker",
    anchor: "served",
    title: "Other endpoints",
    about: "For programs and agents.",
    content: <ServedPages />,
  },
];

const partLabels: Readonly<Record<Part, string>> = {
  me: "Me",
  people: "People",
  broker: "This broker",
};

/** The part that the address asks for, by its name or by that of a section. */
function usePart(): Part {
  const asked = useQuery().get("part");
  const anchor = useAnchor();
  const named = sections.find((section) => section.anchor === anchor)?.part;
  return named ?? (asked === "people" || asked === "broker" ? asked : "me");
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

/** The settings of whoever looks, of the people here, and of the broker: one of these at a time. */
export function SettingsView() {
  const isMembers = useAdmitted() !== null;
  const isAdmin = useIsAdmin();
  const part = usePart();
  const anchor = useAnchor();
  const shown = sections.filter(
    ({ part: own, only }) =>
      own === part && (only === undefined || (only === "members" ? isMembers : isAdmin)),
  );
  // The section was not there yet when the browser looked for it.
  useEffect(() => {
    if (anchor !== "") document.getElementById(anchor)?.scrollIntoView();
  }, [anchor]);
  return (
    <>
      <PageHeader crumbs={[{ label: "Settings" }]} />
      <PageBody className="grid gap-x-12 gap-y-6 lg:grid-cols-[12rem_minmax(0,48rem)]">
        <h1 className="sr-only">Settings</h1>
        <nav aria-label="Settings" className="lg:sticky lg:top-6 lg:self-start">
          <ul className="grid gap-x-1 gap-y-0.5 max-lg:flex max-lg:flex-wrap">
            {Object.entries(partLabels).map(([name, label]) => (
              <li key={name}>
                <PageLink
                  href={`/settings?part=${name}`}
                  aria-current={name === part ? "page" : undefined}
                  className="flex min-h-8 items-center rounded-md px-2 font-medium pointer-coarse:min-w-11 text-muted-foreground hover:bg-raised hover:text-foreground aria-[current=page]:bg-raised aria-[current=page]:text-foreground pointer-coarse:min-h-11"
                >
                  {label}
                </PageLink>
                {name === part && (
                  <ul className="my-1 ms-2 hidden border-s ps-1 lg:block">
                    {shown.map(({ anchor, title }) => (
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
            ))}
          </ul>
        </nav>
        <div className="grid min-w-0 gap-8">
          {shown.map(({ content, only: _, part: __, ...section }) => (
            <SettingsSection key={section.anchor} {...section}>
              {content}
            </SettingsSection>
          ))}
        </div>
      </PageBody>
    </>
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
