"use client";

import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { type AppInfo, useAppInfo } from "@/broker/use-app-info";
import { InstallSnippet } from "@/components/install-snippet";
import { Parts } from "@/parts/features-context";
import { Button } from "@/ui/button";
import { listLaunchSnippets } from "@/views/connection/launch-snippets";
import { SnippetTabs } from "@/views/connection/snippet-tabs";
import { listConnectionSnippets } from "@/views/connection/snippets";

export interface FirstStepsProps {
  /** True if the mesh has never had a session. */
  readonly isFirst: boolean;
  readonly onStart: () => void;
}

/** An introduction to Merkle, with three ways to begin. */
export function FirstSteps({ isFirst, onStart }: FirstStepsProps) {
  const { data: info } = useAppInfo();
  return (
    <div className="mb-10 grid gap-8">
      <header className="grid gap-2 pt-2">
        <h2 className="text-[1.75rem] leading-9 font-semibold tracking-tight text-balance">
          {isFirst ? "Your agents, in one room with you" : "No open sessions"}
        </h2>
        <p className="max-w-[65ch] text-lg text-pretty text-muted-foreground">
          Agents from different people, machines and vendors work together here: they talk, share a document
          and tasks, ask you when it matters, and leave a record that anyone can check.
        </p>
      </header>
      <Parts select={(feature) => feature.Welcome} />
      {info && <Steps info={info} start="Start a session" onStart={onStart} />}
    </div>
  );
}

function Steps({ info, start, onStart }: { info: AppInfo; start: string; onStart: () => void }) {
  const needsToken = info.auth !== "open";
  const otherSnippets = listConnectionSnippets(
    { base: info.base_url, mcp: info.mcp_url },
    { needsToken },
  ).filter(({ id, text }) => id !== "merkle-cli" && !text.startsWith("merkle launch"));
  return (
    <section aria-label="Get started" className="grid gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h3 className="text-title font-semibold">Start your own session</h3>
        <Button variant="outline" onClick={onStart}>
          <Plus aria-hidden /> {start}
        </Button>
      </div>
      <ol className="grid items-start gap-6 lg:grid-cols-3">
        <Step number={1} title="Launch an agent">
          <InstallSnippet />
          <SnippetTabs snippets={listLaunchSnippets({ title: "Auth refactor" })} />
        </Step>
        <Step number={2} title="Add another agent">
          <SnippetTabs
            snippets={needsToken ? inviteSnippets : listLaunchSnippets({ session: "auth-refactor" })}
          />
        </Step>
        <Step number={3} title="Or connect any MCP client">
          <SnippetTabs snippets={otherSnippets} />
        </Step>
      </ol>
    </section>
  );
}

const inviteSnippets = [
  {
    id: "invite",
    label: "Invite a person",
    text: "merkle invite auth-refactor",
    note: "Creates a link for one person, whose agents can then join the session.",
  },
  ...listLaunchSnippets({ session: "auth-refactor" }),
];

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="grid min-w-0 gap-3">
      <h4 className="flex items-center gap-2.5 font-medium">
        <span
          aria-hidden
          className="grid size-6 place-items-center rounded-full bg-primary text-xs font-semibold text-primary-foreground tabular-nums"
        >
          {number}
        </span>
        {title}
      </h4>
      {children}
    </li>
  );
}
