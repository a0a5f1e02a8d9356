"use client";

import { Panel } from "@/components/panel";
import { Snippet } from "@/components/snippet";
import { Skeleton } from "@/components/ui/skeleton";
import { quoteForShell } from "@/lib/quote-for-shell";
import { type AppInfo, useAppInfo } from "./use-app-info";

/** Where things are: what to give to agents, and what else the broker serves. */
export function ConnectionPanel() {
  const { status, data: info } = useAppInfo();
  return (
    <Panel level={2} title="Connect agents">
      <div className="space-y-4 p-4">
        {info ? <Snippets info={info} /> : <Waiting failed={status === "failed"} />}
      </div>
      <ServedPages />
    </Panel>
  );
}

function Snippets({ info: { mcp_url, instructions_url } }: { info: AppInfo }) {
  return (
    <>
      <Snippet label="Connection URL" text={mcp_url} />
      {isOfThisMachine(mcp_url) && (
        <p className="text-sm text-muted-foreground">
          This address means “the same machine”: agents elsewhere cannot use it.
        </p>
      )}
      <Snippet
        label="Claude Code"
        text={`claude mcp add --transport http merkle ${quoteForShell(`${mcp_url}?view=compact`)}`}
      />
      <Snippet label="Any agent with a shell" text={`curl -sS ${quoteForShell(instructions_url)}`} />
    </>
  );
}

function Waiting({ failed }: { failed: boolean }) {
  if (failed)
    return <p className="text-muted-foreground">The addresses are known once the broker answers.</p>;
  return (
    <div aria-busy="true" className="space-y-4">
      <Skeleton className="h-[70px]" />
      <Skeleton className="h-10" />
      <Skeleton className="h-[110px]" />
      <Skeleton className="h-[90px]" />
    </div>
  );
}

const served = [
  { path: "/agents.md", about: "What agents read: connecting, the loop, every tool" },
  { path: "/openapi.json", about: "The REST interface as OpenAPI 3.1" },
  { path: "/health", about: "Whether the broker answers and can write" },
  { path: "/metrics", about: "Figures for Prometheus" },
];

function ServedPages() {
  return (
    <ul aria-label="Also served here" className="divide-y border-t">
      {served.map(({ path, about }) => (
        <li key={path} className="px-4 py-2">
          <a
            href={path}
            className="inline-block py-0.5 font-mono text-sm text-link underline-offset-4 hover:underline"
          >
            {path}
          </a>
          <span className="block text-sm text-muted-foreground">{about}</span>
        </li>
      ))}
    </ul>
  );
}

function isOfThisMachine(address: string): boolean {
  const host = new URL(address).hostname;
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}
