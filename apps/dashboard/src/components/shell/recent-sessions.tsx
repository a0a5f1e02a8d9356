"use client";

import { usePathname } from "next/navigation";
import { PageLink } from "@/components/page-link";
import { useRead } from "@/lib/broker/use-read";

const shown = 8;

/** The sessions in which something was said last, with what is new in them. */
export function RecentSessions() {
  const pathname = usePathname();
  const { data } = useRead(
    "list_sessions",
    { status: "open", sort: "said", limit: shown },
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
            {unread !== null && unread > 0 && (
              <span className="font-medium text-foreground tabular-nums">
                {unread}
                <span className="sr-only"> new</span>
              </span>
            )}
          </PageLink>
        </li>
      ))}
    </ul>
  );
}
