"use client";

import { Download, FileDown, ShieldCheck } from "lucide-react";
import { useRead } from "@/broker/use-read";
import { HashText } from "@/components/hash-text";
import { PageLink } from "@/components/page-link";
import { RefusalNote } from "@/components/refusal-note";
import { SealRose } from "@/components/seal-rose";
import { TimeText } from "@/components/time-text";
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

export function SaveAsHtml() {
  const { session } = useSession();
  return (
    <Button asChild variant="outline" size="sm">
      <ExportLink slug={session.slug} as="html">
        <FileDown aria-hidden /> Save as HTML
      </ExportLink>
    </Button>
  );
}

function useSeal() {
  const { session } = useSession();
  const { data, problem } = useRead("session_seal", { session_id: session.session_id });
  return { slug: session.slug, sealed: data?.seals[0], problem };
}

/** The sealed root, drawn as a figure. */
export function Mark() {
  const { sealed } = useSeal();
  return sealed ? <SealRose root={sealed.root} className="size-20 md:size-24" /> : null;
}

export function Seal() {
  const { slug, sealed, problem } = useSeal();
  if (problem) return <RefusalNote refusal={problem} />;
  if (!sealed) return <p className="text-muted-foreground">Loading…</p>;
  const { root, at, size, key_id } = sealed;
  return (
    <div className="grid gap-1">
      <p className="text-muted-foreground">
        The broker signed {size === 1 ? "1 message" : `${size.toLocaleString("en-GB")} messages`} at{" "}
        <TimeText at={at} as="clock" className="tabular-nums" /> with key <HashText hash={key_id} />. Root:
      </p>
      <p>
        <HashText hash={root} isWhole />
      </p>
      <p className="mt-2 print:hidden">
        <Button asChild variant="outline" size="sm">
          <PageLink href={`/sessions/${slug}/audit?check=1`}>
            <ShieldCheck aria-hidden /> Verify here
          </PageLink>
        </Button>
      </p>
    </div>
  );
}
