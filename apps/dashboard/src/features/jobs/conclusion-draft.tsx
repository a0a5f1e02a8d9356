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
import { JobMark } from "./job-mark";
import { JobTime } from "./job-time";
import { RunnerNote } from "./runner-note";
import { useJobs } from "./use-jobs";
import { draftTheConclusion, useStartJob } from "./use-start-job";

/** Offers to have an agent draft the conclusion, shows the job's progress, and inserts the draft into the field. */
export function ConclusionDraft({ usedId, onDraft, ...props }: ConclusionDraftProps) {
  const { session } = useSession();
  const draft = useOpenDraft(session.session_id, onDraft);
  const { data } = useJobs();
  if (data === undefined || draft === undefined) return null;
  const busy = data.jobs.find(isInFlight);
  const last = data.jobs.find(({ kind }) => kind === "conclude");
  if (busy) return <Bar>{busy.kind === "conclude" ? <Drafting job={busy} /> : <Elsewhere job={busy} />}</Bar>;
  if (draft === null) return <Draftable failed={last?.message === null ? undefined : last} />;
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

const wordsClass = "min-w-0 flex-1 basis-60 [overflow-wrap:anywhere]";

function Drafting({ job }: { readonly job: Job }) {
  const call = useCall();
  const { run, pending, refusal } = useAction();
  const { job_id } = job;
  return (
    <>
      <p role="status" className={wordsClass}>
        <JobMark status={job.status} className="font-medium" /> <JobTime {...job} />
        {job.status === "queued" ? ". An agent drafts it when its turn comes." : ". An agent is drafting."}{" "}
        You can write in the meantime, or close this and come back.
      </p>
      <Button
        type="button"
        variant="outline"
        size="sm"
        disabled={pending}
        onClick={() => void run(async (signal) => void (await call("cancel_job", { job_id }, { signal })))}
      >
        Cancel draft
      </Button>
      <RefusalNote refusal={refusal} className="basis-full" />
    </>
  );
}

function Elsewhere({ job: { job_id } }: { readonly job: Job }) {
  return (
    <p className={wordsClass}>
      An agent is working on the document (<span className="tabular-nums">job {job_id}</span>). Once it’s
      done, an agent can draft the conclusion.
    </p>
  );
}

function Draftable({ failed }: { readonly failed: Job | undefined }) {
  const { start, pending, refusal } = useStartJob();
  return (
    <div className="grid gap-2">
      <Bar>
        <div className={wordsClass}>
          <p>
            An agent can draft the conclusion from the feed and document. You edit the draft and conclude.
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
          disabled={pending}
          onClick={() => void start(draftTheConclusion)}
        >
          <NotebookPen aria-hidden />
          {pending ? "Starting…" : failed === undefined ? "Draft conclusion" : "Try again"}
        </Button>
        <RefusalNote refusal={refusal} className="basis-full" />
      </Bar>
      <RunnerNote />
    </div>
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
  const tried = useRef<number>(null);
  useEffect(() => {
    if (!isEmpty || isUsed || tried.current === draft.proposal_id) return;
    tried.current = draft.proposal_id;
    use();
  }, [isEmpty, isUsed, draft.proposal_id, use]);
  return (
    <Bar>
      <div className={wordsClass}>
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
        <Button type="button" variant="outline" size="sm" disabled={action.pending} onClick={use}>
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
function Decide({ draft: { proposal_id, stale }, action: { run, pending }, onUse }: DecideProps) {
  const call = useCall();
  const keep = () =>
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
        <Button type="button" variant="outline" size="sm" disabled={pending} onClick={keep}>
          Keep draft anyway
        </Button>
      )}
      <Button type="button" variant="ghost" size="sm" disabled={pending} onClick={reject}>
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
