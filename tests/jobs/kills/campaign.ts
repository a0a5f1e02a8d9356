import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { callBroker } from "../../../apps/cli/src/test-kit/api.js";
import { type StartedCommand, type TestMerkle, testMerkle } from "../../../apps/cli/src/test-kit/merkle.js";
import { type Cleanup, createTestDatabase } from "../../kit/test-database.js";
import { type KillPoint, type PointName, type PointStage, points } from "./points.js";
import { type JobsWatch, watchJobs } from "./watch-jobs.js";

/** The process to kill: a broker that runs jobs itself, a `merkle runner`, or the broker of a runner. */
export type Victim = "broker" | "runner" | "broker of a runner";

export interface KillReport {
  readonly kills: number;
  /** Number of jobs that ended with each status. */
  readonly ends: Readonly<Record<string, number>>;
  /** Descriptions of violated guarantees. */
  readonly problems: readonly string[];
}

const patienceMs = 5 * 60_000;

/**
 * Kills the victim with SIGKILL at each of these points in a job's life, and restarts it each time. Compares
 * PostgreSQL's record of the jobs with the agents' logs. Each job must run at most once and end exactly once. Writes
 * for a job must happen only while its claim is valid. Afterwards, the job's document must be free for the next job.
 */
export async function runKills(
  victim: Victim,
  names: readonly PointName[],
  cleanup: Cleanup,
): Promise<KillReport> {
  const stage = await setStage(victim, cleanup);
  const problems: string[] = [];
  for (const name of names) {
    const found = await strike(stage, points[name]);
    problems.push(...found.map((problem) => `${victim}, ${name}: ${problem}`));
  }
  const checked = await check(stage);
  return { kills: names.length, ends: checked.ends, problems: [...problems, ...checked.problems] };
}

interface Stage {
  readonly merkle: TestMerkle;
  readonly watch: JobsWatch;
  readonly folder: string;
  readonly killed: Program;
  readonly runsAgents: boolean;
  sessions: number;
}

/** A command that can be killed and restarted. */
interface Program {
  start(): Promise<void>;
  askToEnd(): void;
  kill(): Promise<void>;
  readonly isRunner: boolean;
}

async function setStage(victim: Victim, cleanup: Cleanup): Promise<Stage> {
  const databaseUrl = await createTestDatabase(cleanup);
  const watch = await watchJobs(databaseUrl);
  cleanup(watch.stop);
  const merkle = await testMerkle(cleanup);
  const folder = join(merkle.home, "agent-of-kills");
  await mkdir(folder, { recursive: true });
  await mkdir(merkle.home, { recursive: true });
  const agent = {
    claude_bin: join(folder, "claude.mjs"),
    max_concurrent_jobs: victim === "broker" ? 1 : 0,
  };
  const script = await readFile(new URL("agent.mjs", import.meta.url), "utf8");
  await writeFile(agent.claude_bin, `#!${process.execPath}\n${script}`);
  await chmod(agent.claude_bin, 0o755);
  await writeFile(join(folder, "marks"), "");
  await writeFile(join(merkle.home, "config.json"), JSON.stringify({ agent }));

  let port = 0;
  const broker = toProgram(async () => {
    const env = { DATABASE_URL: databaseUrl };
    const started = merkle.start(["up", "--port", String(port), "--json"], { env });
    await started.waitForOutput("mcp_url");
    ({ port } = await merkle.readRunFile());
    return started;
  });
  const runner = toProgram(async () => {
    const started = merkle.start(["runner"]);
    await started.waitForOutput("running jobs");
    return started;
  }, true);
  await broker.start();
  if (victim !== "broker") await runner.start();
  return {
    merkle,
    watch,
    folder,
    killed: victim === "runner" ? runner : broker,
    runsAgents: victim !== "broker of a runner",
    sessions: 0,
  };
}

function toProgram(begin: () => Promise<StartedCommand>, isRunner = false): Program {
  let started: StartedCommand | undefined;
  return {
    isRunner,
    async start() {
      started = await begin();
    },
    askToEnd: () => void started?.process.kill("SIGTERM"),
    async kill() {
      started?.process.kill("SIGKILL");
      await started?.ended;
    },
  };
}

/**
 * Brings a job to the given point and kills the victim. Returns a problem if the job does not end, or if the next job
 * for the document does not succeed.
 */
async function strike(stage: Stage, point: KillPoint): Promise<string[]> {
  const { killed, watch } = stage;
  const ahead = point.behind ? await startJob(stage, point.agent) : undefined;
  const waiting = await point.await(toPointStage(stage));
  if (ahead !== undefined) await within(stage, "the point", waiting.reached);
  const job = await startJob(stage, ahead === undefined ? point.agent : "works");
  if (ahead === undefined) await within(stage, "the point", waiting.reached);
  await killed.kill();
  await waiting.release();
  const problems = await expireLeases(stage);
  await killed.start();
  for (const each of [ahead, job]) if (each !== undefined) await releaseAgents(stage, each);
  for (const each of [ahead, job])
    if (each !== undefined) await within(stage, "its end", untilEnded(watch, each));
  const next = await startJob(stage, "works", await sessionOf(watch, job));
  await within(stage, "the next job's end", untilEnded(watch, next));
  const [row] = await watch.sql`SELECT status FROM jobs WHERE number = ${next}`;
  if (row?.["status"] !== "succeeded") problems.push(`the next job of that document ${row?.["status"]}`);
  return problems;
}

