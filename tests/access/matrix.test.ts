import { randomBytes } from "node:crypto";
import { findOperation, isSessionOperation, MerkleError, type Operation, operations } from "@merkle/wire";
import { beforeAll, describe, expect, it } from "vitest";
import { validInputs } from "../hostile/subject.js";
import { atEnd } from "../kit/at-end.js";
import { brokerDoors, type Door, type OpenDoor } from "../kit/doors.js";
import { createFakeRunner } from "../kit/fake-runner.js";
import { joinMesh, startInviteBroker } from "../kit/members.js";
import { startTestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";

/**
 * Who may do what: every operation of the catalogue, for every kind of caller, in both modes. What is expected follows from
 * what the operation says of itself, so a new one is covered as soon as it is in the catalogue.
 */

type Outcome = "served" | "unauthorized" | "forbidden" | "session_closed" | "not there";

interface Facts {
  /** Whom the entry lets in: nobody, or what is given proves nobody, or this. */
  readonly entry:
    | "nobody"
    | "wrong"
    | "into another mesh"
    | "anyone"
    | "member"
    | "admin"
    | "observer"
    | "agent";
  /** What the credential beside it is worth. */
  readonly credential: "none" | "wrong" | "another member's" | "right" | "of another session" | "left";
  readonly session: "open" | "closed" | "elsewhere";
}

interface Place {
  readonly session_id: string;
  readonly team_id: string;
}

interface Caller extends Facts {
  readonly token?: string | undefined;
  readonly mesh?: string | undefined;
  readonly session_id: string;
  /** For what a team does, and for what only a human may. */
  readonly team_id?: string | undefined;
  readonly person_id?: string | undefined;
  /** Another place like the caller's own. */
  renew(): Promise<Place>;
}

/** What admins alone may do although any member may ask, for the reason that stands there: the input decides. */
const adminsByInput: ReadonlySet<string> = new Set(["update_settings"]);

/** What is made for members, or by one: where everybody is let in there are none. */
const ofMembers: ReadonlySet<string> = new Set([
  "create_invite",
  "revoke_invite",
  "issue_token",
  "revoke_token",
  "revoke_member",
  "create_observer_link",
]);

function expectedOf(operation: Operation, { entry, credential, session }: Facts): Outcome {
  const { name, access, readOnly, afterClosing, forJobs } = operation;
  const ofSession = isSessionOperation(operation);
  const isLookedAt = ofSession || "team_id" in operation.input.shape;
  if (entry === "wrong") return "unauthorized";
  if (entry === "into another mesh") return "not there";
  if (entry === "nobody" && access !== "public") return "unauthorized";
  if (ofSession && session === "elsewhere") return "not there";
  if (entry === "observer" && access !== "public") {
    const looks = readOnly && (access === "reader" || access === "open");
    return looks && (ofSession || name === "get_app_info") ? "served" : "forbidden";
  }
  if (entry === "agent" && access !== "public") {
    return forJobs?.includes("conclude") && !asSessionsSay.has(name) ? "served" : "forbidden";
  }
  if (isLookedAt && credential === "wrong") return "unauthorized";
  // A team's in the header hinders nobody who begins something new.
  const beginsAnew = !ofSession && access === "open";
  if (isLookedAt && credential === "another member's" && !beginsAnew) return "unauthorized";
  if (access === "job") return "forbidden";
  if (access === "team") {
    if (credential === "none" || (ofSession && credential === "of another session")) return "unauthorized";
    if (credential === "left" && !comesAfterLeaving.has(name)) return "unauthorized";
    if (credential === "of another session" && isForHumans(name)) return "forbidden";
  } else if (ofSession) {
    // A reader needs no credential, but one that is given must be right.
    if (credential === "of another session") return "unauthorized";
    if (credential === "left" && !comesAfterLeaving.has(name)) return "unauthorized";
    if (credential === "none" && entry !== "admin" && saysWhose.has(name)) return "unauthorized";
  }
  if (entry === "anyone" && ofMembers.has(name)) return "forbidden";
  if (entry === "member" && (access === "admin" || adminsByInput.has(name))) return "forbidden";
  const names = ofSession || "session_id" in operation.input.shape;
  if (names && session === "closed" && afterClosing === "refused") return "session_closed";
  return "served";
}

/** What an agent may do where its session lets it, which sessions do not by themselves. */
const asSessionsSay: ReadonlySet<string> = new Set(["conclude_session"]);

const comesAfterLeaving: ReadonlySet<string> = new Set(["join_session"]);

/** What a reader may do with something of its own, and so has to say who it is; an admin need not. */
const saysWhose: ReadonlySet<string> = new Set(["redact_message"]);

const anyone = { session_id: "S", team_id: "T", person_id: "P" };

function isForHumans(name: string): boolean {
  return Object(inputOf(name, anyone)).team_id === "P";
}

/** Valid, and pointing at nothing that another cell needs. */
function inputOf(name: string, who: { session_id: string; team_id: string; person_id: string }): object {
  const more: Record<string, object> = {
    revoke_token: { token_id: 999_999 },
    revoke_invite: { invite_id: 999_999 },
    create_observer_link: { session_id: who.session_id },
    get_job: { job_id: ownJob },
  };
  const inputs: Readonly<Record<string, object>> = validInputs(who);
  return { ...inputs[name], ...more[name] };
}

/** What ends or begins the caller's own place: each is done in a session of its own. */
const movesCaller: ReadonlySet<string> = new Set([
  "join_session",
  "leave_session",
  "conclude_session",
  "rotate_team_credential",
]);

interface Stage {
  readonly url: string;
  readonly callers: Readonly<Record<string, Caller>>;
}

const cleanup = atEnd();
const stages: Partial<Record<"open" | "invite", Stage>> = {};

beforeAll(async () => {
  [stages.open, stages.invite] = await Promise.all([openStage(), inviteStage()]);
});

/** Sessions and credentials of one member's, or of anybody in open mode. */
async function makePlaces(door: Pick<Door, "call">) {
  const create = async (title: string) => {
    const { session_id, team_id } = await door.call("create_session", { title, creator_team_name: "Birch" });
    return { session_id, team_id };
  };
  const { session_id, team_id } = await create("Entered");
  const other = await create("Another");
  const leave = async (session: string): Promise<Place> => {
    const joined = await door.call("join_session", { session_id: session, team_name: "Left" });
    await door.call("leave_session", { session_id: session, team_id: joined.team_id });
    return { session_id: session, team_id: joined.team_id };
  };
  const createLeft = async () => leave((await create("Left for once")).session_id);
  const left = await leave(session_id);
  const { person_id } = await door.call("create_person", { name: "Birch" });
  const createClosed = async () => {
    const place = await create("Closed");
    await door.call("post_message", { ...place, team_id: person_id, content: { text: "hello" } });
    await door.call("conclude_session", { ...place, summary_section: "Done." });
    return place;
  };
  const closed = await createClosed();
  await door.call("post_message", { session_id, team_id: person_id, content: { text: "hello" } });
  return { session_id, team_id, other, left, closed, person_id, create, createLeft, createClosed };
}

function makeCallers(
  places: Awaited<ReturnType<typeof makePlaces>>,
  right: Pick<Caller, "entry" | "token">,
): Readonly<Record<string, Caller>> {
  const { session_id, team_id, other, left, closed, person_id, create, createLeft, createClosed } = places;
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
  const rest = await brokerDoors.rest(url);
  const places = await makePlaces(rest);
  const { mesh_id } = await rest.call("create_mesh", { name: "elsewhere" });
  const callers = makeCallers(places, { entry: "anyone" });
  const own = callers["a team of the session"];
  if (!own) throw new Error("There is no caller.");
  return {
    url,
    callers: {
      ...callers,
      "somebody of another mesh": { ...own, credential: "wrong", session: "elsewhere", mesh: mesh_id },
      "the agent of a job": {
        ...own,
        entry: "agent",
        credential: "none",
        token: await claimJob(databaseUrl, places.session_id),
        team_id: undefined,
        person_id: undefined,
      },
    },
  };
}

/** A running job that no other cell can end, and its agent's credential. */
async function claimJob(databaseUrl: string, session_id: string): Promise<string> {
  const token = `mkj_${randomBytes(32).toString("base64url")}`;
  const sql = connectTestDatabase(databaseUrl, cleanup);
  await sql`INSERT INTO jobs (mesh_id, number, kind, session_id, started_by, status, created_at, started_at, runner, fence, lease_until, secret_hash)
    SELECT mesh_id, ${ownJob}, 'conclude', session_id, 'Birch', 'running', now(), now(), 'elsewhere', 1, now() + interval '1 hour', sha256(${token}::bytea)
    FROM sessions WHERE session_id = ${session_id}`;
  return token;
}

const ownJob = 900_000;

async function inviteStage(): Promise<Stage> {
  // Its jobs are for members' machines, so that these may claim them.
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
  const plain = await join("Elm", "member");
  const cedar = await join("Cedar", "admin");
  const gone = await join("Gone", "admin");
  await admin.call("revoke_member", { member_id: gone.member_id });
  const places = await makePlaces(birch);
  const plains = await makePlaces(plain);
  const { mesh_id } = await admin.call("create_mesh", { name: "elsewhere" });
  const observer = await birch.call("create_observer_link", { session_id: places.session_id });
  const callers = makeCallers(places, { entry: "admin", token: birch.token });
  const own = callers["a team of the session"];
  if (!own) throw new Error("There is no caller.");
  return {
    url,
    callers: {
      ...callers,
      "a stranger": { ...own, entry: "nobody", token: undefined },
      "a revoked member": { ...own, entry: "wrong", token: gone.token },
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
      "an observer": {
        ...own,
        entry: "observer",
        credential: "none",
        token: observer.token,
        team_id: undefined,
        person_id: undefined,
      },
    },
  };
}

/** Calls as the caller does; with a fresh place for what would end its own. */
async function attempt(
  openDoor: OpenDoor,
  url: string,
  caller: Caller,
  operation: Operation,
): Promise<Outcome> {
  const { token, mesh } = caller;
  const moves = movesCaller.has(operation.name) && caller.team_id !== undefined;
  const fresh = moves && expectedOf(operation, caller) === "served" ? await caller.renew() : {};
  const { session_id, team_id = "", person_id = "" } = { ...caller, ...fresh };
  const { team_id: _, ...input } = Object(inputOf(operation.name, { session_id, team_id, person_id }));
  const credential = isForHumans(operation.name) ? person_id : team_id;
  try {
    const door = await openDoor(url, { token, mesh });
    try {
      // Over HTTP it stands in a header, and is given to everything.
      const takes = door.name === "rest" || isSessionOperation(operation) || operation.access === "team";
      const call = takes && credential !== "" ? { ...input, team_id: credential } : input;
      await door.callRaw(operation.name, call);
      return "served";
    } finally {
      await door.close();
    }
  } catch (error) {
    return toOutcome(error, operation);
  }
}

function toOutcome(error: unknown, { access }: Operation): Outcome {
  if (!(error instanceof MerkleError)) throw error;
  const { code, message } = error;
  expect(code).not.toBe("internal");
  if (code === "not_found" && /There is no (session|mesh) /.test(message)) return "not there";
  // What a public operation is given may be worth nothing; that it was looked at is what counts.
  if (access === "public" && code === "unauthorized" && !/came from nobody|lets nobody in/.test(message))
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
    "a team of another session",
    "a team that has left",
    "a team of a closed session",
    "a token that proves nobody",
    "somebody of another mesh",
    "the agent of a job",
  ],
  invite: [
    "a team of the session",
    "somebody without a credential",
    "a garbage credential",
    "a bare team id",
    "a team of another session",
    "a team that has left",
    "a team of a closed session",
    "a token that proves nobody",
    "a stranger",
    "a revoked member",
    "a member who is no admin",
    "another member, with a team's and a person's credentials",
    "a member who names another mesh",
    "an observer",
  ],
} as const;

