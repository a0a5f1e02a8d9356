import { createServer } from "node:net";
import { buildNumber, parseBuild } from "@merkle/wire";
import { adviseUpgrade, neutralise } from "@merkle/wire/text";
import {
  type BrokerClient,
  describeConnectionError,
  describeDistrust,
  findBroker,
} from "../../broker/broker-client.js";
import {
  describeDegradation,
  describeWriteProblem,
  type HealthReply,
  readHealth,
} from "../../broker/broker-facts.js";
import { requestHttp } from "../../broker/http-request.js";
import { prepareTls } from "../../broker/reach.js";
import { findRunningBroker } from "../../broker/run-file.js";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { explainError } from "../../core/explain-error.js";
import { readVersion } from "../../core/this-program.js";
import { notTrusted } from "../../settings/foreign-file.js";
import { type CheckContext, type DoctorCheck, type DoctorFinding, fail, ok, skip, warn } from "./check.js";
import { checkClock, skipClock } from "./check-clock.js";

/**
 * Checks the broker that commands would call: whether it replies, works and has a matching version, whether
 * agents can reach it, and whether its clock is right.
 */
export const checkBroker: DoctorCheck = async (context) => {
  const { config, signal } = context;
  if (config.untrusted) {
    const { message } = notTrusted(config.untrusted);
    return [
      fail("broker", message, "merkle trust, or name the broker with MERKLE_URL"),
      skip("clock", "no broker to compare it with"),
    ];
  }
  const broker = await findBroker(config, signal);
  const askedAt = Date.now();
  const health = await readHealth(broker).catch((error: unknown) => explainError(error));
  const answeredAt = Date.now();
  signal.throwIfAborted();
  if (health instanceof CliError && health.exitCode === exitCodes.usage) throw health;
  if (health instanceof Error) {
    return [
      describeUnreachable(context, health),
      skip("url", "the address that agents use: unknown, because the broker does not reply"),
      skipClock,
    ];
  }
  const clock = checkClock(health, (askedAt + answeredAt) / 2);
  const signIn = await readSignIn(broker);
  if (signIn.auth !== "invite")
    return [describe(broker.base, health), await checkUrl(broker, signIn, context), clock];
  const member = await checkMember(broker);
  const url =
    member.status === "ok"
      ? await checkUrl(broker, signIn, context)
      : skip("url", "the address that agents use: unknown, because only members can read it");
  return [describe(broker.base, health), member, url, clock];
};

/** The part of a broker's reply that anyone can read without authentication. */
interface SignInInfo {
  readonly auth: unknown;
  readonly brokerId: unknown;
}

async function readSignIn(broker: BrokerClient): Promise<SignInInfo> {
  return toSignInInfo((await broker.get("/api/sign-in")).json());
}

function toSignInInfo(answer: unknown): SignInInfo {
  const { auth, broker_id: brokerId }: { auth?: unknown; broker_id?: unknown } = Object(answer);
  return { auth, brokerId };
}

/** In invite mode, checks whether this machine belongs to a member. */
async function checkMember(broker: BrokerClient): Promise<DoctorFinding> {
  try {
    const { members } = await broker.call("list_members", {});
    const own = members.find((each) => each.own);
    return ok("member", own ? `${neutralise(own.name)}, ${own.role}` : "authenticated by a token");
  } catch (error) {
    return fail("member", explainError(error).message, "ask for an invite, then merkle join -");
  }
}

/** Checks whether `merkle up` could use its port. */
export const checkPort: DoctorCheck = async ({ config: { home, host, port } }) => {
  const running = await findRunningBroker(home);
  if (running) return [ok("port", `${running.port} is used by this home's broker`)];
  if (port === 0) return [ok("port", "any free port")];
  const code = await tryListen(host, port);
  if (code === undefined) return [ok("port", `${port} is free`)];
  const problem = code === "EADDRINUSE" ? "is used by another program" : `cannot be used (${code})`;
  return [fail("port", `${port} on ${host} ${problem}`, "merkle up --port 7500, or set MERKLE_PORT")];
};

function describe(base: string, health: HealthReply): DoctorFinding {
  const ours = readVersion();
  if (!health.ready)
    return warn("broker", `the broker at ${base} is stopping`, "merkle up when it has stopped");
  if (!health.durable) {
    return fail(
      "broker",
      `the broker at ${base} cannot write: ${describeWriteProblem(health)}`,
      "see logs/ in its Merkle home",
    );
  }
  if (health.version !== ours) {
    return warn(
      "broker",
      `the broker at ${base} is ${health.version}, this is ${ours}`,
      adviseUpgrade({ ours, brokers: health.version }),
    );
  }
  const build = parseBuild(health.build);
  if (build < buildNumber)
    return warn(
      "broker",
      `the broker at ${base} is older (build ${build}, this is build ${buildNumber})`,
      "upgrade it where it runs",
    );
  if (build > buildNumber)
    return warn(
      "broker",
      `the broker at ${base} is newer (build ${build}, this is build ${buildNumber})`,
      "upgrade this merkle",
    );
  const lack = describeDegradation(health);
  if (lack) return warn("broker", `the broker at ${base} runs, but ${lack.problem}`, lack.fix);
  return ok("broker", `${base}, version ${health.version}, build ${build}`);
}

/**
 * Returns a warning if no broker runs at the default address, as on a new machine. If the address was
 * configured, returns a failure.
 */
function describeUnreachable(
  { config: { broker } }: CheckContext,
  { code, message }: CliError,
): DoctorFinding {
  if (code === "untrusted")
    return fail("broker", message, "export NODE_EXTRA_CA_CERTS=<authority.pem>, or --ca <authority.pem>");
  if (broker.source === "default") return warn("broker", `no broker answers at ${broker.base}`, "merkle up");
  return fail("broker", message, `start it there, or correct ${broker.source}`);
}

async function checkUrl(
  broker: BrokerClient,
  { brokerId }: SignInInfo,
  { config, signal }: CheckContext,
): Promise<DoctorFinding> {
  const { base_url: url } = await broker.call("get_settings", {});
  try {
    const tls = (await prepareTls(url, config))?.();
    const within = AbortSignal.any([signal, AbortSignal.timeout(5_000)]);
    const answer = await requestHttp(`${url}/api/sign-in`, { tls, signal: within });
    if (brokerId !== undefined && toSignInInfo(answer.json()).brokerId === brokerId) {
      return ok("url", `agents use ${url}, which is this broker`);
    }
    return fail("url", `agents use ${url}, where another server answers`, "merkle config set url <url>");
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CliError && error.code === "clear_text") {
      const problem = `agents use ${url}: unencrypted, so anyone on the network could read messages`;
      return warn("url", problem, "merkle config set url https://…, see docs/reverse-proxy.md");
    }
    const distrust = describeDistrust(url, error);
    if (distrust !== undefined)
      return fail("url", `agents use ${url}. ${distrust}`, "export NODE_EXTRA_CA_CERTS=<authority.pem>");
    return fail(
      "url",
      `agents use ${url}, which does not answer from here (${describeConnectionError(error)})`,
      "merkle config set url <url>",
    );
  }
}

function tryListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
