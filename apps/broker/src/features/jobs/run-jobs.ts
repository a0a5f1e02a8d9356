import {
  claimJob,
  type Database,
  endJob,
  failLostJobs,
  findJob,
  type JobKey,
  type JobRow,
  renewJob,
  scopeToMesh,
} from "@merkle/db";
import type { JobKind, OutputOf } from "@merkle/wire";
import type { Bus } from "../../core/bus/bus.js";
import type { Log } from "../../core/log.js";
import type { Metrics } from "../../core/metrics.js";
import type { RepeatedTasks } from "../../core/repeated-tasks.js";
import { retryWhileLost } from "../../core/retry-while-lost.js";
import type { MeshChannels } from "../../feed/delivery/mesh-channel.js";
import { makeJobToken } from "../../identity/tokens/token.js";
import type { Sources } from "../sources/feature.js";
import { addJobUsage } from "../usage/feature.js";
import { attendJob, type RunningJob } from "./attend-job.js";
import { readParameters } from "./job-parameters.js";
import { describeNothingMade, lostText, restartedText, toOutcome } from "./outcome.js";
import { type JobAgentOptions, type JobRunner, leaseMsDefault, timeoutsMsDefault } from "./runner.js";

/** Runs queued jobs on this broker, up to a maximum number at a time. Remote runners can claim jobs too. */
export interface Jobs {
  /** Wakes the runners to look for a job. Call after a job was queued or has ended. */
  wake(): void;
  /** Calls `listener` on every wake. Returns a function that unsubscribes the listener. */
  onWake(listener: () => void): () => void;
  /** The terms that apply to every claim, local or remote. */
  readonly terms: ClaimTerms;
  /** Stops the agent of a job that has already been cancelled. */
  end(job: JobKey): void;
  /** Returns how this broker runs jobs, or null if it runs none. */
  describe(): Promise<TermsFacts | null>;
  /** Stops all agents and marks their jobs as failed. */
  stop(): Promise<void>;
}

interface ClaimTerms {
  readonly leaseMs: number;
  getTimeoutMs(kind: JobKind): number;
  /** Whether members' own machines may claim jobs. */
  readonly remoteRunners: boolean;
}

interface JobsOptions {
  /** How this broker runs jobs. If undefined, this broker claims no jobs, so jobs wait for another runner. */
  readonly agent: JobAgentOptions | undefined;
  readonly database: Database;
  readonly bus: Bus;
  /** Returns the files that jobs of a mesh may work on. */
  readonly getSources: (meshId: string) => Sources;
  readonly meshChannels: Pick<MeshChannels, "get">;
  readonly getBrokerUrl: () => string;
  /** Whether members' own machines may claim jobs. Defaults to the value in `agent`. */
  readonly remoteRunners?: boolean | undefined;
  readonly metrics: Metrics;
  readonly tasks: Pick<RepeatedTasks, "repeat">;
  readonly log: Log;
}

/**
 * Polling interval for jobs that cause no wake-up: jobs whose lease has expired, and jobs queued by another
 * broker.
 */
const pollEveryMs = 5_000;

/**
 * Runs jobs until stopped. A job runs at most once, even if a broker or runner dies. At startup, jobs that
 * an earlier run of this broker left running are marked as failed. Jobs of other runners fail when their
 * lease expires (JOB-7).
 */
