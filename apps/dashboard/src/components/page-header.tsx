"use client";

import { ChevronRight } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { PageLink } from "@/components/page-link";
import { useAttention } from "@/components/use-attention";
import { cn } from "@/core/utils";
import { LiveBadge } from "./live-badge";

export interface PageHeaderProps {
  /** The pages above the current page, followed by the current page. */
  readonly crumbs: readonly Crumb[];
  /** The page's actions. */
  readonly actions?: ReactNode;
}

/** The line at the top of every page: breadcrumb, connection state and actions. */
export function PageHeader({ crumbs, actions }: PageHeaderProps) {
  useDocumentTitle(crumbs.at(-1)?.label ?? "Merkle");
  return (
    <header className="flex min-h-12 shrink-0 items-center gap-3 border-b px-4 lg:px-6 print:hidden">
      <Breadcrumb crumbs={crumbs} />
      <div className="ml-auto flex min-w-0 items-center gap-2 sm:shrink-0">
        <LiveBadge />
        {actions}
      </div>
    </header>
  );
}

/** Sets the title of the browser tab, with the number of items that only a person can settle. */
function useDocumentTitle(title: string): void {
  const { data } = useAttention();
  const waitingCount = data?.needs_person ?? 0;
  useEffect(() => {
    const expectedTitle = `${waitingCount > 0 ? `(${waitingCount}) ` : ""}${title} · Merkle`;
    const restoreTitle = () => {
      if (document.title !== expectedTitle) document.title = expectedTitle;
    };
    restoreTitle();
    // The exported page also sets the title, sometimes after this effect, so watch for changes.
    const observer = new MutationObserver(restoreTitle);
    observer.observe(document.head, { subtree: true, childList: true, characterData: true });
    return () => observer.disconnect();
  }, [title, waitingCount]);
}

interface Crumb {
  readonly label: string;
  /** Undefined for the current page. */
  readonly href?: string;
  /** The page's heading, shown instead of the label. */
  readonly heading?: ReactNode;
}

/** The path to the current page, outermost page first. */
function Breadcrumb({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav aria-label="Breadcrumb" className="min-w-0 max-sm:shrink-[99]">
      <ol className="flex min-w-0 items-center gap-1 text-muted-foreground">
        {crumbs.map(({ label, href, heading }, place) => (
          <li
            // A heading stays the same element while its text changes.
            key={href ?? ""}
            className={cn(
              "flex min-w-0 items-center gap-1 first:shrink-0 last:text-foreground",
              // Keeps the last crumb visible, however long the name of the page above it is.
              crumbs.length > 2 && "last:shrink-0",
              // On a phone, hides the first crumb: the bottom bar has the same link, and the title needs the space.
              place === 0 && crumbs.length > 1 && "max-sm:hidden",
            )}
          >
            {place > 0 && (
              <ChevronRight aria-hidden className={cn("size-3.5 shrink-0", place === 1 && "max-sm:hidden")} />
            )}
            {href === undefined ? (
              (heading ?? (
                <span dir="auto" aria-current="page" className="truncate font-medium">
                  {label}
                </span>
              ))
            ) : (
              <PageLink
                prefetchOn="settled"
                href={href}
                className="inline-flex min-h-6 min-w-0 items-center rounded-md hover:text-foreground hover:underline pointer-coarse:min-h-11 pointer-coarse:min-w-11"
              >
                <span dir="auto" className="truncate">
                  {label}
                </span>
              </PageLink>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
