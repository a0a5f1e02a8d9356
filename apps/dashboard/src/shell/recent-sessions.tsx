"use client";

import { usePathname } from "next/navigation";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { UnreadCount } from "@/components/unread-count";

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
