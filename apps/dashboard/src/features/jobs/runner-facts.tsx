"use client";

import { jobKinds, type OutputOf } from "@merkle/wire";
import { useRead } from "@/broker/use-read";
import { Fact } from "@/components/fact";
import { PageLink } from "@/components/page-link";
import { ReadPanel } from "@/components/read-panel";
import { describeSpan } from "@/core/time/describe-span";
import { describeDuration } from "@/core/time/describe-time";
import { jobKindLabels } from "./describe-job";

type Runner = OutputOf<"get_runner">;

/** The job runner's client and limits. They are configured on the broker's machine, so they are read-only here. */
export function RunnerFacts() {
  return (
    <ReadPanel
      read={useRead("get_runner", {}, { on: ["jobs"] })}
      failureTitle="Couldn't load the jobs runner."
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
          This broker runs no jobs itself. Jobs wait for{" "}
          {elsewhere ? "another runner." : "a runner, and none is allowed."}
        </p>
      ) : (
        <Here here={here} />
      )}
      <p>
        {elsewhere ? (
          <>
            Other runners can take jobs, too (<code className="font-mono text-sm">merkle runner</code>). The
            owner of a runner can read the sessions of the jobs it takes.
          </>
        ) : (
          <>
            Other runners can’t take jobs: <code className="font-mono text-sm">agent.remote_runners</code> is
            off.
          </>
        )}
      </p>
      <p className="text-sm text-muted-foreground tabular-nums">
        {running === 0 && queued === 0
          ? "No jobs running or waiting in this mesh."
          : `In this mesh: ${running} running, ${queued} waiting.`}
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
          <span className="font-medium text-danger">Jobs can’t run.</span> {runner.problem}
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
            <Fact name="Containment">{containments[runner.containment]}</Fact>
            <Fact name="Permissions">{permissions[runner.permissions]}</Fact>
            <Fact name="Processes per job">
              at most {runner.processes_max.toLocaleString("en-GB")}, including threads
            </Fact>
          </>
        )}
        <Fact name="Concurrent jobs">{running_max}; others wait</Fact>
        <Fact name="Time limit">
          {jobKinds.map((kind) => `${jobKindLabels[kind]} ${describeLimit(timeouts_s[kind])}`).join(", ")}
        </Fact>
        <Fact name="Commit author">{author ?? "none: changes to files can’t be committed"}</Fact>
      </dl>
      <p className="text-sm text-muted-foreground">
        <PageLink href="/sources" className="text-link underline underline-offset-4">
          Files agents can work on
        </PageLink>
        . Configured under <code className="font-mono">agent</code> in config.json of the broker’s home.
        Changes apply when the broker restarts.
      </p>
    </>
  );
}

/** Most limits are whole minutes. */
function describeLimit(seconds: number): string {
  return seconds % 60 === 0 ? describeDuration(seconds) : describeSpan(seconds * 1_000);
}

const containments = {
  namespace: "separate PID namespace: no process an agent starts can leave it or outlive its job",
  marks:
    "process groups and environment markers: processes an agent starts are found and ended, but one that hides on purpose could remain",
} as const;

const permissions = {
  listed: "agents may only read files in their own folder and write their job’s result",
  skipped: "agents may do anything their program can, without asking: agent.skip_permissions is set",
} as const;