function toPointStage({ watch, folder, killed, runsAgents }: Stage): PointStage {
  return {
    runsAgents,
    hold: watch.hold,
    onCommitted: watch.onCommitted,
    countMarks: async (what) => (await readMarks(folder)).filter((mark) => mark.what === what).length,
    askToEnd: killed.askToEnd,
  };
}

async function startJob(stage: Stage, agent: KillPoint["agent"], session?: string): Promise<number> {
  stage.sessions += 1;
  const slug = `${agent}-${stage.sessions}`;
  const { merkle } = stage;
  const session_id =
    session ??
    (await callBroker(merkle, "create_session", { title: slug, slug, creator_team_name: "Atlas" }))
      .session_id;
  const { team_id } = await callBroker(merkle, "join_session", { session_id, team_name: `Team ${slug}` });
  const { job_id } = await callBroker(merkle, "start_job", { kind: "conclude", session_id }, team_id);
  return job_id;
}

/**
 * Expires the leases in the database, as would happen after half a minute. Returns a problem for each agent of a
 * killed runner that is still running by then. Until a lease expires, the broker may not have noticed that the runner
 * was killed.
 */
async function expireLeases({ killed, watch, folder }: Stage): Promise<string[]> {
  if (!killed.isRunner) return [];
  const left = await untilNone(() => findAgents(folder));
  await watch.sql`UPDATE jobs SET lease_until = now() WHERE status = 'running'`;
  return left.map((pid) => `its agent outlived it (process ${pid})`);
}

async function untilNone<Item>(find: () => Promise<readonly Item[]>): Promise<readonly Item[]> {
  const until = performance.now() + 5_000;
  for (;;) {
    const found = await find();
    if (found.length === 0 || performance.now() > until) return found;
    await delay(20);
  }
}

/** Returns the process ids of all running agents. */
async function findAgents(folder: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "");
      return command.includes(folder) ? [pid] : [];
    }),
  );
  return found.flat();
}

/** Lets all current and future agents for this job's document continue. */
async function releaseAgents({ watch, folder }: Stage, job: number): Promise<void> {
  const [row] = await watch.sql`SELECT slug FROM sessions WHERE session_id = ${await sessionOf(watch, job)}`;
  await writeFile(join(folder, `calm-${row?.["slug"]}`), "");
}

async function sessionOf({ sql }: JobsWatch, job: number): Promise<string> {
  const [row] = await sql`SELECT session_id FROM jobs WHERE number = ${job}`;
  return String(row?.["session_id"]);
}

async function untilEnded({ sql }: JobsWatch, job: number): Promise<void> {
  for (;;) {
    const [row] = await sql`SELECT completed_at FROM jobs WHERE number = ${job}`;
    if (row?.["completed_at"]) return;
    await delay(50);
  }
}

async function within({ watch, folder }: Stage, what: string, happens: Promise<void>): Promise<void> {
  const over = new AbortController();
  const late = delay(patienceMs, undefined, { signal: over.signal }).then(
    async () => {
      const seen = (await watch.trace()).map(({ number, step, status }) => `${number} ${step} ${status}`);
      const markTexts = (await readMarks(folder)).map(({ job, what }) => `${job} ${what}`);
      throw new Error(
        `Waited in vain for ${what}. Seen: ${seen.join(", ")}. The agents said: ${markTexts.join(", ")}.`,
      );
    },
    () => undefined,
  );
  await Promise.race([happens, late]).finally(() => over.abort());
}

interface Mark {
  readonly job: number;
  readonly what: string;
}

async function readMarks(folder: string): Promise<Mark[]> {
  const lines = (await readFile(join(folder, "marks"), "utf8")).split("\n").filter(Boolean);
  return lines.map((line) => {
    const [job = "", ...words] = line.split(" ");
    return { job: Number(job), what: words.join(" ") };
  });
}

async function check({ watch, folder }: Stage): Promise<Pick<KillReport, "ends" | "problems">> {
  const problems: string[] = [];
  const marks = await readMarks(folder);
  const trace = await watch.trace();
  const rows = await watch.sql`SELECT number, status, result_kind, fence FROM jobs ORDER BY number`;
  const ends: Record<string, number> = {};
  for (const { number, status, result_kind } of rows) {
    ends[status] = (ends[status] ?? 0) + 1;
    const steps = trace.filter((each) => each.number === number).map(({ step }) => step);
    const started = marks.filter(({ job, what }) => job === number && what === "start").length;
    const wrote = marks.some(({ job, what }) => job === number && what === "wrote");
    if (started > 1) problems.push(`job ${number} was run ${started} times`);
    if (steps.filter((step) => step === "end").length !== 1) problems.push(`job ${number} ended ${steps}`);
    if (steps.at(-1) !== "end") problems.push(`job ${number} went on after its end: ${steps}`);
    if (wrote && result_kind === null) problems.push(`job ${number} wrote, and it is lost`);
  }
  // A constraint allows only one claim per document at a time. The constraint does not limit a job's proposals, so the
  // test counts them.
  const proposals =
    await watch.sql`SELECT job, count(*)::int AS count FROM proposals GROUP BY job HAVING count(*) > 1`;
  for (const { job, count } of proposals) problems.push(`job ${job} proposed ${count} times`);
  problems.push(...(await findAgents(folder)).map((pid) => `an agent is left (process ${pid})`));
  return { ends, problems };
}
