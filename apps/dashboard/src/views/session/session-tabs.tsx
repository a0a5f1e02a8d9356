"use client";

import { usePathname, useRouter } from "next/navigation";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { useQueryParam } from "@/core/address/use-query-param";
import { usePaletteAction } from "@/core/keyboard/use-palette-action";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { useHasSettled } from "@/core/use-has-settled";
import { useMediaQuery } from "@/core/use-media-query";
import { cn } from "@/core/utils";
import { useSession } from "@/sessions/session-context";

const MoreLinks = lazy(() => import("@/components/more-links").then((part) => ({ default: part.MoreLinks })));

interface Tab {
  readonly label: string;
  /** The part of the address behind the session. */
  readonly place: string;
  /** The key that shows it. */
  readonly keys: string;
  /** Left out for who only looks on: it shows what belongs to the mesh. */
  readonly ofMesh?: true;
}

const live: Tab = { label: "Live", place: "", keys: "1" };
const doc: Tab = { label: "Document", place: "/doc", keys: "8" };
const later: readonly Tab[] = [
  { label: "Tasks", place: "/tasks", keys: "2" },
  { label: "State", place: "/state", keys: "3" },
  { label: "Memory", place: "/memory", keys: "4", ofMesh: true },
  { label: "Progress", place: "/progress", keys: "5", ofMesh: true },
  { label: "Audit", place: "/audit", keys: "6" },
  { label: "Jobs", place: "/jobs", keys: "7", ofMesh: true },
];

/** The feed, the document, the parts with something in them, and under More the others. */
export function SessionTabs() {
  const { session, looksOn } = useSession();
  const pathname = usePathname();
  const [pane] = useQueryParam("pane");
  const home = `/sessions/${session.slug}`;
  const place = pathname.replace(/^\/sessions\/[^/]+|\/$/g, "");
  const isWide = useMediaQuery("(min-width: 64rem)");
  const list = useRef<HTMLUListElement>(null);
  const contents = useContents();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place is another tab to be brought into sight.
  useEffect(() => {
    // Where there is room for all of them, to ask would only have the page laid out once more.
    if (isWide) return;
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [place, isWide]);
  // Where both stand side by side, the document belongs to the feed's tab.
  const showsDocument = place === doc.place || (!isWide && place === "" && pane === "doc");
  const hrefOf = (tab: Tab) => (tab === doc && !isWide ? `${home}?pane=doc` : `${home}${tab.place}`);
  const possible = later.filter(({ ofMesh }) => !(looksOn && ofMesh));
  const isShown = (tab: Tab) => tab.place === place || Boolean(contents[tab.place]);
  const hidden = possible.filter((tab) => !isShown(tab));
  return (
    <nav aria-label="Parts of the session" className="border-b px-1 lg:px-3 print:hidden">
      <ul ref={list} className="flex overflow-x-auto">
        {[live, doc, ...possible.filter(isShown)].map((tab) => (
          <li key={tab.place} className="contents">
            <TabLink
              href={hrefOf(tab)}
              current={tab === doc ? showsDocument : tab.place === place && !showsDocument}
              count={contents[tab.place] ?? 0}
            >
              {tab.label}
            </TabLink>
          </li>
        ))}
        {hidden.length > 0 && (
          <li className="contents">
            <MoreTabs links={hidden.map((tab) => ({ href: hrefOf(tab), label: tab.label }))} />
          </li>
        )}
      </ul>
      {[live, doc, ...possible].map((tab) => (
        <TabKey key={tab.place} keys={tab.keys} label={tab.label} href={hrefOf(tab)} />
      ))}
    </nav>
  );
}

/** How much each later part has, or whether it has anything where nothing counts it. */
function useContents(): Readonly<Record<string, number | boolean>> {
  const { session, looksOn } = useSession();
  const { session_id } = session;
  const hasSettled = useHasSettled();
  const asksForTasks = hasSettled && session.unfinished_tasks === 0;
  const tasks = useRead("list_tasks", asksForTasks ? { session_id, state: "all", limit: 1 } : null, {
    on: ["tasks"],
  });
  const jobs = useRead("list_jobs", hasSettled && !looksOn ? { session_id, limit: 1 } : null, {
    on: ["jobs"],
  });
  return {
    "/tasks": session.unfinished_tasks || tasks.data?.tasks.length === 1,
    "/state": session.state_keys,
    "/memory": session.memories,
    "/progress": session.progress_entries,
    "/audit": session.status === "closed",
    "/jobs": jobs.data?.jobs.length === 1,
  };
}

function MoreTabs({
  links,
}: {
  readonly links: readonly { readonly href: string; readonly label: string }[];
}) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
        className="flex h-9 items-center gap-1.5 border-b-2 border-transparent px-3 text-muted-foreground hover:text-foreground pointer-coarse:h-11"
      >
        More <span className="text-xs tabular-nums">{links.length}</span>
      </button>
      {anchor && (
        <Suspense>
          <MoreLinks
            label="More parts of the session"
            links={links}
            anchor={anchor}
            onClose={() => setAnchor(null)}
          />
        </Suspense>
      )}
    </>
  );
}

interface TabLinkProps {
  readonly href: string;
  readonly current: boolean;
  readonly count: number | boolean;
  readonly children: string;
}

function TabLink({ href, current, count, children }: TabLinkProps) {
  return (
    <PageLink
      ahead="settled"
      href={href}
      scroll={false}
      aria-current={current ? "page" : undefined}
      className={cn(
        "flex h-9 items-center border-b-2 border-transparent px-3 text-muted-foreground hover:text-foreground pointer-coarse:h-11 forced-colors:border-[Canvas]",
        current && "border-primary font-medium text-foreground forced-colors:border-[Highlight]",
      )}
    >
      {children}
      {typeof count === "number" && count > 0 && (
        <span className="ps-1.5 text-xs text-muted-foreground tabular-nums">{count}</span>
      )}
    </PageLink>
  );
}

function TabKey({ keys, label, href }: { keys: string; label: string; href: string }) {
  const router = useRouter();
  const run = () => router.push(href);
  useShortcut(keys, run, { label: `Show ${label}`, group: "Session" });
  usePaletteAction({ id: href, label: `Show ${label}`, run });
  return null;
}
