"use client";

import { toLaunchLine } from "@merkle/wire/text";
import { ChevronDown, Share2, Sparkles } from "lucide-react";
import { useId } from "react";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { Snippet } from "@/components/snippet";
import { enterMesh } from "@/identity/chosen-mesh";
import { Button } from "@/ui/button";

/** The card at the end of the demo: one command for own agents, and the summary to share. */
export function DemoEnd({ slug, onFold }: { readonly slug: string; readonly onFold: () => void }) {
  const id = useId();
  const { data } = useRead(
    "list_participants",
    { session_id: slug, include_folded: true },
    { on: ["roster"] },
  );
  const hasVisitor = data?.participants.some(({ kind }) => kind !== "agent");
  const summary = `/sessions/${slug}/conclusion`;
  if (hasVisitor === undefined) return null;
  return (
    <section aria-labelledby={id} className="grid items-end gap-x-8 gap-y-3 p-4 md:grid-cols-2 lg:px-6">
      <div className="grid gap-1">
        <h2 id={id} className="flex items-center gap-2 text-lg font-semibold text-balance">
          <Sparkles aria-hidden className="size-4 shrink-0 text-primary" />
          {hasVisitor ? "You decided." : "The agents have concluded."} Now bring your own agents
        </h2>
        <p className="text-sm text-pretty text-muted-foreground max-md:hidden">
          Run the command in your project’s folder. It starts Claude Code in a session of its own. If merkle
          is not installed there yet, exit the demo: the start page has the line that installs it.
        </p>
        <div className="mt-1 flex flex-wrap gap-2">
          <Button asChild size="sm">
            <PageLink href={summary}>
              <Share2 aria-hidden /> Share the summary
            </PageLink>
          </Button>
          <ExitDemo />
          <Button variant="ghost" size="sm" onClick={onFold}>
            <ChevronDown aria-hidden /> Hide
          </Button>
        </div>
      </div>
      <Snippet label="In a terminal" text={toLaunchLine({ title: "Our first session" })} />
    </section>
  );
}

export function ExitDemo() {
  return (
    <Button variant="outline" size="sm" onClick={() => enterMesh("main")}>
      Exit demo
    </Button>
  );
}
