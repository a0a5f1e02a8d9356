"use client";

import dynamic from "next/dynamic";
import { type ReactNode, useId } from "react";
import { useAdmitted } from "@/broker/use-admitted";
import { PageHeader } from "@/components/page-header";
import { PanelBoundary } from "@/components/panel-boundary";
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
  readonly part: ReactNode;
  /** Whether it means something only where members alone are let in, or only to an admin. */
  readonly only?: "members" | "admins";
}

const sections: readonly Section[] = [
  {
    anchor: "connection",
    title: "Connection",
    about: "Where agents find this broker. It holds for everybody.",
    part: <ConnectionSettings />,
  },
  {
    anchor: "people",
    title: "People",
    about: "Who is let in.",
    part: <People />,
  },
  {
    anchor: "tokens",
    title: "Tokens and browsers",
    about: "What lets programs and browsers in, besides the keys of members.",
    part: <Tokens />,
    only: "members",
  },
  {
    anchor: "meshes",
    title: "Meshes",
    about: "Workspaces that know nothing of each other.",
    part: <Meshes />,
  },
  {
    anchor: "name",
    title: "My name",
    about: "Who you are to the others, in this browser.",
    part: <NameSettings />,
  },
  {
    anchor: "appearance",
    title: "Appearance and keys",
    about: "How these pages look and behave, in this browser alone.",
    part: <AppearanceSettings />,
  },
  {
    anchor: "notifications",
    title: "Notifications",
    about: "What this browser may tell you while you look elsewhere. Nothing, unless you choose it.",
    part: <NotificationSettings />,
  },
  {
    anchor: "alerts",
    title: "Told elsewhere",
    about: "Where you are told with no page open: on a phone, in a channel, by a program.",
    part: <AlertSettings />,
  },
  {
    anchor: "broker",
    title: "Broker",
    about:
      "When agents stop, what counts as being there, and how long is kept what is no record. It holds for everybody.",
    part: <BrokerSettings />,
    only: "admins",
  },
  {
    anchor: "jobs",
    title: "Jobs runner",
    about: "What runs the agents of jobs, where, and within which bounds.",
    part: <RunnerFacts />,
  },
  {
    anchor: "usage",
    title: "Usage",
    about: "How many tokens agents and jobs have reported, in all sessions.",
    part: <UsageTable groupings={["session", "team", "model", "day"]} />,
  },
  {
    anchor: "personas",
    title: "Personas",
    about: "Named ways of reading a document. Agents that read as one are told what stands here.",
    part: <Personas />,
  },
  {
    anchor: "storage",
    title: "Storage",
    about: "Which sessions take most. None is deleted; how long other things are kept is set under Broker.",
    part: <Storage />,
  },
  {
    anchor: "health",
    title: "Health",
    about: "How the broker is, read anew every few seconds.",
    part: <Health />,
    only: "admins",
  },
  {
    anchor: "served",
    title: "Also served here",
    about: "For programs and agents.",
    part: <ServedPages />,
  },
];

/** The settings, for this browser and for everybody, and the broker's state. */
export function SettingsView() {
  const isMembers = useAdmitted() !== null;
  const isAdmin = useIsAdmin();
  const shown = sections.filter(
    ({ only }) => only === undefined || (only === "members" ? isMembers : isAdmin),
  );
  return (
    <>
      <PageHeader crumbs={[{ label: "Settings" }]} />
      <div className="grid gap-6 p-4 lg:grid-cols-[10rem_minmax(0,48rem)] lg:p-6">
        <h1 className="sr-only">Settings</h1>
        <nav aria-label="Settings" className="lg:sticky lg:top-6 lg:self-start">
          <ul className="flex flex-wrap gap-1 lg:flex-col">
            {shown.map(({ anchor, title }) => (
              <li key={anchor}>
                <a
                  href={`#${anchor}`}
                  className="inline-flex min-h-8 items-center rounded-md px-2 text-muted-foreground hover:bg-raised hover:text-foreground pointer-coarse:min-h-11"
                >
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div className="grid min-w-0 gap-6">
          {shown.map(({ part, only: _, ...section }) => (
            <SettingsSection key={section.anchor} {...section}>
              {part}
            </SettingsSection>
          ))}
        </div>
      </div>
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
