"use client";

import type { JobKind, OutputOf } from "@merkle/wire";
import { useRead } from "@/broker/use-read";
import { Fact } from "@/components/fact";
import { PageLink } from "@/components/page-link";
import { ReadPanel } from "@/components/read-panel";
import { describeDuration } from "@/core/time/describe-time";
import { kindWords } from "./describe-job";
import { describeSpan } from "./describe-span";

type Runner = OutputOf<"get_runner">;

/** The runner of jobs, its client and its bounds. They are configured beside the broker, and read here. */
export function RunnerFacts() {
  return (
    <ReadPanel
      read={useRead("get_runner", {}, { on: ["jobs"] })}
      failed="The broker did not say who runs jobs."
    >
      {(facts) => <Facts facts={facts} />}
    </ReadPanel>
  );
}

function Facts({ facts }: { readonly facts: Runner }) {
  const { here, elsewhere, running, queued } = facts;
  return (
    <>
      {here === null ? (
        <p>
          This broker runs no jobs itself. What is started waits{elsewhere ? "." : " for good, as it is."}
        </p>
      ) : (
        <Here here={here} />
      )}
      <p>
        {elsewhere ? (
          <>
            Other runners may take jobs, too (<code className="font-mono text-sm">merkle runner</code>): who
            owns one can read the session of a job that it takes.
          </>
        ) : (
          <>
            No other runner may take jobs: <code className="font-mono text-sm">agent.remote_runners</code> is
            off.
          </>
        )}
      </p>
      <p className="text-sm text-muted-foreground tabular-nums">
        {running === 0 && queued === 0
          ? "No job runs or waits in this mesh."
          : `In this mesh ${running} ${running === 1 ? "job runs" : "jobs run"} and ${queued} ${queued === 1 ? "waits" : "wait"}.`}
      </p>
    </>
  );
}

function Here({ here }: { readonly here: NonNullable<Runner["here"]> }) {
  const { runner, running_max, timeouts_s, author } = here;
  return (
    <>
      {runner !== null && runner.problem !== null && (
        <p className="rounded-lg border border-danger/40 bg-danger-surface px-3 py-2 text-sm [overflow-wrap:anywhere]">
          <span className="font-medium text-danger">Jobs cannot be run as it is.</span> {runner.problem}
        </p>
      )}
      <dl className="grid gap-x-8 gap-y-2 text-sm sm:grid-cols-2">
        {runner !== null && (
          <>
            <Fact name="Runs">
              <code className="font-mono">{runner.program}</code>
              {runner.version !== null && `, ${runner.version}`}
            </Fact>
            <Fact name="On">{runner.host}, beside this broker</Fact>
            <Fact name="Kept together by">{containments[runner.containment]}</Fact>
            <Fact name="An agent may">{permissions[runner.permissions]}</Fact>
            <Fact name="Processes of a job">
              {runner.processes_max.toLocaleString("en-GB")} at most, threads counted
            </Fact>
          </>
        )}
        <Fact name="At once">
          {running_max} {running_max === 1 ? "job" : "jobs"}; the others wait
        </Fact>
        <Fact name="Time at most">
          {kinds.map((kind) => `${kindWords[kind]} ${describeLimit(timeouts_s[kind])}`).join(", ")}
        </Fact>
        <Fact name="Commits to files as">{author ?? "nobody: without an author none can be made"}</Fact>
      </dl>
      <p className="text-sm text-muted-foreground">
        <PageLink href="/sources" className="text-link underline underline-offset-4">
          Files that agents may work on
        </PageLink>
        . Configured by <code className="font-mono">agent</code> in config.json of the broker's home; changes
        hold from its next start.
      </p>
    </>
  );
}

const kinds: readonly JobKind[] = ["conclude", "incorporate", "perspective"];

/** Limits are mostly whole minutes. */
function describeLimit(seconds: number): string {
  return seconds % 60 === 0 ? describeDuration(seconds) : describeSpan(seconds * 1_000);
}

const containments = {
  namespace: "a PID namespace of its own: nothing that an agent starts gets out of it or outlives its job",
  marks:
    "process groups and marks in the environment: what an agent starts is found and ended; a process that hides on purpose could stay",
} as const;

const permissions = {
  listed: "read files of its own folder and write what its job is for, and nothing else",
  skipped: "do all that its program can, unasked: agent.skip_permissions is set",
} as const;
