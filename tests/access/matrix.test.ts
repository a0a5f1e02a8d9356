import { randomBytes } from "node:crypto";
import {
  type AccessRule,
  fillPath,
  isSessionOperation,
  MerkleError,
  parseTeamCredential,
} from "@merkle/wire";
import { frameRules, operations } from "@merkle/wire/schemas";
import { beforeAll, describe, expect, it } from "vitest";
import { buildValidInputs } from "../hostile/subject.js";
import { createCleanup } from "../kit/cleanup.js";
import { selectShare } from "../kit/exhaustive.js";
import { createFakeRunner } from "../kit/fake-runner.js";
import { joinMesh, openAsMember, startInviteBroker, type TestMember } from "../kit/members.js";
import { makePerson } from "../kit/persons.js";
import { toBareId } from "../kit/session.js";
import { type StdioServer, startStdioServer } from "../kit/stdio.js";
import { startTestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import {
  brokerTransports,
  type Entry,
  openWebSocket,
  type SocketTransport,
  toEntryHeaders,
} from "../kit/transports.js";

/**
 * Tests access control. Sends every operation of the catalogue and every other frame, as every kind of caller, over
 * every transport, in both modes. The expected outcome is derived from the operation's metadata, so a new operation is
 * covered automatically.
 */

type Outcome = "served" | "unauthorized" | "forbidden" | "session_closed" | "not there";

interface Facts {
  /** The identity that the caller's token or proof establishes, if any. */
  readonly entry:
    | "nobody"
    | "wrong"
    | "into another mesh"
    | "anyone"
    | "member"
    | "admin"
    | "observer"
    | "agent";
  /** True if the caller uses a token for programs, which cannot make decisions reserved for humans. */
  readonly isProgram?: boolean;
  /** The validity of the team credential that the caller sends with its token. */
  readonly credential: "none" | "wrong" | "another member's" | "right" | "of another session" | "left";
  readonly session: "open" | "closed" | "elsewhere";
  /**
   * True if the credential is sent as an argument. A credential in a header may accompany every call, even if the
   * operation ignores it (AUTH-3).
   */
  readonly isArgument?: boolean;
}

interface CallerSession {
  readonly session_id: string;
  readonly team_id: string;
}

interface Caller extends Facts, Entry {
  readonly session_id: string;
  /** The credential for team operations. `person_id` is the credential for operations reserved for humans. */
  readonly team_id?: string | undefined;
  readonly person_id?: string | undefined;
  /** The verified person whose devices are asked to decide. Default: the caller. */
  readonly asked_id?: string | undefined;
  /** Creates another session and team like the caller's. */
  renew(): Promise<CallerSession>;
}

/**
 * Operations that members may call, but that may require an admin, depending on the input or on the session's owner.
 */
const adminsByInput: ReadonlySet<string> = new Set([
  "update_settings",
  "archive_session",
  "unarchive_session",
]);

/** Operations that report on all meshes. Only admins in the main mesh may call them. */
const ofWholeBroker: ReadonlySet<string> = new Set(["/metrics", "get_health", "collect_garbage"]);

/** Operations on members, their tokens and their invites. Open mode has no members and refuses these operations. */
const ofMembers: ReadonlySet<string> = new Set([
  "create_invite",
  "revoke_invite",
  "issue_token",
  "revoke_token",
  "revoke_member",
  "create_observer_link",
  "preview_client",
  "approve_client",
]);

/** Operations that exist only in open mode. */
const inOpenMode: ReadonlySet<string> = new Set(["open_demo_room"]);

function expectedOf(
  operation: AccessRule,
  { entry, isProgram, credential, session, isArgument }: Facts,
): Outcome {
  const { name, access, readOnly, afterClosing, forJobs, human, unnamed } = operation;
  if (ofWholeBroker.has(name) && session === "elsewhere" && entry === "admin") return "forbidden";
  const ofSession = isSessionOperation(operation);
  const isLookedAt = ofSession || "team_id" in operation.input.shape;
  if (entry === "wrong") return "unauthorized";
  if (entry === "into another mesh") return "not there";
  if (entry === "nobody" && access !== "public") return "unauthorized";
  if (ofSession && session === "elsewhere") return "not there";
  if (entry === "observer" && access !== "public") {
    const isReader = readOnly && (access === "reader" || access === "open");
    return isReader && (ofSession || operation.forObservers) ? "served" : "forbidden";
  }
  if (entry === "agent" && access !== "public") {
    return forJobs?.includes("conclude") && !allowedBySession.has(name) ? "served" : "forbidden";
  }
  if (isLookedAt && credential === "wrong") return "unauthorized";
  // Another member's credential in the header does not block an open operation outside a session, such as create_session.
  const beginsAnew = !ofSession && access === "open";
  if (isLookedAt && credential === "another member's" && !beginsAnew) return "unauthorized";
  if (access === "job") return "forbidden";
  const isOfHuman = human === "power" || (human === "vouching" && isLookedAt);
  if (isArgument && (access === "reader" || isOfHuman) && credential === "left") return "unauthorized";
  // Members act on their own authority. Any other caller must be a verified person to use operations that control
  // agents.
  if (human === "power" && access !== "team") {
    // For an operation on a session, the broker first checks that the credential belongs to the session.
    if (credential === "of another session") return ofSession ? "unauthorized" : "forbidden";
    if (entry === "anyone" && credential !== "right")
      return ofSession && credential === "left" ? "unauthorized" : "forbidden";
  }
  if (access === "team" && !(unnamed && entry === "anyone" && credential === "none")) {
    if (credential === "none" || (ofSession && credential === "of another session")) return "unauthorized";
    if (credential === "left" && !comesAfterLeaving.has(name)) return "unauthorized";
    if (credential === "of another session" && isForHumans(name)) return "forbidden";
  } else if (ofSession) {
    // A reader needs no credential, but a credential that it sends must be valid.
    if (credential === "of another session") return "unauthorized";
    if (credential === "left" && !comesAfterLeaving.has(name)) return "unauthorized";
    if (credential === "none" && entry !== "admin" && requiresIdentity.has(name)) return "unauthorized";
  }
  if (isProgram && human !== undefined && human !== "person") return "forbidden";
  const isClosed = ofSession && session === "closed" && afterClosing === "refused";
  if (entry !== "anyone" && inOpenMode.has(name)) return "forbidden";
  if (entry === "anyone" && ofMembers.has(name)) return isClosed ? "session_closed" : "forbidden";
  if (entry === "member" && (access === "admin" || adminsByInput.has(name))) return "forbidden";
  // Callers in this table never send a valid verification code.
  if (human === "verifying") return "forbidden";
  const names = ofSession || "session_id" in operation.input.shape;
  if (names && session === "closed" && afterClosing === "refused") return "session_closed";
  return "served";
}

/** Operations that an agent may call only if its session allows it. Sessions do not allow it by default. */
const allowedBySession: ReadonlySet<string> = new Set(["conclude_session"]);

const comesAfterLeaving: ReadonlySet<string> = new Set(["join_session"]);

/** Operations on a reader's own data. Readers must identify themselves, but admins need not. */
const requiresIdentity: ReadonlySet<string> = new Set(["redact_message"]);

const anyone = { session_id: "S", team_id: "T", person_id: "P" };

function isForHumans(name: string): boolean {
  return Object(inputOf(name, anyone)).team_id === "P";
}

/** Returns a valid input. Its ids refer only to objects that no other call in the table needs. */
function inputOf(name: string, who: { session_id: string; team_id: string; person_id: string }): object {
  const more: Record<string, object> = {
    revoke_token: { token_id: 999_999 },
    revoke_invite: { invite_id: 999_999 },
    create_observer_link: { session_id: who.session_id },
    get_job: { job_id: ownJob },
  };
  const inputs: Readonly<Record<string, object>> = buildValidInputs(who);
  return { ...inputs[name], ...more[name] };
}

/** Operations that change the caller's team or session. Each of these calls therefore gets a new session. */
const changesCaller: ReadonlySet<string> = new Set([
  "join_session",
  "leave_session",
  "conclude_session",
  "rotate_team_credential",
]);

interface Stage {
  readonly url: string;
  /** Ids in the main mesh. Replies to callers in the other mesh must not contain them, unless the caller sent them. */
  readonly idsOfMain: readonly string[];
  readonly idsElsewhere: readonly string[];
  readonly callers: Readonly<Record<string, Caller>>;
}

const cleanup = createCleanup();
const stages: Partial<Record<"open" | "invite", Stage>> = {};

beforeAll(async () => {
  [stages.open, stages.invite] = await Promise.all([openStage(), inviteStage()]);
});

/** Creates sessions and credentials for a member, or for an anonymous client in open mode. */
async function makePlaces(client: Parameters<typeof makePerson>[0]) {
  const create = async (title: string) => {
    const { session_id, team_id } = await client.call("create_session", {
      title,
      creator_team_name: "Birch",
    });
    return { session_id, team_id };
  };
  const { session_id, team_id } = await create("Entered");
  const other = await create("Another");
  const leave = async (session: string): Promise<CallerSession> => {
    const joined = await client.call("join_session", { session_id: session, team_name: "Left" });
    await client.call("leave_session", { session_id: session, team_id: joined.team_id });
    return { session_id: session, team_id: joined.team_id };
  };
  const createLeft = async () => leave((await create("Left for once")).session_id);
  const left = await leave(session_id);
  const { person_id } = await makePerson(client, "Birch");
  const createClosed = async () => {
    const place = await create("Closed");
    await client.call("post_message", { ...place, team_id: person_id, content: { text: "hello" } });
    await client.call("conclude_session", { ...place, summary_section: "Done." });
    return place;
  };
  const closed = await createClosed();
  const rotated = await client.call("join_session", { session_id, team_name: "Rotated" });
  await client.call("rotate_team_credential", { session_id, team_id: rotated.team_id });
  const joinPeer = async (at: string, peer_name: string) => {
    const { peer_id } = await client.call("join_session", {
      session_id: at,
      team_name: `Of ${peer_name}`,
      peer_name,
    });
    return { session_id: at, team_id: peer_id ?? "" };
  };
  const leavePeer = async (at: string) => {
    const peer = await joinPeer(at, "gone");
    await client.call("leave_session", peer);
    return peer;
  };
  const peer = await joinPeer(session_id, "aspen");
  const createPeer = async () => joinPeer((await create("For a peer")).session_id, "aspen");
  const leftPeer = await leavePeer(session_id);
  const createLeftPeer = async () => leavePeer((await create("Left by a peer")).session_id);
  await client.call("post_message", { session_id, team_id: person_id, content: { text: "hello" } });
  return {
    session_id,
    team_id,
    other,
    left,
    closed,
    rotated: rotated.team_id,
    peer: peer.team_id,
    leftPeer: leftPeer.team_id,
    person_id,
    create,
    createLeft,
    createClosed,
    createPeer,
    createLeftPeer,
  };
}

function makeCallers(
  places: Awaited<ReturnType<typeof makePlaces>>,
  right: Pick<Caller, "entry" | "token">,
  mcpSession: string,
): Readonly<Record<string, Caller>> {
  const { session_id, team_id, other, left, closed, person_id, create, createLeft, createClosed } = places;
  const { rotated, peer, leftPeer, createPeer, createLeftPeer } = places;
  const own: Caller = {
    ...right,
    renew: () => create("For once"),
    credential: "right",
    session: "open",
    session_id,
    team_id,
    person_id,
  };
  const as = (credential: Facts["credential"], text: string): Caller => ({
    ...own,
    credential,
    team_id: text,
    person_id: text,
  });
  const { team_id: _team, person_id: _person, ...bare } = own;
  return {
    "a team of the session": own,
    "somebody without a credential": { ...bare, credential: "none" },
    "a garbage credential": as("wrong", "let-me-in"),
    "a bare team id": as("wrong", team_id.slice(0, 36)),
    "a replaced credential": as("wrong", rotated),
    "a peer of the session": { ...own, team_id: peer, renew: createPeer },
    "a peer that has left": { ...as("left", leftPeer), renew: createLeftPeer },
    "an MCP session's id as a credential": as("wrong", mcpSession),
    "a bare uuid as a token": { ...own, entry: "wrong", token: session_id },
    "a team of another session": as("of another session", other.team_id),
    "a team that has left": { ...as("left", left.team_id), renew: createLeft },
    "a team of a closed session": {
      ...own,
      session: "closed",
      session_id: closed.session_id,
      team_id: closed.team_id,
      renew: createClosed,
    },
    "a token that proves nobody": { ...own, entry: "wrong", token: `mkt_${"A".repeat(43)}` },
  };
}

async function openStage(): Promise<Stage> {
  const { url, databaseUrl } = await startTestBroker({}, cleanup);
  const rest = await brokerTransports.rest(url);
  const places = await makePlaces(rest);
  const { mesh_id } = await rest.call("create_mesh", { name: "elsewhere" });
  const elsewhere = await brokerTransports.rest(url, { mesh: mesh_id });
  const foreign = await elsewhere.call("create_session", {
    title: "Foreign",
    creator_team_name: "Foreigners",
  });
  const callers = makeCallers(places, { entry: "anyone" }, await beginMcpSession(url, {}));
  const own = ownOf(callers);
  return {
    url,
    idsOfMain: [places.other.session_id, toBareId(places.other.team_id)],
    idsElsewhere: [foreign.session_id, toBareId(foreign.team_id), "Foreigners"],
    callers: {
      ...callers,
      "somebody of another mesh": { ...own, credential: "wrong", session: "elsewhere", mesh: mesh_id },
      ...(await makeAgents(databaseUrl, own)),
    },
  };
}

function ownOf(callers: Readonly<Record<string, Caller>>): Caller {
  const own = callers["a team of the session"];
  if (!own) throw new Error("There is no caller.");
  return own;
}

async function beginMcpSession(url: string, entry: Entry): Promise<string> {
  const response = await fetch(new URL("/mcp", url), {
    method: "POST",
    headers: { ...toEntryHeaders(entry), "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...methods["initialize"] }),
  });
  return response.headers.get("mcp-session-id") ?? "";
}

async function makeAgents(databaseUrl: string, own: Caller): Promise<Readonly<Record<string, Caller>>> {
  const { team_id: _team, person_id: _person, ...bare } = own;
  const { running, ended } = await claimJobs(databaseUrl, own.session_id);
  return {
    "the agent of a job": { ...bare, entry: "agent", credential: "none", token: running },
    "the agent of a job that has ended": { ...bare, entry: "wrong", credential: "none", token: ended },
  };
}

/**
 * Returns the agent credentials of two jobs: a running job that no other call in the table can end, and an ended job.
 */
async function claimJobs(
  databaseUrl: string,
  session_id: string,
): Promise<{ running: string; ended: string }> {
  const sql = connectTestDatabase(databaseUrl, cleanup);
  const claim = async (number: number): Promise<string> => {
    const token = `mkj_${randomBytes(32).toString("base64url")}`;
    await sql`INSERT INTO jobs (mesh_id, number, kind, session_id, started_by, status, created_at, started_at, runner, fence, lease_until, secret_hash)
      SELECT mesh_id, ${number}, 'conclude', session_id, 'Birch', 'running', now(), now(), 'elsewhere', 1, now() + interval '1 hour', sha256(${token}::bytea)
      FROM sessions WHERE session_id = ${session_id}`;
    return token;
  };
  const ended = await claim(ownJob - 1);
  await sql`UPDATE jobs SET status = 'cancelled', completed_at = now(), lease_until = NULL, secret_hash = NULL WHERE number = ${ownJob - 1}`;
  return { ended, running: await claim(ownJob) };
}

const ownJob = 900_000;

async function inviteStage(): Promise<Stage> {
  // The broker runs no jobs itself, so that members' machines can claim them.
  const agent = { ...createFakeRunner().agent, maxConcurrentJobs: 0, remoteRunners: true };
  const { broker, admin } = await startInviteBroker(cleanup, { agent });
  const { url } = broker;
  const join = async (name: string, role: "admin" | "member", by = admin) => {
    const { link } = await by.call("create_invite", { role });
    const member = await joinMesh(url, { invite: link, name }, cleanup);
    const { token } = await member.call("issue_token", {});
    return { ...member, token };
  };
  const birch = await join("Birch", "admin");
  // A random secret cannot contain this name by chance.
  const member = "Elm beyond the river";
  const plain = await join(member, "member");
  const cedar = await join("Cedar", "admin");
  const gone = await join("Gone", "admin");
  await admin.call("revoke_member", { member_id: gone.member_id });
  const places = await makePlaces({ ...birch, name: "websocket", url, entry: { token: birch.token } });
  const plains = await makePlaces({ ...plain, name: "websocket", url, entry: { token: plain.token } });
  const { mesh_id } = await admin.call("create_mesh", { name: "elsewhere" });
  const foreigner = openAsMember(url, { ...admin, mesh_id }, cleanup);
  const { token: foreignToken } = await foreigner.call("issue_token", {});
  const foreign = await foreigner.call("create_session", {
    title: "Foreign",
    creator_team_name: "Foreigners",
  });
  const look = async (by: TestMember, session_id: string) => by.call("create_observer_link", { session_id });
  const observer = await look(birch, places.session_id);
  const foreignObserver = await look(foreigner, foreign.session_id);
  const noObserver = await look(birch, places.session_id);
  const revoked = await birch.call("issue_token", {});
  for (const { token_id } of [noObserver, revoked]) await birch.call("revoke_token", { token_id });
  const expired = await birch.call("issue_token", {});
  const sql = connectTestDatabase(broker.databaseUrl, cleanup);
  await sql`UPDATE tokens SET expires_at = now() WHERE number = ${expired.token_id}`;
  const link = await birch.call("issue_token", { kind: "sign_in" });
  const browser = await signIn(url, (await birch.call("issue_token", { kind: "sign_in" })).token);

  const ofKey = await brokerTransports.rest(url, { token: birch.token });
  const program = await ofKey.call("issue_token", { label: "CI" });
  const inProgram = await brokerTransports.rest(url, { token: program.token });

  const callers = makeCallers(
    places,
    { entry: "admin", token: birch.token },
    await beginMcpSession(url, { token: birch.token }),
  );
  const own = ownOf(callers);
  const { team_id: _team, person_id: _person, ...bare } = own;
  const looking = { ...bare, entry: "observer", credential: "none" } as const;
  const unauthenticated = { ...own, entry: "nobody", token: undefined } as const;
  const proving = (token: string) => ({ ...own, entry: "wrong", token }) as const;
  const withCookie = { cookie: browser.cookie, origin: url };
  const withBoth = { ...withCookie, "x-merkle-page": browser.page };
  return {
    url,
    idsOfMain: [places.other.session_id, toBareId(places.other.team_id), plain.member_id, member],
    idsElsewhere: [foreign.session_id, toBareId(foreign.team_id), "Foreigners"],
    callers: {
      ...callers,
      "a stranger": unauthenticated,
      "a revoked member": proving(gone.token),
      "a revoked token": proving(revoked.token),
      "an expired token": proving(expired.token),
      "a sign-in link's secret as a token": proving(link.token),
      "a browser's cookie as a token": proving(browser.cookie.split("=")[1] ?? ""),
      "a browser that is signed in": {
        ...own,
        token: undefined,
        headers: withBoth,
        proof: async () => {
          const ticket = await fetch(new URL("/api/tickets", url), { method: "POST", headers: withBoth });
          return { kind: "ticket", ...(await ticket.json()) };
        },
      },
      "a browser's cookie alone": { ...unauthenticated, headers: withCookie },
      "a page's token alone": { ...unauthenticated, headers: { "x-merkle-page": browser.page } },
      "a program's token": {
        ...own,
        isProgram: true,
        token: program.token,
        asked_id: own.person_id,
        person_id: (await makePerson(inProgram, "Birch")).person_id,
      },
      "a member who is no admin": {
        ...own,
        entry: "member",
        token: plain.token,
        session_id: plains.session_id,
        team_id: plains.team_id,
        person_id: plains.person_id,
        renew: () => plains.create("For once"),
      },
      "another member, with a team's and a person's credentials": {
        ...own,
        credential: "another member's",
        token: cedar.token,
      },
      "a member who names another mesh": { ...own, entry: "into another mesh", mesh: mesh_id },
      "an admin of another mesh": { ...own, credential: "wrong", session: "elsewhere", token: foreignToken },
      "an observer": { ...looking, token: observer.token },
      "an observer whose link was revoked": { ...looking, entry: "wrong", token: noObserver.token },
      "an observer of another mesh": { ...looking, session: "elsewhere", token: foreignObserver.token },
      ...(await makeAgents(broker.databaseUrl, own)),
    },
  };
}

async function signIn(url: string, secret: string): Promise<{ cookie: string; page: string }> {
  const response = await fetch(new URL("/api/sign-in", url), {
    method: "POST",
    headers: { origin: url, "content-type": "application/json" },
    body: JSON.stringify({ secret }),
  });
  const [cookie = ""] = (response.headers.get("set-cookie") ?? "").split(";");
  return { cookie, page: Object(await response.json()).page_token };
}

type Transport = "rest" | "mcp" | "websocket" | "stdio";

/** One call in the table: the request, the expected outcome and the actual outcome. */
interface Cell {
  readonly name: string;
  readonly wanted: Outcome;
  found: Outcome;
  /** The complete reply as text. */
  answer: string;
}

interface Call extends Cell {
  readonly rule: AccessRule;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Prepares a caller's call. If the operation would end the caller's session or team, the call gets a fresh session. */
async function prepare(rule: AccessRule, caller: Caller, transport: Transport): Promise<Call> {
  const { name } = rule;
  // REST sends the credential as a header with every call. Other transports send the credential only to operations that
  // accept one. Open operations such as create_session do not.
  const takes = "team_id" in rule.input.shape && (isSessionOperation(rule) || rule.access !== "open");
  // The stdio server knows its caller, so it ignores a malformed credential from the model (STDIO-4).
  const isIgnored = transport === "stdio" && parseTeamCredential(caller.team_id ?? "") === null;
  const isGiven = transport === "rest" || (takes && !isIgnored);
  const wanted = expectedOf(
    rule,
    isGiven ? { ...caller, isArgument: transport !== "rest" } : { ...caller, credential: "none" },
  );
  const fresh =
    changesCaller.has(name) && caller.team_id !== undefined && wanted === "served"
      ? await caller.renew()
      : {};
  const { session_id, team_id = "", person_id = "" } = { ...caller, ...fresh };
  const { team_id: _, ...input } = Object(
    "transport" in rule
      ? isSessionOperation(rule) && { session_id }
      : inputOf(name, {
          ...{ session_id, team_id },
          person_id: isForHumans(name) ? person_id : (caller.asked_id ?? person_id),
        }),
  );
  const credential = isForHumans(name) ? person_id : team_id;
  const whole = (isGiven || takes) && credential !== "" ? { ...input, team_id: credential } : input;
  return {
    name,
    rule,
    input: whole,
    wanted: adjustFor(transport, caller, rule, wanted),
    found: "served",
    answer: "",
  };
}

/** Adjusts the expected outcome for a transport that refuses additional callers. */
function adjustFor(
  transport: Transport,
  { entry }: Facts,
  { name, human, notForModels }: AccessRule,
  wanted: Outcome,
): Outcome {
  // A caller over MCP is a model and never counts as a human (PERSON-11).
  const mayServe = wanted === "served" || wanted === "session_closed";
  const decides = (human !== undefined && human !== "person") || notForModels === true;
  if (transport === "mcp" && mayServe && decides) return "forbidden";
  // Over stdio, operations that models may not call are not offered as tools, so every caller is refused.
  if (transport === "stdio" && decides) return "forbidden";
  // MCP requires every caller to be admitted, even for public operations.
  if ((transport === "mcp" || transport === "stdio") && entry === "nobody") return "unauthorized";
  if (name === "hello" && entry === "nobody") return "unauthorized";
  // An agent's credential cannot open a connection that might outlive its job (JOB-12).
  return transport === "websocket" && entry === "agent" ? "unauthorized" : wanted;
}

async function settle(cell: Call, answer: Promise<unknown>): Promise<void> {
  const came = await answer.catch((error: unknown) => error);
  cell.answer = came instanceof MerkleError ? JSON.stringify(came.toBody()) : (JSON.stringify(came) ?? "");
  cell.found = came instanceof Error ? toOutcome(came, cell.rule) : "served";
}

/** Makes the calls over one WebSocket. If its hello is refused, every call gets the same error. */
async function putOverWebSocket(url: string, caller: Caller, calls: readonly Call[]): Promise<void> {
  const opened = await openWebSocket(url, caller).catch((error: unknown) => error);
  if (opened instanceof Error) {
    for (const call of calls) await settle(call, Promise.reject(opened));
    return;
  }
  // `opened` is either an error or the open transport.
  const client = opened as SocketTransport;
  for (let first = 0; first < calls.length; first += unansweredMax)
    await Promise.all(
      calls.slice(first, first + unansweredMax).map((call) => settle(call, ask(client, call))),
    );
  await client.close();
}

const unansweredMax = 40;

function ask(client: SocketTransport, { name, rule, input }: Call): Promise<unknown> {
  const frame = framesSent[name];
  return frame && "transport" in rule ? client.ask({ ...frame, ...input }) : client.callRaw(name, input);
}

/** Frames, keyed by their name in the table. Each call adds its input. */
const framesSent: Readonly<Record<string, object>> = {
  follow: { type: "subscribe", kind: "follow" },
  inbox: { type: "subscribe", kind: "inbox" },
  unsubscribe: { type: "unsubscribe", kind: "follow" },
  watch_mesh: { type: "watch_mesh" },
  unwatch_mesh: { type: "unwatch_mesh" },
};

/** Sends all calls as one JSON-RPC batch. Separate requests would take ten times as long. */
async function putOverMcp(url: string, caller: Caller, calls: readonly Call[]): Promise<void> {
  const body = calls.map(({ name, rule, input }, id) => ({
    jsonrpc: "2.0",
    id,
    ...("transport" in rule ? methods[name] : { method: "tools/call", params: { name, arguments: input } }),
  }));
  const response = await fetch(new URL(`/mcp?tools=${toolsets}`, url), {
    method: "POST",
    headers: { ...toEntryHeaders(caller), "content-type": "application/json" },
    body: JSON.stringify(body.length === 1 ? body[0] : body),
  });
  const answered: unknown = await response.json();
  const answers = Array.isArray(answered) ? answered : [answered];
  for (const [id, call] of calls.entries())
    await settle(call, readRpc(answers.find((each) => each.id === id) ?? answers[0]));
}

const toolsets = "core,messaging,mesh,tasks,people,progress,audit,work,admin";
const clientInfo = { name: "test", version: "1" };
const methods: Readonly<Record<string, object>> = {
  initialize: {
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
  },
  mcp: { method: "tools/list" },
};

async function readRpc({ result, error }: { result?: never; error?: never }): Promise<unknown> {
  const { code, message, data } = Object(error);
  if (data?.code) throw new MerkleError(data.code, message, data.details);
  if (error) throw new Error(`JSON-RPC ${code}: ${message}`);
  const { content, isError } = Object(result);
  if (content === undefined) return result;
  const body: unknown = JSON.parse(content[0].text);
  if (isError) throw MerkleError.fromBody(body);
  return body;
}

/**
 * Makes the calls through `merkle mcp`. The server gets the token and the mesh from its environment and opens its own
 * WebSocket. Calls that make the server join a team run last, because afterwards the server adds that team's credential
 * to every call.
 */
async function putOverStdio(url: string, caller: Caller, calls: readonly Call[]): Promise<void> {
  const { token, mesh } = caller;
  const env = {
    ...(token !== undefined && { MERKLE_TOKEN: token }),
    ...(mesh !== undefined && { MERKLE_MESH: mesh }),
  };
  const args = ["--view", "json", "--tools", toolsets];
  const server = await startStdioServer({ url, args, env });
  const isLast = ({ name }: Call) => changesCaller.has(name) || name === "create_session";
  await Promise.all(calls.filter((call) => !isLast(call)).map((call) => settle(call, askTool(server, call))));
  for (const call of calls.filter(isLast)) await settle(call, askTool(server, call));
  await server.stop();
}

async function askTool(server: StdioServer, { name, input }: Call): Promise<unknown> {
  const answer = await server.request("tools/call", { name, arguments: input });
  const text = answer.result?.content?.[0]?.text ?? "";
  if (answer.result?.isError && text.includes("no tool")) throw new MerkleError("forbidden", text);
  return readRpc(Object(answer));
}

/** Makes every call of the table over one transport, as one caller. */
async function put(transport: Transport, url: string, caller: Caller): Promise<Cell[]> {
  const rules = Object.entries(frameRules).filter(([name]) => sentOver[transport].includes(name));
  const ofFrames = rules.map(async ([name, rule]) => ({ ...(await prepare(rule, caller, transport)), name }));
  const frames = await Promise.all(ofFrames);
  const calls = await Promise.all(operations.map((each) => prepare(each, caller, transport)));
  switch (transport) {
    case "rest": {
      const client = await brokerTransports.rest(url, caller);
      await Promise.all(calls.map((call) => settle(call, client.callRaw(call.name, call.input))));
      for (const call of frames) await settle(call, readMetrics(url, caller));
      break;
    }
    case "mcp":
      for (const call of frames) await putOverMcp(url, caller, [call]);
      for (let first = 0; first < calls.length; first += unansweredMax)
        await putOverMcp(url, caller, calls.slice(first, first + unansweredMax));
      break;
    case "stdio":
      await putOverStdio(url, caller, calls);
      break;
    case "websocket": {
      const [hello, ...later] = frames;
      if (hello) await settle(hello, greet(url, caller));
      // An unauthenticated client may send only one frame per connection.
      if (caller.entry === "nobody") {
        await Promise.all([...later, ...calls].map((call) => putOverWebSocket(url, caller, [call])));
      } else {
        await putOverWebSocket(url, caller, later);
        await putOverWebSocket(url, caller, calls);
      }
    }
  }
  return [...frames, ...calls];
}

/**
 * Frames and methods sent in addition to the operations. Over stdio, the server itself sends the hello and handles
 * other methods.
 */
const sentOver: Readonly<Record<Transport, readonly string[]>> = {
  rest: ["metrics"],
  mcp: Object.keys(methods),
  websocket: ["hello", ...Object.keys(framesSent)],
  stdio: [],
};

/** Sends a hello on a new connection, with a valid or an invalid proof. */
async function greet(url: string, { token, mesh, proof }: Caller): Promise<unknown> {
  const client = (await openWebSocket(url)) as SocketTransport;
  const given = token === undefined ? await proof?.() : { kind: "bearer", token };
  return client.ask({ type: "hello", mesh, proof: given }).finally(() => client.close());
}

async function readMetrics(url: string, caller: Caller): Promise<unknown> {
  const response = await fetch(new URL("/metrics", url), { headers: toEntryHeaders(caller) });
  const text = await response.text();
  if (!response.ok) throw MerkleError.fromBody(JSON.parse(text));
  return text;
}

function toOutcome(error: Error, { access }: AccessRule): Outcome {
  if (!(error instanceof MerkleError)) throw error;
  const { code, message } = error;
  expect(code, message).not.toBe("internal");
  if (code === "not_found" && /There is no (session|mesh) /.test(message)) return "not there";
  // A public operation may reject the secret in its input. The call still counts as served, because the handler ran.
  if (
    access === "public" &&
    code === "unauthorized" &&
    !/has no valid credential|credential is not valid|has not joined a mesh/.test(message)
  )
    return "served";
  return refusals.find((each) => each === code) ?? "served";
}

const refusals: readonly Outcome[] = ["unauthorized", "forbidden", "session_closed"];

const callersOf = {
  open: [
    "a team of the session",
    "somebody without a credential",
    "a garbage credential",
    "a bare team id",
    "a replaced credential",
    "a peer of the session",
    "a peer that has left",
    "a team of another session",
    "a team that has left",
    "a team of a closed session",
    "an MCP session's id as a credential",
    "a token that proves nobody",
    "a bare uuid as a token",
    "somebody of another mesh",
    "the agent of a job",
    "the agent of a job that has ended",
  ],
  invite: [
    "a team of the session",
    "somebody without a credential",
    "a garbage credential",
    "a bare team id",
    "a replaced credential",
    "a peer of the session",
    "a peer that has left",
    "a team of another session",
    "a team that has left",
    "a team of a closed session",
    "an MCP session's id as a credential",
    "a token that proves nobody",
    "a bare uuid as a token",
    "a stranger",
    "a revoked member",
    "a revoked token",
    "an expired token",
    "a sign-in link's secret as a token",
    "a browser's cookie as a token",
    "a program's token",
    "a member who is no admin",
    "another member, with a team's and a person's credentials",
    "a member who names another mesh",
    "an admin of another mesh",
    "an observer",
    "an observer whose link was revoked",
    "an observer of another mesh",
    "a browser that is signed in",
    "a browser's cookie alone",
    "a page's token alone",
    "the agent of a job",
    "the agent of a job that has ended",
  ],
} as const;

/**
 * Callers to test over stdio: with or without a token in the environment, and with a credential from the model. Each
 * caller needs its own process.
 */
const callersOfStdio: ReadonlySet<string> = new Set([
  "a team of the session",
  "a garbage credential",
  "a team of another session",
  "somebody of another mesh",
  "a stranger",
  "a revoked token",
  "a member who is no admin",
  "a member who names another mesh",
  "an admin of another mesh",
  "an observer",
]);

describe.each(["open", "invite"] as const)("in %s mode", (mode) => {
  describe.each(callersOf[mode].map((name, index) => ({ name, index })))("$name", ({ name, index }) => {
    const transports = [
      "rest",
      "mcp",
      "websocket",
      ...(callersOfStdio.has(name) ? ["stdio" as const] : []),
    ] as const;
    it.each(selectShare(transports, index, transports.length))(
      "[GUARD-12] [AUTH-11] [AUTH-12] is served over %s what the catalogue allows, and nothing else",
      async (transport) => {
        const stage = stages[mode];
        const caller = stage?.callers[name];
        if (!stage || !caller) throw new Error(`There is no caller "${name}".`);
        const cells = await put(transport, stage.url, caller);
        expect(cells).toHaveLength(operations.length + sentOver[transport].length);
        const differences = cells.filter(({ wanted, found }) => wanted !== found);
        expect(
          differences.map(({ name: each, wanted, found }) => `${each}: ${found} instead of ${wanted}`),
        ).toEqual([]);
        const isStranger = ["nobody", "wrong"].includes(caller.entry);
        for (const { name: each, answer } of cells) {
          if (isStranger) expect(answer, each).toMatch(/^\{"error":/);
          for (const id of caller.session === "elsewhere" ? stage.idsOfMain : stage.idsElsewhere)
            expect(answer, `${each} tells of another mesh`).not.toContain(id);
        }
      },
    );
  });

  it("[AUTH-2] [GUARD-12] takes no credential from an address: with one in its query every call over REST is refused", async () => {
    const stage = stages[mode];
    const caller = stage?.callers["a team of the session"];
    if (!stage || !caller) throw new Error("There is no caller.");
    const statuses = await Promise.all(
      operations.map(async ({ name, route }) => {
        const [method = "", path = ""] = route.split(" ");
        const { team_id: _, ...input } = Object(inputOf(name, { ...anyone, session_id: caller.session_id }));
        const { path: filled, rest } = fillPath(path, input);
        const address = new URL(filled, stage.url);
        address.searchParams.set("team_id", caller.team_id ?? "");
        const response = await fetch(address, {
          method,
          headers: { ...toEntryHeaders(caller), "content-type": "application/json" },
          ...(method !== "GET" && { body: JSON.stringify(rest) }),
        });
        return [name, response.status, await response.text()];
      }),
    );
    expect(
      statuses.filter(([, status, text]) => status !== 400 || !/must not be in a URL/.test(String(text))),
    ).toEqual([]);
  });

  it("[GUARD-12] no caller is left out", () => {
    expect(Object.keys(stages[mode]?.callers ?? {}).sort()).toEqual([...callersOf[mode]].sort());
    expect(new Set(Object.values(callersOf).flat()).size).toBeGreaterThanOrEqual(20);
  });
});
