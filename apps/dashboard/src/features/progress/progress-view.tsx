"use client";

import { PageBody } from "@/components/page-body";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { PanelBoundary } from "@/components/panel-boundary";
import { useQueryParam } from "@/core/address/use-query-param";
import { lazyPart } from "@/core/lazy-part";
import { cn } from "@/core/utils";
import { ProgressBrowser } from "./progress-browser";

const AuditSessions = lazyPart(() => import("@/features/audit/api"), "AuditSessions");

/** The progress of all projects of the mesh, with a second tab for recorded decisions. */
export function ProgressView() {
  const [view] = useQueryParam("view");
  const showsThoughts = view === "thoughts";
  return (
    <>
      <PageHeader crumbs={[{ label: "Progress" }]} />
      <nav aria-label="Progress views" className="border-b px-1 lg:px-3">
        <ul className="flex overflow-x-auto">
          <Part href="/progress" current={!showsThoughts}>
            Log
          </Part>
          <Part href="/progress?view=thoughts" current={showsThoughts}>
            Thoughts
          </Part>
        </ul>
      </nav>
      <PageBody>
        <h1 className="sr-only">{showsThoughts ? "Thoughts" : "Progress"}</h1>
        {showsThoughts ? (
          <PanelBoundary title="Audit sessions">
            <AuditSessions />
          </PanelBoundary>
        ) : (
          <PanelBoundary title="Progress log">
            <ProgressBrowser session={null} />
          </PanelBoundary>
        )}
      </PageBody>
    </>
  );
}

function Part({ href, current, children }: { href: string; current: boolean; children: string }) {
  return (
    <li className="contents">
      <PageLink
        href={href}
        aria-current={current ? "page" : undefined}
        className={cn(
          "flex h-9 items-center border-b-2 border-transparent px-3 text-muted-foreground hover:text-foreground pointer-coarse:h-11 forced-colors:border-[Canvas]",
          current && "border-primary font-medium text-foreground forced-colors:border-[Highlight]",
        )}
      >
        {children}
      </PageLink>
    </li>
  );
}
