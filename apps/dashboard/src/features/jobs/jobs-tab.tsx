"use client";

import { NotebookPen } from "lucide-react";
import { Suspense, useEffect } from "react";
import { PageBody } from "@/components/page-body";
import { PanelBoundary } from "@/components/panel-boundary";
import { RefusalNote } from "@/components/refusal-note";
import { useQueryParam } from "@/core/address/use-query-param";
import { usePaletteAction } from "@/core/keyboard/use-palette-action";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { useSessionActions } from "@/views/session/use-session-actions";
import { isInFlight } from "./describe-job";
import { useDraftObstacle } from "./draft-obstacle";
import { runnerNoteId } from "./runner-note";
import { SourceJobs } from "./source-jobs";
import { useJobs } from "./use-jobs";
import { conclusionTarget, useStartJob } from "./use-start-job";

/** The jobs on the session's document, and their states. */
export function JobsTab() {
  return (
    <section aria-label="Jobs" className="min-h-0 min-w-0 flex-1 overflow-y-auto">
      <PanelBoundary title="Jobs">
        <PageBody className="grid gap-3">
          <Jobs />
          <Suspense>
            <ConcludeByAddress />
          </Suspense>
        </PageBody>
      </PanelBoundary>
    </section>
  );
}

function Jobs() {
  const { session } = useSession();
  const { data } = useJobs();
  const jobs = data?.jobs;
  const isBusy = jobs?.some(isInFlight) ?? true;
  return (
    <>
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="max-w-prose min-w-0 flex-1 basis-64 text-muted-foreground">
          Each job is one agent run on the document. You review its result
          {session.settings.agent_concludes === "concludes"
            ? ", except for conclusions: in this session the agent may conclude."
            : " before anything changes."}
        </p>
        {jobs !== undefined && jobs.length > 0 && !isBusy && <Draft />}
      </header>
      <SourceJobs none={<NoJobs />} />
    </>
  );
}

/** A button that starts a job to draft the conclusion. If none can run, the note above the jobs says why. A person then edits the draft and concludes with it. */
function Draft() {
  const { start, isPending, refusal } = useStartJob();
  const obstacle = useDraftObstacle();
  const isDisabled = obstacle?.isFinal === true;
  const startDraft = () => void start(conclusionTarget);
  usePaletteAction(
    isDisabled ? null : { id: "draft-conclusion", label: "Draft conclusion", run: startDraft },
  );
  return (
    <div className="grid gap-1">
      <Button
        variant="outline"
        disabled={isPending || isDisabled}
        aria-describedby={isDisabled ? runnerNoteId : undefined}
        onClick={startDraft}
      >
        <NotebookPen aria-hidden /> {isPending ? "Starting…" : "Draft conclusion"}
      </Button>
      <RefusalNote refusal={refusal} />
    </div>
  );
}

function NoJobs() {
  return (
    <Empty className="rounded-lg border">
      <EmptyTitle>No jobs yet</EmptyTitle>
      <EmptyDescription>
        Have an agent draft the conclusion, work on a comment, or review the document from a persona's
        perspective.
      </EmptyDescription>
      <Draft />
    </Empty>
  );
}

/** Opens the conclude dialog with the current draft if the URL contains `?conclude=1`, as links to a draft do. */
function ConcludeByAddress() {
  const { open } = useSessionActions();
  const [concludeParam, setConcludeParam] = useQueryParam("conclude");
  useEffect(() => {
    if (concludeParam === null) return;
    setConcludeParam(null, { replace: true });
    open("conclude");
  }, [concludeParam, setConcludeParam, open]);
  return null;
}