/** One of each access class; over these doors a credential is an argument, which create_session refuses of a team. */
const sample = [
  "get_app_info",
  "get_session",
  "post_message",
  "remember",
  "list_members",
  "create_mesh",
  "preview_invite",
];

describe.each(["open", "invite"] as const)("in %s mode", (mode) => {
  describe.each(callersOf[mode])("%s", (name) => {
    function setUp(): { url: string; caller: Caller } {
      const stage = stages[mode];
      const caller = stage?.callers[name];
      if (!stage || !caller) throw new Error(`There is no caller "${name}".`);
      return { url: stage.url, caller };
    }

    it("[GUARD-12] is served what each operation's access allows, and nothing else", async () => {
      const { url, caller } = setUp();
      const surprises = operations.map(async (operation) => {
        const wanted = expectedOf(operation, caller);
        const found = await attempt(brokerDoors.rest, url, caller, operation);
        return found === wanted ? [] : [`${operation.name}: ${found} instead of ${wanted}`];
      });
      expect((await Promise.all(surprises)).flat()).toEqual([]);
    });

    it("[GUARD-12] [AUTH-11] is served the same over MCP and WebSockets", async () => {
      const { url, caller } = setUp();
      const calls = sample.map(async (each) => {
        const operation = findOperation(each);
        if (!operation) throw new Error(`There is no ${each}.`);
        const wanted = expectedOf(operation, caller);
        // Tools are for those who have been let in, the public ones too.
        const wantedOverMcp = caller.entry === "nobody" ? "unauthorized" : wanted;
        // An agent's credential opens no connection that could outlive its job (JOB-12).
        const wantedOverWebSocket = caller.entry === "agent" ? "unauthorized" : wanted;
        expect(await attempt(brokerDoors.websocket, url, caller, operation), each).toBe(wantedOverWebSocket);
        expect(await attempt(brokerDoors.mcp, url, caller, operation), each).toBe(wantedOverMcp);
      });
      await Promise.all(calls);
    });
  });

  it("[GUARD-12] no caller is left out", () => {
    expect(Object.keys(stages[mode]?.callers ?? {}).sort()).toEqual([...callersOf[mode]].sort());
  });
});
