"use client";

import { PageHeader } from "@/components/shell/page-header";
import { useSession } from "./session-context";

/** Where one is, in one line, for a part of the session that has the page to itself. */
export function ShortHeader({ label }: { label: string }) {
  const { session } = useSession();
  return (
    <PageHeader
      crumbs={[
        { label: "Sessions", href: "/" },
        { label: session.title, href: `/sessions/${session.slug}` },
        { label },
      ]}
    />
  );
}
