"use client";

import { usePathname, useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { PageLink } from "@/components/page-link";
import { useQueryParam } from "@/core/address/use-query-param";
import { usePaletteAction } from "@/core/keyboard/use-palette-action";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { lazyPart } from "@/core/lazy-part";
import { useHasSettled } from "@/core/use-has-settled";
import { useMediaQuery } from "@/core/use-media-query";
import { cn } from "@/core/utils";
import type { SessionTab } from "@/parts/feature";
import { useFeatures } from "@/parts/features-context";
import { Looking } from "@/parts/looking";
import { useSession } from "@/sessions/session-context";

const MoreLinks = lazyPart(() => import("@/components/more-links"), "MoreLinks");

const live: SessionTab = { label: "Live", place: "", keys: "1" };
const doc: SessionTab = { label: "Document", place: "/doc", keys: "8" };

/** The tabs of a session: feed, document, and the parts with content. The other parts are under More. */
export function SessionTabs() {
  const { session, isObserver } = useSession();
  const later = useFeatures().flatMap(({ sessionTabs = [] }) => sessionTabs);
  const pathname = usePathname();
  const [pane] = useQueryParam("pane");
  const home = `/sessions/${session.slug}`;
  const place = pathname.replace(/^\/sessions\/[^/]+|\/$/g, "");
  const isWide = useMediaQuery("(min-width: 64rem)");
  const list = useRef<HTMLUListElement>(null);
  const hasSettled = useHasSettled();
  const [found, setFound] = useState<ReadonlySet<string>>(new Set());
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a change of place another tab has to be in view.
  useEffect(() => {
    // On a wide screen all tabs are visible, and measuring them would cost one more layout.
    if (isWide) return;
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [place, isWide]);
  // If feed and document are side by side, the Live tab covers both.
  const showsDocument = place === doc.place || (!isWide && place === "" && pane === "doc");
  const hrefOf = (tab: SessionTab) => (tab === doc && !isWide ? `${home}?pane=doc` : `${home}${tab.place}`);
  const possible = later
    .filter(({ ofMesh }) => !(isObserver && ofMesh))
    .sort((one, other) => one.keys.localeCompare(other.keys));
  const countOf = (tab: SessionTab) => tab.countOf?.(session) || found.has(tab.place);
  const isShown = (tab: SessionTab) => tab.place === place || Boolean(countOf(tab));
  const hidden = possible.filter((tab) => !isShown(tab));
  return (
    <nav aria-label="Parts of the session" className="border-b px-1 lg:px-3 print:hidden">
      <ul ref={list} className="flex overflow-x-auto">
        {[live, doc, ...possible.filter(isShown)].map((tab) => (
          <li key={tab.place} className="contents">
            <TabLink
              href={hrefOf(tab)}
              isCurrent={tab === doc ? showsDocument : tab.place === place && !showsDocument}
              count={countOf(tab)}
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
      {hasSettled &&
        possible.map(
          (tab) =>
            tab.look &&
            !countOf(tab) && (
              <Looking
                key={tab.place}
                look={tab.look(session.session_id)}
                onFound={() => setFound((before) => new Set([...before, tab.place]))}
              />
            ),
        )}
    </nav>
  );
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
        <MoreLinks
          label="More parts of the session"
          links={links}
          anchor={anchor}
          onClose={() => setAnchor(null)}
        />
      )}
    </>
  );
}

interface TabLinkProps {
  readonly href: string;
  readonly isCurrent: boolean;
  readonly count: number | boolean;
  readonly children: string;
}

function TabLink({ href, isCurrent, count, children }: TabLinkProps) {
  return (
    <PageLink
      ahead="settled"
      href={href}
      scroll={false}
      aria-current={isCurrent ? "page" : undefined}
      className={cn(
        "flex h-9 items-center border-b-2 border-transparent px-3 text-muted-foreground hover:text-foreground pointer-coarse:h-11 forced-colors:border-[Canvas]",
        isCurrent && "border-primary font-medium text-foreground forced-colors:border-[Highlight]",
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
