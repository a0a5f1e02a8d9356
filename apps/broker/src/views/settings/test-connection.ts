import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { baseOf, mcpOf } from "../../core/addresses.js";
import type { Context } from "../../sessions/context.js";
import type { ViewServices } from "../services.js";
import { type Answer, askAddress, UnreachableError } from "./ask-address.js";

type Output = OutputOf<"test_connection">;
type Verdict = Pick<Output, "reached" | "same_broker" | "problem">;

/**
 * Asks an address for its app-info, as an agent's client would reach it, and tells whether it was this broker that answered
 * (HEALTH-2). What answered is told in a sentence, never in its own words: the address may be any that this machine reaches.
 */
export async function testConnection(
  { services, signal }: Context<ViewServices>,
  { url }: ParsedInputOf<"test_connection">,
): Promise<Output> {
  const begun = performance.now();
  const base = baseOf(url);
  const verdict = await judge(base, { ...toIdentityOf(services), signal });
  return {
    base_url: base,
    mcp_url: mcpOf(url),
    ...verdict,
    took_ms: Math.round((performance.now() - begun) * 100) / 100,
  };
}

interface Identity {
  readonly epoch: string;
  readonly brokerId: string;
}

interface Judging {
  readonly own: Identity;
  /** The certificate that this broker serves TLS with; null where it does not. */
  readonly certificate: string | null;
  readonly signal: AbortSignal;
}

function toIdentityOf({ database, certificate }: ViewServices): Omit<Judging, "signal"> {
  return { own: database, certificate: certificate()?.cert ?? null };
}

async function judge(base: string, judging: Judging): Promise<Verdict> {
  const address = URL.canParse(`${base}/api/app-info`) ? new URL(`${base}/api/app-info`) : null;
  if (!address || !/^https?:$/.test(address.protocol)) {
    return unreached("This is no http or https address.");
  }
  if (address.username !== "" || address.password !== "" || address.search !== "" || address.hash !== "") {
    return unreached("An address for agents holds no credentials, query or fragment.");
  }
  try {
    return await judgeAnswer(address, judging, undefined);
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    const verdict = error.untrusted ? await judgeOwnCertificate(address, judging) : null;
    return verdict ?? unreached(error.message);
  }
}

async function judgeAnswer(
  address: URL,
  { own, signal }: Judging,
  pinned: string | undefined,
): Promise<Verdict> {
  const answer = await askAddress(address, { signal, pinned });
  const app = toIdentity(answer);
  if (app) return compare(app, own);
  if (isStrangerRefusal(answer)) {
    // A broker that lets members in alone still says to everybody who it is.
    const transport = await askAddress(new URL("sign-in", address), { signal, pinned });
    const { broker_id: brokerId } = toFields(transport.body);
    if (typeof brokerId === "string") return compare({ ...own, brokerId }, own);
  }
  // A broker answers to the names that it knows, and would know this one if it were its public URL.
  if (isHostRefusal(answer)) {
    const known = toIdentity(await askAddress(address, { signal, host: "localhost", pinned }));
    if (known) return compare(known, own);
  }
  return unreached(describeStranger(answer));
}

/** Whether it is this broker that answers there with a certificate which this machine does not trust; null when it is not. */
async function judgeOwnCertificate(address: URL, judging: Judging): Promise<Verdict | null> {
  if (judging.certificate === null) return null;
  try {
    const verdict = await judgeAnswer(address, judging, judging.certificate);
    return verdict.same_broker ? { ...verdict, problem: ownButUntrusted } : null;
  } catch (error) {
    if (error instanceof UnreachableError) return null;
    throw error;
  }
}

const ownButUntrusted =
  "It is this broker, but its certificate is not trusted here for this name: agents need its authority, as NODE_EXTRA_CA_CERTS or --ca, or an address that it is for.";

function compare(app: Identity, own: Identity): Verdict {
  if (app.epoch === own.epoch && app.brokerId === own.brokerId) {
    return { reached: true, same_broker: true, problem: null };
  }
  return { reached: true, same_broker: false, problem: "Another Merkle broker answers there." };
}

function unreached(problem: string): Verdict {
  return { reached: false, same_broker: false, problem };
}

function toIdentity({ status, body }: Answer): Identity | null {
  if (status !== 200) return null;
  const { name, epoch, broker_id: brokerId } = toFields(body);
  return name === "merkle" && typeof epoch === "string" && typeof brokerId === "string"
    ? { epoch, brokerId }
    : null;
}

function isStrangerRefusal({ status, body }: Answer): boolean {
  return status === 401 && toFields(toFields(body)["error"])["code"] === "unauthorized";
}

function isHostRefusal({ status, body }: Answer): boolean {
  return status === 403 && toFields(toFields(body)["error"])["code"] === "forbidden";
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function describeStranger(answer: Answer): string {
  const { status } = answer;
  if (isHostRefusal(answer)) {
    return "What answers there refuses this host name. Let it in with MERKLE_ALLOWED_HOSTS, or as its public_url.";
  }
  if (status >= 300 && status < 400) {
    return "It sends its callers to another address, which agents do not follow. Use the one it leads to.";
  }
  if (status === 401 || status === 407) return "Something in front of it asks for a sign-in of its own.";
  return status === 200
    ? "Something answers there, but it is no Merkle broker."
    : `Something answers there with status ${status}, not as a Merkle broker does.`;
}
