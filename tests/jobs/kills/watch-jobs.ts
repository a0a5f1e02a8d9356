import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";

/** The kinds of changes to a row of `jobs`. */
export type JobStep = "claim" | "return" | "renew" | "write" | "end";

export interface JobTrace {
  readonly number: number;
  readonly fence: number;
  readonly step: JobStep;
  readonly status: string;
}

/**
 * Observes changes to the jobs in a database from within PostgreSQL, and can pause a statement in the middle of a
 * change.
 */
export interface JobsWatch {
  readonly sql: postgres.Sql;
  /** Pauses the next change of this kind within its statement. `reached` resolves when it is paused, and `release` lets it continue. */
  hold(step: JobStep): Promise<{ reached(): Promise<void>; release(): Promise<void> }>;
  /** Resolves when the next change of this kind is committed. */
  onCommitted(step: JobStep): Promise<void>;
  trace(): Promise<readonly JobTrace[]>;
  stop(): Promise<void>;
}

const lockKey = 7_423_999;

export async function watchJobs(databaseUrl: string): Promise<JobsWatch> {
  const sql = postgres(databaseUrl, { max: 4, onnotice: () => undefined });
  await sql.unsafe(install);
  let listeners: ((step: string) => void)[] = [];
  await sql.listen("job_step", (step) => {
    for (const listener of listeners) listener(step);
  });

  return {
    sql,
    async hold(step) {
      const holder = await sql.reserve();
      await holder`SELECT pg_advisory_lock(${lockKey})`;
      await holder`INSERT INTO job_holds VALUES (${step})`;
      return {
        async reached() {
          for (;;) {
            const waiting =
              await sql`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${lockKey} AND NOT granted
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
            if (waiting.length > 0) return;
            await delay(10);
          }
        },
        async release() {
          await holder`DELETE FROM job_holds`;
          await holder`SELECT pg_advisory_unlock(${lockKey})`;
          holder.release();
        },
      };
    },
    onCommitted(step) {
      return new Promise((resolve) => {
        const listener = (reachedStep: string) => {
          if (reachedStep !== step) return;
          listeners = listeners.filter((each) => each !== listener);
          resolve();
        };
        listeners.push(listener);
      });
    },
    trace: async () =>
      sql<JobTrace[]>`SELECT number, fence, step, status FROM job_trace ORDER BY id`.then((rows) => [
        ...rows,
      ]),
    stop: () => sql.end({ timeout: 1 }),
  };
}

const install = `
  CREATE TABLE job_holds (step text PRIMARY KEY);
  CREATE TABLE job_trace (id serial PRIMARY KEY, number integer, fence integer, step text, status text);
  CREATE FUNCTION job_step(was jobs, now jobs) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
      WHEN was.status = 'queued' AND now.status = 'running' THEN 'claim'
      WHEN was.status = 'running' AND now.status = 'queued' THEN 'return'
      WHEN was.status <> now.status THEN 'end'
      WHEN was.result_kind IS DISTINCT FROM now.result_kind THEN 'write'
      ELSE 'renew' END $$;
  CREATE FUNCTION hold_job_step() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT FROM job_holds WHERE step = job_step(OLD, NEW)) THEN PERFORM pg_advisory_xact_lock(${lockKey}); END IF;
    RETURN NEW; END $$;
  CREATE FUNCTION trace_job_step() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO job_trace (number, fence, step, status) VALUES (NEW.number, NEW.fence, job_step(OLD, NEW), NEW.status);
    PERFORM pg_notify('job_step', job_step(OLD, NEW));
    RETURN NULL; END $$;
  CREATE TRIGGER hold_job_step BEFORE UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION hold_job_step();
  CREATE TRIGGER trace_job_step AFTER UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION trace_job_step();
`;
