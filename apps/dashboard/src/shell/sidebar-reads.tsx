"use client";

import { usePathname } from "next/navigation";
import { useEffect } from "react";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { UnreadCount } from "@/components/unread-count";
import { useIsGuest, usePerson } from "@/identity/use-person";
import { ContentProbeReader } from "@/parts/content-probe-reader";
import type { NavItem } from "@/parts/feature";

const recentMax = 8;

/** The sessions with the newest messages, and their unread counts. */
export function RecentSessions() {
  const pathname = usePathname();
  const { data } = useRead(
    "list_sessions",
    { status: "open", sort: "said", limit: recentMax },
    { on: ["sessions", "person"] },
  );
  if (!data || data.sessions.length === 0) return null;
  return (
    <ul aria-label="Recent sessions" className="hidden flex-col gap-0.5 pl-6 xl:flex">
      {data.sessions.map(({ session_id, slug, title, unread }) => (
        <li key={session_id}>
          <PageLink
            href={`/sessions/${slug}`}
            title={title}
            aria-current={pathname.startsWith(`/sessions/${slug}`) ? "page" : undefined}
            className="flex h-7 items-center gap-2 rounded-md px-2 text-sm text-muted-foreground hover:bg-raised hover:text-foreground aria-[current=page]:bg-raised aria-[current=page]:text-foreground"
          >
            <span dir="auto" className="flex-1 truncate text-left">
              {title}
            </span>
            <span className="font-medium text-foreground">
              <UnreadCount count={unread} />
            </span>
          </PageLink>
        </li>
      ))}
    </ul>
  );
}

interface PlaceWatchProps {
  readonly places: readonly NavItem[];
  readonly onUsed: (href: string) => void;
}

/** Detects the first use of each page in the navigation. */
export function PlaceWatch({ places, onUsed }: PlaceWatchProps) {
  const { person } = usePerson();
  const isHuman = !useIsGuest() && person !== null;
  const pathname = usePathname();
  useEffect(() => {
    if (places.some(({ href, isUsedByVisit: byVisit }) => byVisit && href === pathname)) onUsed(pathname);
  });
  return places.map(
    ({ href, probe }) =>
      probe &&
      (isHuman || !probe.needsHuman) && (
        <ContentProbeReader key={href} probe={probe} onFound={() => onUsed(href)} />
      ),
  );
}
