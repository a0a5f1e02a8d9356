"use client";

import { PageHeader } from "@/components/shell/page-header";
import { useSession } from "./session-context";

/** Where one is, in one line, for a part of the session that has the page to itself. */
export function ShortHeader({ label }: { label: string }) {
  const { session } = useSession();
  return (
    <>
      <h1 dir="auto" className="sr-only">
        {label} of {session.title}
      </h1>
      <PageHeader
        crumbs={[
          { label: "Sessions", href: "/" },
          { label: session.title, href: `/sessions/${session.slug}` },
          { label },
        ]}
      />
    </>
  );
}