export async function startJobs(options: JobsOptions): Promise<Jobs> {
  const { agent, database, bus, metrics, log } = options;
  const runner = await agent?.startRunner();
  await failLost({ exitedRunner: agent?.name, failure: "restarted", errorTail: restartedText });
  const terms: ClaimTerms = {
    leaseMs: agent?.leaseMs ?? leaseMsDefault,
    getTimeoutMs: (kind) => agent?.timeoutsMs?.[kind] ?? timeoutsMsDefault[kind],
    remoteRunners: options.remoteRunners ?? agent?.remoteRunners ?? false,
  };
  const listeners = new Set<{ tell: () => void }>();
  const running = new Map<string, RunningJob>();
  let isStopped = false;
  let claiming: Promise<void> | null = null;
  let isWakePending = false;

  async function failLost(lost: Parameters<typeof failLostJobs>[1]): Promise<void> {
    for (const row of await failLostJobs(database.orm, lost)) {
      log.warn("job failed", { ...toFields(row), failure: row.failure });
      announce(row);
    }
  }

  function announce({ meshId, sessionId }: JobRow): void {
    const mesh = options.meshChannels.get(meshId);
    mesh.announce("jobs", sessionId);
    // A failed job needs a human's attention.
    mesh.announce("attention", sessionId);
  }

  function wake(): void {
    for (const listener of [...listeners]) listener.tell();
    if (!agent || !runner || isStopped) return;
    isWakePending = true;
    claiming ??= claimAll({ ...agent, runner }).finally(() => {
      claiming = null;
    });
  }

  async function claimAll(own: OwnRunner): Promise<void> {
    const runningMax = own.maxConcurrentJobs ?? 1;
    try {
      while (isWakePending && !isStopped) {
        isWakePending = false;
        while (running.size < runningMax && (await claimOne(own, runningMax)));
      }
    } catch (error) {
      log.warn("claiming a job failed; it is tried again", { error });
    }
  }

  async function claimOne(own: OwnRunner, runningMax: number): Promise<boolean> {
    const { leaseMs } = terms;
    const { token, secretHash } = makeJobToken();
    const claimedAt = performance.now();
    const job = await database.transaction((tx) =>
      claimJob(tx, { runner: own.name, leaseMs, secretHash, runningMax }),
    );
    if (!job) return false;
    announce(job);
    begin(job, { runner: own.runner, credential: token, leaseUntil: claimedAt + leaseMs });
    return true;
  }

  function begin(job: JobRow, { runner, credential, leaseUntil }: JobStart): void {
    const timeoutMs = terms.getTimeoutMs(job.kind);
    const startedAt = performance.now();
    log.info("job started", toFields(job));
    const runningJob = attendJob({
      runner,
      timeoutMs,
      lease: {
        ms: terms.leaseMs,
        until: leaseUntil,
        renew: () => renewJob(database.orm, job, terms.leaseMs),
      },
      describe: async () => ({
        job_id: job.number,
        kind: job.kind,
        label: job.meshId === database.meshId ? String(job.number) : `${job.meshId}-${job.number}`,
        parameters: await readParameters(
          { database: scopeToMesh(database, job.meshId), sources: options.getSources(job.meshId) },
          job,
        ),
        credential,
        broker_url: options.getBrokerUrl(),
        timeout_ms: timeoutMs,
      }),
      async end(result, because) {
        const outcome = toOutcome(result, because);
        const row = await retryWhileLost(() =>
          database.transaction(async (tx) => {
            const ended = await endJob(tx, job, outcome, describeNothingMade(job.kind));
            if (ended) await addJobUsage(tx, metrics, { sessionId: job.sessionId, usage: result.usage });
            return ended;
          }),
        );
        const level = row?.status === "succeeded" || !row ? "info" : "warn";
        log[level]("job ended", {
          ...toFields(job),
          duration_ms: Math.round(performance.now() - startedAt),
          exit_code: result.exit_code,
          // There is no row if the job was cancelled, or if its lease expired, before the agent ended.
          status: row?.status ?? "ended before",
        });
        if (row) announce(row);
      },
    });
    const key = toJobKey(job);
    const ended = runningJob.ended
      // The agent has already stored its work. The job is reported as lost and does not run again.
      .catch((error: unknown) =>
        log.error("a job's end could not be stored; its lease ends it", { ...toFields(job), error }),
      )
      .finally(() => {
        running.delete(key);
        wake();
      });
    running.set(key, { ...runningJob, ended });
    if (isStopped) runningJob.stop("stopping");
  }

  /** Stops the agent only if the stored job has ended. A message on the bus alone does not prove that. */
  async function stopIfEnded(job: JobKey): Promise<void> {
    const runningJob = running.get(toJobKey(job));
    if (!runningJob) return;
    const row = await findJob(database.orm, job);
    if (row?.status !== "running") runningJob.stop(null);
  }

  const stopPolling = options.tasks.repeat("lost jobs", pollEveryMs, async () => {
    await failLost({ failure: "lost", errorTail: lostText });
    wake();
  });
  bus.on("jobs", async ({ mesh: meshId, job: number }) => {
    if (meshId !== null && number !== null) await stopIfEnded({ meshId, number });
    wake();
  });
  wake();

  return {
    wake() {
      wake();
      bus.publish("jobs", { mesh: null, job: null });
    },
    onWake(tell) {
      const listener = { tell };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    terms,
    end(job) {
      running.get(toJobKey(job))?.stop(null);
      wake();
      bus.publish("jobs", { mesh: job.meshId, job: job.number });
    },
    async describe() {
      const isOn = agent?.maxConcurrentJobs !== 0;
      return agent && runner && isOn ? describeTerms({ ...agent, runner }) : null;
    },
    async stop() {
      isStopped = true;
      stopPolling();
      await claiming;
      for (const { stop } of running.values()) stop("stopping");
      await Promise.all([...running.values()].map(({ ended }) => ended));
      await runner?.close?.();
    },
  };
}

/** This broker's own runner, and the options for running jobs. */
type OwnRunner = JobAgentOptions & { readonly runner: JobRunner };

interface JobStart {
  readonly runner: JobRunner;
  readonly credential: string;
  /** When the lease expires, in `performance.now()` time. */
  readonly leaseUntil: number;
}

function toJobKey({ meshId, number }: JobKey): string {
  return `${meshId} ${number}`;
}

function toFields({ meshId, number, kind, source }: JobRow): Readonly<Record<string, unknown>> {
  return { mesh: meshId, job_id: number, kind, source };
}

type TermsFacts = NonNullable<OutputOf<"get_runner">["here"]>;

/** Describes to people how this broker runs jobs: with which program, how many at a time, and for how long. */
async function describeTerms({
  runner,
  maxConcurrentJobs = 1,
  timeoutsMs,
  author,
}: JobAgentOptions & { readonly runner: JobRunner }): Promise<TermsFacts> {
  const { conclude, incorporate, perspective } = { ...timeoutsMsDefault, ...timeoutsMs };
  return {
    runner: (await runner.describe?.()) ?? null,
    running_max: maxConcurrentJobs,
    timeouts_s: {
      conclude: conclude / 1_000,
      incorporate: incorporate / 1_000,
      perspective: perspective / 1_000,
    },
    author: author ? `${author.name} <${author.email}>` : null,
  };
}
