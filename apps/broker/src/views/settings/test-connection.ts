import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { toBaseUrl, toMcpUrl } from "../../core/addresses.js";
import {
  createGuardedLookup,
  InnerAddressError,
  isForeignInnerAddress,
  isInnerAddress,
  type RefusesAddress,
  refuseInnerHost,
} from "../../core/inner-addresses.js";
import type { Context } from "../../sessions/context.js";
import type { ViewServices } from "../services.js";
import { type AddressResponse, type AskOptions, askAddress, UnreachableError } from "./ask-address.js";

type TestConnectionOutput = OutputOf<"test_connection">;
type ConnectionVerdict = Pick<TestConnectionOutput, "reached" | "same_broker" | "problem">;

/**
 * Reads the app info at an address as an agent's client would, and compares it with this broker's (HEALTH-2).
 * The result is the same for everything that is not a Merkle broker, so the operation cannot be used to scan a
 * network (HEALTH-3).
 */
export async function testConnection(
  { services, signal }: Context<ViewServices>,
  { url }: ParsedInputOf<"test_connection">,
): Promise<TestConnectionOutput> {
  const begun = performance.now();
  const base = toBaseUrl(url);
  const verdict = await judge(base, services, signal);
  const took_ms = verdict.reached ? Math.round((performance.now() - begun) * 100) / 100 : null;
  return { base_url: base, mcp_url: toMcpUrl(url), ...verdict, took_ms };
}

interface BrokerIdentity {
  readonly epoch: string;
  readonly brokerId: string;
}

interface ConnectionCheck {
  readonly own: BrokerIdentity;
  /** This broker's TLS certificate. Null without TLS. */
  readonly certificate: string | null;
  readonly ask: Pick<AskOptions, "signal" | "lookup">;
}

async function judge(base: string, services: ViewServices, signal: AbortSignal): Promise<ConnectionVerdict> {
  const address = URL.canParse(`${base}/api/app-info`) ? new URL(`${base}/api/app-info`) : null;
  if (!address || !/^https?:$/.test(address.protocol)) {
    return toUnreached("Expected an http or https address.");
  }
  if (address.username !== "" || address.password !== "" || address.search !== "" || address.hash !== "") {
    return toUnreached("Leave out user name, password and anything after ? or # in the address.");
  }
  const refuses = chooseGuard(services, address);
  const check: ConnectionCheck = {
    own: services.database,
    certificate: services.findCertificate()?.cert ?? null,
    ask: { signal, lookup: createGuardedLookup(refuses) },
  };
  try {
    refuseInnerHost(address, refuses);
    return await judgeAnswer(address, check, undefined);
  } catch (error) {
    if (error instanceof InnerAddressError) return toUnreached(noBroker);
    if (!(error instanceof UnreachableError)) throw error;
    const verdict = error.isUntrusted ? await judgeOwnCertificate(address, check) : null;
    return verdict ?? toUnreached(noBroker);
  }
}

/**
 * Returns the same guard that alerts use (ALERT-6). At this machine's own addresses, only the broker's port
 * may be tested.
 */
function chooseGuard({ settings, addresses }: ViewServices, address: URL): RefusesAddress {
  if (settings.current.alert_inner_addresses) return () => false;
  return getPort(address) === getPort(new URL(addresses.listeningUrl))
    ? isForeignInnerAddress
    : isInnerAddress;
}

function getPort({ port, protocol }: URL): string {
  return port || (protocol === "https:" ? "443" : "80");
}

async function judgeAnswer(
  address: URL,
  { own, ask }: ConnectionCheck,
  pinned: string | undefined,
): Promise<ConnectionVerdict> {
  const answer = await askAddress(address, { ...ask, pinned });
  const app = toIdentity(answer);
  if (app) return compare(app, own);
  if (isUnauthenticatedRefusal(answer)) {
    // A broker in invite mode still identifies itself to unauthenticated clients.
    const transport = await askAddress(new URL("sign-in", address), { ...ask, pinned });
    const { broker_id: brokerId } = toFields(transport.body);
    if (typeof brokerId === "string") return compare({ ...own, brokerId }, own);
  }
  // This broker refuses requests for an unknown host name, but will accept the name once it is the public
  // URL.
  if (isHostRefusal(answer)) {
    const known = toIdentity(await askAddress(address, { ...ask, host: "localhost", pinned }));
    if (known) return compare(known, own);
  }
  return toUnreached(noBroker);
}

/**
 * Checks whether this broker responds at the address with a certificate that this machine does not trust.
 * Returns null if another server responds.
 */
async function judgeOwnCertificate(
  address: URL,
  judging: ConnectionCheck,
): Promise<ConnectionVerdict | null> {
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
  "This broker responded, but its certificate is not trusted for this name. Give agents its certificate authority (NODE_EXTRA_CA_CERTS or --ca), or use an address that the certificate covers.";

function compare(app: BrokerIdentity, own: BrokerIdentity): ConnectionVerdict {
  if (app.epoch === own.epoch && app.brokerId === own.brokerId) {
    return { reached: true, same_broker: true, problem: null };
  }
  return { reached: true, same_broker: false, problem: "Another Merkle broker responded at this address." };
}

function toUnreached(problem: string): ConnectionVerdict {
  return { reached: false, same_broker: false, problem };
}

function toIdentity({ status, body }: AddressResponse): BrokerIdentity | null {
  if (status !== 200) return null;
  const { name, epoch, broker_id: brokerId } = toFields(body);
  return name === "merkle" && typeof epoch === "string" && typeof brokerId === "string"
    ? { epoch, brokerId }
    : null;
}

function isUnauthenticatedRefusal({ status, body }: AddressResponse): boolean {
  return status === 401 && toFields(toFields(body)["error"])["code"] === "unauthorized";
}

function isHostRefusal({ status, body }: AddressResponse): boolean {
  return status === 403 && toFields(toFields(body)["error"])["code"] === "forbidden";
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The same message for every cause, so that callers learn nothing about other servers. */
const noBroker =
  "No Merkle broker was found at this address. Check the address, the port and the certificate. Check that no sign-in or redirect is in front of the broker, and that its allowed hosts (MERKLE_ALLOWED_HOSTS) include the name. Addresses in the broker's own network are tried only if the setting alert_inner_addresses is on.";
