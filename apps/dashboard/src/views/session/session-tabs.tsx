"use client";

import { usePathname, useRouter } from "next/navigation";
import { useEffect, useRef } from "react";
import { PageLink } from "@/components/page-link";
import { useQueryParam } from "@/core/address/use-query-param";
import { usePaletteAction } from "@/core/keyboard/use-palette-action";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { useMediaQuery } from "@/core/use-media-query";
import { cn } from "@/core/utils";
import { useSession } from "@/sessions/session-context";

interface Tab {
  readonly label: string;
  /** The part of the address behind the session. */
  readonly place: string;
  readonly count?: "unfinished_tasks" | "state_keys" | "memories" | "progress_entries";
  /** Left out for who only looks on: it shows what belongs to the mesh. */
  readonly ofMesh?: true;
}

const tabs: readonly Tab[] = [
  { label: "Live", place: "" },
  { label: "Tasks", place: "/tasks", count: "unfinished_tasks" },
  { label: "State", place: "/state", count: "state_keys" },
  { label: "Memory", place: "/memory", count: "memories", ofMesh: true },
  { label: "Progress", place: "/progress", count: "progress_entries", ofMesh: true },
  { label: "Audit", place: "/audit" },
  { label: "Jobs", place: "/jobs", ofMesh: true },
];

/** The parts of a session. Where there is no room for feed and document side by side, the document is one of them. */
export function SessionTabs() {
  const { session, looksOn } = useSession();
  const pathname = usePathname();
  const [pane] = useQueryParam("pane");
  const home = `/sessions/${session.slug}`;
  const place = pathname.replace(/^\/sessions\/[^/]+|\/$/g, "");
  const isWide = useMediaQuery("(min-width: 64rem)");
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place is another tab to be brought into sight.
  useEffect(() => {
    // Where there is room for all of them, to ask would only have the page laid out once more.
    if (isWide) return;
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [place, isWide]);
  // Where both stand side by side, the document belongs to the feed's tab.
  const showsDocument = !isWide && place === "" && pane === "doc";
  return (
    <nav aria-label="Parts of the session" className="border-b px-1 lg:px-3">
      <ul ref={list} className="flex overflow-x-auto">
        {(looksOn ? tabs.filter(({ ofMesh }) => !ofMesh) : tabs).map((tab, index) => (
          <li key={tab.place} className="contents">
            <TabKey keys={String(index + 1)} label={tab.label} href={`${home}${tab.place}`} />
            <TabLink
              href={`${home}${tab.place}`}
              current={place === tab.place && !showsDocument}
              count={tab.count === undefined ? 0 : session[tab.count]}
            >
              {tab.label}
            </TabLink>
            {tab.place === "" && (
              <TabLink href={`${home}?pane=doc`} current={showsDocument} className="lg:hidden">
                Document
              </TabLink>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface TabLinkProps {
  readonly href: string;
  readonly current: boolean;
  readonly count?: number;
  readonly className?: string;
  readonly children: string;
}

function TabLink({ href, current, count = 0, className, children }: TabLinkProps) {
  return (
    <PageLink
      ahead="settled"
      href={href}
      scroll={false}
      aria-current={current ? "page" : undefined}
      className={cn(
        "flex h-9 items-center border-b-2 border-transparent px-3 text-muted-foreground hover:text-foreground pointer-coarse:h-11 forced-colors:border-[Canvas]",
        current && "border-primary font-medium text-foreground forced-colors:border-[Highlight]",
        className,
      )}
    >
      {children}
      {count > 0 && <span className="ps-1.5 text-xs text-muted-foreground tabular-nums">{count}</span>}
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
