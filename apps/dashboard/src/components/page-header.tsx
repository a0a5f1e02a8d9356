"use client";

import { type ReactNode, useEffect } from "react";
import { useAttention } from "@/components/use-attention";
import { Breadcrumb, type Crumb } from "./breadcrumb";
import { LiveBadge } from "./live-badge";

export interface PageHeaderProps {
  /** The pages above the current page, followed by the current page. */
  readonly crumbs: readonly Crumb[];
  /** The actions of the page. */
  readonly actions?: ReactNode;
}

/** The line at the top of every page: breadcrumb, connection state and actions. */
export function PageHeader({ crumbs, actions }: PageHeaderProps) {
  useDocumentTitle(crumbs.at(-1)?.label ?? "Merkle");
  return (
    <header className="flex h-12 shrink-0 items-center gap-3 border-b px-4 lg:px-6 pointer-coarse:h-14 print:hidden">
      <Breadcrumb crumbs={crumbs} />
      <div className="ml-auto flex min-w-0 items-center gap-2 sm:shrink-0">
        <LiveBadge />
        {actions}
      </div>
    </header>
  );
}

/** Sets the title of the browser tab, with the number of items that wait for a human. */
function useDocumentTitle(title: string): void {
  const { data } = useAttention();
  const waiting = data?.total ?? 0;
  useEffect(() => {
    const wanted = `${waiting > 0 ? `(${waiting}) ` : ""}${title} · Merkle`;
    const keep = () => {
      if (document.title !== wanted) document.title = wanted;
    };
    keep();
    // The exported page sets its own title, sometimes later.
    const observer = new MutationObserver(keep);
    observer.observe(document.head, { subtree: true, childList: true, characterData: true });
    return () => observer.disconnect();
  }, [title, waiting]);
}
