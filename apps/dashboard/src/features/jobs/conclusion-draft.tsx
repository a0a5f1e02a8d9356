"use client";

import type { Job, Proposal } from "@merkle/wire";
import { NotebookPen } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useRef } from "react";
import { type Action, useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { RefusalNote } from "@/components/refusal-note";
import { TimeText } from "@/components/time-text";
import type { ConclusionDraftProps } from "@/parts/feature";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { isInFlight } from "./describe-job";
import { DraftObstacleText, useDraftObstacle } from "./draft-obstacle";
import { JobMark } from "./job-mark";
import { JobTime } from "./job-time";
import { useJobs } from "./use-jobs";
import { conclusionTarget, useStartJob } from "./use-start-job";

/** Offers to have an agent draft the conclusion, shows the job's progress, and inserts the draft into the field. */
export function ConclusionDraft({ usedId, onDraft, ...props }: ConclusionDraftProps) {
  const { session } = useSession();
  const draft = useOpenDraft(session.session_id, onDraft);
  const { data } = useJobs();
  if (data === undefined || draft === undefined) return null;
  const runningJob = data.jobs.find(isInFlight);
  const lastConclusionJob = data.jobs.find(({ kind }) => kind === "conclude");
  if (runningJob)
    return (
      <Bar>
        {runningJob.kind === "conclude" ? (
          <Drafting job={runningJob} />
        ) : (
          <JobElsewhereNotice job={runningJob} />
        )}
      </Bar>
    );
  if (draft === null)
    return <Draftable failed={lastConclusionJob?.message === null ? undefined : lastConclusionJob} />;
  return <Drafted {...props} draft={draft} isUsed={usedId === String(draft.proposal_id)} />;
}

/** Returns the open draft of a conclusion, kept up to date. Null if there is none, undefined while loading. */
function useOpenDraft(
  session_id: string,
  onDraft: ConclusionDraftProps["onDraft"],
): Proposal | null | undefined {
  const call = useCall();
  const { data } = useRead(
    "list_proposals",
    { session_id, status: "open", limit: 50 },
    { on: ["proposals"] },
  );
  const draft = data && (data.proposals.find(({ kind }) => kind === "conclusion") ?? null);
  useEffect(() => {
    if (!draft) return onDraft(null);
    const { proposal_id, stale, base_version } = draft;
    onDraft({
      id: String(proposal_id),
      isStale: stale,
      accept: (content, signal) =>
        call(
          "decide_proposal",
          { proposal_id, decision: "accept", base: base_version ?? 0, content },
          { signal },
        ),
    });
  }, [draft, call, onDraft]);
  return draft;
}

function Bar({ children }: { readonly children: ReactNode }) {
  return (
    <section
      aria-label="Agent’s draft"
      className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2 rounded-md border bg-surface px-3 py-2 text-sm"
    >
      {children}
    </section>
  );
}

const textClasses = "min-w-0 flex-1 basis-60 [overflow-wrap:anywhere]";

function Drafting({ job }: { readonly job: Job }) {
  const call = useCall();
  const { run, isPending, refusal } = useAction();
  const { job_id } = job;
  return (
    <>
      <p role="status" className={textClasses}>
        <JobMark status={job.status} className="font-medium" /> <JobTime {...job} />
        {job.status === "queued" ? ". An agent drafts it when its turn comes." : ". An agent is drafting."}{" "}
        You can write in the meantime, or close this and come back.
      </p>
      <Button
        type="button"
        variant="outline"
        size="sm"
        disabled={isPending}
        onClick={() => void run(async (signal) => void (await call("cancel_job", { job_id }, { signal })))}
      >
        Cancel draft
      </Button>
      <RefusalNote refusal={refusal} className="basis-full" />
    </>
  );
}

function JobElsewhereNotice({ job: { job_id } }: { readonly job: Job }) {
  return (
    <p className={textClasses}>
      An agent is working on the document (<span className="tabular-nums">job {job_id}</span>). Once it’s
      done, an agent can draft the conclusion.
    </p>
  );
}

function Draftable({ failed }: { readonly failed: Job | undefined }) {
  const { start, isPending, refusal } = useStartJob();
  const obstacle = useDraftObstacle();
  return (
    <Bar>
      <div className={textClasses}>
        <p>
          {obstacle === null ? (
            "An agent can draft the conclusion from the feed and document. You edit the draft and conclude."
          ) : (
            <DraftObstacleText obstacle={obstacle} />
          )}
        </p>
        {failed !== undefined && (
          <p className="text-muted-foreground">
            The last attempt failed <TimeText at={failed.completed_at ?? failed.created_at} />:{" "}
            {failed.message}
          </p>
        )}
      </div>
      <Button
        type="button"
        variant="outline"
        size="sm"
        disabled={isPending || obstacle?.isFinal}
        onClick={() => void start(conclusionTarget)}
      >
        <NotebookPen aria-hidden />
        {isPending ? "Starting…" : failed === undefined ? "Draft conclusion" : "Try again"}
      </Button>
      <RefusalNote refusal={refusal} className="basis-full" />
    </Bar>
  );
}

interface DraftedProps extends Pick<ConclusionDraftProps, "isEmpty" | "onUse"> {
  readonly draft: Proposal;
  readonly isUsed: boolean;
}

function Drafted({ draft, isUsed, isEmpty, onUse }: DraftedProps) {
  const { session } = useSession();
  const changes = `/sessions/${session.slug}/doc?compare=${draft.base_version}..${session.document_version}`;
  const action = useAction();
  const use = useUseDraft(draft.proposal_id, action, onUse);
  const autoUsedId = useRef<number>(null);
  useEffect(() => {
    if (!isEmpty || isUsed || autoUsedId.current === draft.proposal_id) return;
    autoUsedId.current = draft.proposal_id;
    use();
  }, [isEmpty, isUsed, draft.proposal_id, use]);
  return (
    <Bar>
      <div className={textClasses}>
        <p>
          {isUsed ? "Draft by " : "A draft is ready, by "}
          <bdi>{draft.proposed_by ?? "an agent"}</bdi>, <TimeText at={draft.proposed_at} />.{" "}
          {isUsed && !draft.stale && "Edit it as you like. Concluding accepts it."}
        </p>
        {draft.note !== "" && (
          <p dir="auto" className="text-muted-foreground">
            {draft.note}
          </p>
        )}
        {draft.stale && (
          <p className="text-warning">
            The document has changed since then.{" "}
            <PageLink href={changes} className="text-link underline underline-offset-4">
              See changes
            </PageLink>
          </p>
        )}
      </div>
      {isUsed ? (
        <Decide draft={draft} action={action} onUse={onUse} />
      ) : (
        <Button type="button" variant="outline" size="sm" disabled={action.isPending} onClick={use}>
          {isEmpty ? "Use draft" : "Use draft instead"}
        </Button>
      )}
      <RefusalNote refusal={action.refusal} className="basis-full" />
    </Bar>
  );
}

interface DecideProps {
  readonly draft: Proposal;
  readonly action: Action;
  readonly onUse: ConclusionDraftProps["onUse"];
}

/** Buttons to keep or reject a draft. The dialog's submit button concludes with the draft. */
function Decide({ draft: { proposal_id, stale }, action: { run, isPending }, onUse }: DecideProps) {
  const call = useCall();
  const rebase = () =>
    void run(async (signal) => {
      const { next_proposal_id } = await call(
        "decide_proposal",
        { proposal_id, decision: "rebase" },
        { signal },
      );
      // The edited text stays, and is now based on the new draft.
      if (next_proposal_id !== null) onUse(String(next_proposal_id));
    });
  const reject = () =>
    void run(
      async (signal) => void (await call("decide_proposal", { proposal_id, decision: "reject" }, { signal })),
    );
  return (
    <>
      {stale && (
        <Button type="button" variant="outline" size="sm" disabled={isPending} onClick={rebase}>
          Keep draft anyway
        </Button>
      )}
      <Button type="button" variant="ghost" size="sm" disabled={isPending} onClick={reject}>
        Reject draft
      </Button>
    </>
  );
}

function useUseDraft(
  proposal_id: number,
  { run }: Pick<Action, "run">,
  onUse: ConclusionDraftProps["onUse"],
): () => void {
  const call = useCall();
  const latest = useRef(onUse);
  useEffect(() => {
    latest.current = onUse;
  });
  return useCallback(
    () =>
      void run(async (signal) => {
        const { content } = await call("get_proposal", { proposal_id }, { signal });
        latest.current(String(proposal_id), content ?? "");
      }),
    [call, run, proposal_id],
  );
}
