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
import { ContentProbeReader } from "@/parts/content-probe-reader";
import type { SessionTab } from "@/parts/feature";
import { useFeatures } from "@/parts/features-context";
import { useSession } from "@/sessions/session-context";

const MoreLinks = lazyPart(() => import("@/components/more-links"), "MoreLinks");

const live: SessionTab = { label: "Live", path: "", keys: "1" };
const doc: SessionTab = { label: "Document", path: "/doc", keys: "8" };

/** The tabs of a session: feed, document, and the parts with content. The other parts are under More. */
export function SessionTabs() {
  const { session, isObserver } = useSession();
  const featureTabs = useFeatures().flatMap(({ sessionTabs = [] }) => sessionTabs);
  const pathname = usePathname();
  const [pane] = useQueryParam("pane");
  const home = `/sessions/${session.slug}`;
  const currentPath = pathname.replace(/^\/sessions\/[^/]+|\/$/g, "");
  const isWide = useMediaQuery("(min-width: 64rem)");
  const list = useRef<HTMLUListElement>(null);
  const hasSettled = useHasSettled();
  const [tabsWithContent, setTabsWithContent] = useState<ReadonlySet<string>>(new Set());
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a change of place another tab has to be in view.
  useEffect(() => {
    // On a wide screen all tabs are visible, and measuring them would cost one more layout.
    if (isWide) return;
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [currentPath, isWide]);
  // If feed and document are side by side, the Live tab covers both.
  const showsDocument = currentPath === doc.path || (!isWide && currentPath === "" && pane === "doc");
  const toHref = (tab: SessionTab) => (tab === doc && !isWide ? `${home}?pane=doc` : `${home}${tab.path}`);
  const availableTabs = featureTabs
    .filter(({ showsMesh }) => !(isObserver && showsMesh))
    .sort((one, other) => one.keys.localeCompare(other.keys));
  const countItems = (tab: SessionTab) => tab.countItems?.(session) || tabsWithContent.has(tab.path);
  const isShown = (tab: SessionTab) => tab.path === currentPath || Boolean(countItems(tab));
  const hidden = availableTabs.filter((tab) => !isShown(tab));
  return (
    <nav aria-label="Parts of the session" className="border-b px-1 lg:px-3 print:hidden">
      <ul ref={list} className="flex overflow-x-auto">
        {[live, doc, ...availableTabs.filter(isShown)].map((tab) => (
          <li key={tab.path} className="contents">
            <TabLink
              href={toHref(tab)}
              isCurrent={tab === doc ? showsDocument : tab.path === currentPath && !showsDocument}
              count={countItems(tab)}
            >
              {tab.label}
            </TabLink>
          </li>
        ))}
        {hidden.length > 0 && (
          <li className="contents">
            <MoreTabs links={hidden.map((tab) => ({ href: toHref(tab), label: tab.label }))} />
          </li>
        )}
      </ul>
      {[live, doc, ...availableTabs].map((tab) => (
        <TabKey key={tab.path} keys={tab.keys} label={tab.label} href={toHref(tab)} />
      ))}
      {hasSettled &&
        availableTabs.map(
          (tab) =>
            tab.createProbe &&
            !countItems(tab) && (
              <ContentProbeReader
                key={tab.path}
                probe={tab.createProbe(session.session_id)}
                onFound={() => setTabsWithContent((before) => new Set([...before, tab.path]))}
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
      prefetchOn="settled"
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
