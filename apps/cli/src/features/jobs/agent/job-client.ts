import { readFileSync } from "node:fs";
import { type ConnectionOptions, checkServerIdentity } from "node:tls";
import { getOperationRules, type InputOf, type Job, type OperationName, type OutputOf } from "@merkle/wire";
import { isClearText } from "@merkle/wire/client";
import { openRequests } from "../../../broker/broker-client.js";
import { CliError, exitCodes, usageError } from "../../../core/cli-error.js";
import { sha256 } from "../../../core/sha256.js";

/** Gives a job's agent access to the broker. */
export interface JobClient {
  /** Returns the job that the credential belongs to. @throws the same errors as `call` */
  getJob(): Promise<Job>;
  /** @throws MerkleError with the broker's refusal; CliError `unreachable` */
  call<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>>;
}

const answerWithinMs = 30_000;
/** How long a command retries if the broker limits its rate of requests. */
const patienceMs = 20_000;

/**
 * Calls a job's broker with the job's credential. Address, job and credential come only from the environment
 * that the runner set; no other settings of this machine are read (AGENT-1).
 *
 * @throws CliError `usage` if the environment is not that of a job's agent
 */
export function openJobClient(env: NodeJS.ProcessEnv, signal: AbortSignal): JobClient {
  const { base, job, token, insecure, certificates } = readJobEnvironment(env);
  if (isClearText(base) && !insecure) {
    throw usageError(`MERKLE_URL ${base} is unencrypted, so anyone on the network could listen.`);
  }
  const isEncrypted = base.startsWith("https:");
  const tls = isEncrypted && certificates !== undefined ? toTlsOptions(certificates) : undefined;
  const headers = { authorization: `Bearer ${token}` };
  const requests = openRequests({
    address: { base, source: "MERKLE_URL" },
    signal,
    findTlsOptions: async () => tls && (() => tls),
    // The job's credential cannot be renewed or replaced.
    authorize: () => ({ buildHeaders: async () => headers, renew: async () => false }),
    answerWithinMs,
    rateLimitRetryMs: patienceMs,
  });

  async function call<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>> {
    return requests.call(
      name,
      getOperationRules(name).readOnly ? { ...input } : { ...input, ...toIdempotencyKey(name, input) },
    );
  }

  /**
   * Derives the idempotency key from the input, so that writing the same text again after a lost reply has no
   * further effect (AGENT-4).
   */
  function toIdempotencyKey(name: OperationName, input: object): { idempotency_key: string } {
    const digest = sha256(JSON.stringify([name, input]));
    return { idempotency_key: `job-${job}-${digest}` };
  }

  return { call, getJob: () => call("get_job", { job_id: job }) };
}

function readJobEnvironment(env: NodeJS.ProcessEnv) {
  const { MERKLE_URL: url, MERKLE_JOB: job, MERKLE_JOB_TOKEN: token } = env;
  if (!url || !job || !token) {
    throw usageError(
      "Only a job's agent can run merkle agent. It needs MERKLE_URL, MERKLE_JOB and MERKLE_JOB_TOKEN, and at least one of them is not set.",
      "merkle jobs run",
    );
  }
  const isWellFormed = URL.canParse(url) && /^\d{1,10}$/.test(job) && /^mkj_[A-Za-z0-9_-]{43}$/.test(token);
  if (!isWellFormed)
    throw usageError(
      "MERKLE_URL, MERKLE_JOB and MERKLE_JOB_TOKEN do not have the values that a runner sets.",
    );
  return {
    base: url.replace(/\/+$/, ""),
    job: Number(job),
    token,
    insecure: env["MERKLE_INSECURE"] === "1",
    certificates: env["MERKLE_CA"] || undefined,
  };
}

/**
 * Trusts the authorities in the file. If the file contains a broker's own certificate, that certificate is
 * trusted even for another host name (TLS-8).
 */
function toTlsOptions(file: string): ConnectionOptions {
  const ca = readFileSync(file, "utf8");
  return {
    ca,
    allowPartialTrustChain: true,
    checkServerIdentity: (host, certificate) => {
      const pem = certificate.raw.toString("base64");
      return ca.replace(/\s/g, "").includes(pem) ? undefined : checkServerIdentity(host, certificate);
    },
  };
}

/** Returns the session that a job is about. @throws CliError `not_found` if the job is about a file */
export function getSessionId({ job_id, session_id }: Job): string {
  if (session_id !== null) return session_id;
  throw new CliError("not_found", `Job ${job_id} is about a file, which belongs to no session.`, {
    exitCode: exitCodes.not_found,
  });
}

/**
 * Returns the path of the file that a job is about. @throws CliError `not_found` if the job is about a
 * session's document
 */
export function getSourcePath({ job_id, source_path }: Job): string {
  if (source_path !== null) return source_path;
  throw new CliError("not_found", `Job ${job_id} is about a session's document, not a file.`, {
    exitCode: exitCodes.not_found,
  });
}

/**
 * Returns the job. If a source path is given, first checks that it is the job's path.
 *
 * @throws CliError `usage` for a different path
 */
export async function getJobOnSource(client: JobClient, sourcePath: string | undefined): Promise<Job> {
  const job = await client.getJob();
  if (sourcePath === undefined || sourcePath === job.source_path) return job;
  const own = job.source_path === null ? "a session's document" : job.source_path;
  throw usageError(`Job ${job.job_id} is about ${own}, not about ${sourcePath}: leave --source-path out.`);
}
