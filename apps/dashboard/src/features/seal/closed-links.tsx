"use client";

import { Download, ShieldCheck } from "lucide-react";
import { PageLink } from "@/components/page-link";
import { ExportLink } from "@/features/export/api";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";

/** Links to export and verify a closed session. */
export function ClosedLinks() {
  const { session } = useSession();
  return (
    <>
      <Button asChild variant="outline" size="sm">
        <ExportLink slug={session.slug} as="bundle">
          <Download aria-hidden /> Export
        </ExportLink>
      </Button>
      <Button asChild variant="outline" size="sm">
        <PageLink href={`/sessions/${session.slug}/audit?check=1`}>
          <ShieldCheck aria-hidden /> Verify
        </PageLink>
      </Button>
    </>
  );
}
