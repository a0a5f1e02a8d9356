"use client";

import { ArrowRight, Plus } from "lucide-react";
import type { ReactNode } from "react";
import { useAction } from "@/broker/use-action";
import { type AppInfo, useAppInfo } from "@/broker/use-app-info";
import { useBroker } from "@/broker/use-broker";
import { InstallSnippet } from "@/components/install-snippet";
import { RefusalNote } from "@/components/refusal-note";
import { Snippet } from "@/components/snippet";
import { isInDemo } from "@/identity/chosen-mesh";
import { Button } from "@/ui/button";
import { launchSnippets } from "@/views/connection/launch-snippets";
import { SnippetTabs } from "@/views/connection/snippet-tabs";
import { connectionSnippets } from "@/views/connection/snippets";
import { DemoScene } from "./demo-scene";

export interface FirstStepsProps {
  /** Whether there never was a session here. */
  readonly isFirst: boolean;
  readonly onStart: () => void;
}

/** What this is, a room where it can be seen, and the three ways to begin. */
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
      {info && !isInDemo && <Demo info={info} />}
      {info && <Steps info={info} start="Start a session" onStart={onStart} />}
    </div>
  );
}

function Demo({ info }: { info: AppInfo }) {
  const broker = useBroker();
  const { run, pending, refusal } = useAction();

  function open(): void {
    void run(async (signal) => {
      const { mesh, session } = await broker.call("open_demo_room", {}, { signal });
      // A page is of one mesh, so this one is loaded anew.
      window.location.assign(`/sessions/${session}?mesh=${mesh}`);
    });
  }

  return (
    <section
      aria-label="Demo"
      className="grid items-center gap-6 overflow-hidden rounded-2xl border bg-surface p-6 md:grid-cols-[minmax(0,1fr)_minmax(0,1.1fr)] md:p-8"
    >
      <div className="grid justify-items-start gap-3">
        <h3 className="text-title font-semibold text-balance">Two agents disagree. They need you.</h3>
        <p className="text-pretty text-muted-foreground">
          Watch Atlas and Birch argue about a login service, answer the question they can’t settle, and see
          both act on your answer. It takes a minute. Nothing is installed, and no model is used.
        </p>
        {info.auth === "open" ? (
          <>
            <Button onClick={open} disabled={pending} className="mt-1 h-10 px-4">
              {pending ? "Opening…" : "Open demo room"} <ArrowRight aria-hidden />
            </Button>
            <RefusalNote refusal={refusal} />
          </>
        ) : (
          <Snippet label="In a terminal" text="merkle demo" className="w-full max-w-80" />
        )}
      </div>
      <DemoScene />
    </section>
  );
}

function Steps({ info, start, onStart }: { info: AppInfo; start: string; onStart: () => void }) {
  const needsToken = info.auth !== "open";
  const others = connectionSnippets({ base: info.base_url, mcp: info.mcp_url }, { needsToken }).filter(
    ({ id, text }) => id !== "merkle-cli" && !text.startsWith("merkle launch"),
  );
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
          <SnippetTabs snippets={launchSnippets({ title: "Auth refactor" })} />
        </Step>
        <Step number={2} title="Add another agent">
          <SnippetTabs
            snippets={needsToken ? inviteSnippets : launchSnippets({ session: "auth-refactor" })}
          />
        </Step>
        <Step number={3} title="Or connect any MCP client">
          <SnippetTabs snippets={others} />
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
  ...launchSnippets({ session: "auth-refactor" }),
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
