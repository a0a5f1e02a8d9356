import { hash, randomBytes, randomUUID } from "node:crypto";
import { type InputOf, MerkleError, type OperationName } from "@merkle/wire";
import { hashApproval, toDeviceId } from "@merkle/wire/identity";
import type postgres from "postgres";
import { expect } from "vitest";
import { makePerson } from "../kit/persons.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type Cleanup, connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

/** A broker with valid and invalid sessions and credentials of every kind, for tests with bad requests. */
export interface Subject {
  readonly broker: TestBroker;
  readonly transports: readonly TransportClient[];
  readonly session_id: string;
  readonly closed_session_id: string;
  /** A team credential that is valid in the session `session_id`. */
  readonly team_id: string;
  /** Credential of another team in the same session. */
  readonly other_team_id: string;
  /** Credential of the team that concluded `closed_session_id`. */
  readonly closed_team_id: string;
  /** Credential of a named peer in `session_id`, in a third team. */
  readonly peer_id: string;
  /** Credential of a person who takes part in `session_id`. */
  readonly person_id: string;
  /** Credentials that are invalid in `session_id`, keyed by the reason. */
  readonly badCredentials: Readonly<Record<string, string>>;
  /** Credentials that used to be valid. */
  readonly deadCredentials: Readonly<Record<string, string>>;
  /** Returns all stored data that a refused call must not change. */
  readStored(): Promise<unknown>;
}

export async function startSubject(cleanup: Cleanup): Promise<Subject> {
  const broker = await startTestBroker({}, cleanup);
  const opened = await Promise.all(Object.values(brokerTransports).map((open) => open(broker.url)));
  for (const transport of opened) cleanup(transport.close);
  const transport = await brokerTransports.rest(broker.url);
  const sql = connectTestDatabase(broker.databaseUrl, cleanup);

  const { closed, left, rotating, other, peered, peer_id, ...own } = await createSampleSession(transport);
  const { session_id, team_id, person_id } = own;

  const bare = team_id.slice(0, 36);
  const wrong = `${bare}.mk_${randomBytes(32).toString("base64url")}`;
  const deadCredentials = {
    "a team's that left": left.team_id,
    "a peer's that left": peered.peer_id ?? "",
    "a replaced one": rotating.team_id,
    "one with a wrong secret": wrong,
    "one that nobody ever had": `${randomUUID()}.mk_${randomBytes(32).toString("base64url")}`,
  };
  return {
    broker,
    transports: opened,
    session_id,
    closed_session_id: closed.session_id,
    team_id,
    other_team_id: other.team_id,
    closed_team_id: closed.team_id,
    peer_id,
    person_id,
    badCredentials: {
      ...deadCredentials,
      "a bare team id": bare,
      garbage: "let-me-in",
      "a number": "42",
      "one of another session": closed.team_id,
      "one with something behind it": `${team_id}x`,
      "the secret alone": team_id.slice(37),
    },
    deadCredentials,
    readStored: () => readStored(sql),
  };
}

/**
 * Creates a session with teams, peers and a person, and one object of every kind that an operation can
 * address.
 */
export async function createSampleSession(transport: TransportClient) {
  const { session_id, team_id } = await transport.call("create_session", {
    title: "Mistreated",
    creator_team_name: "Birch",
  });
  const join = (team_name: string) => transport.call("join_session", { session_id, team_name });
  const other = await join("Cedar");
  const left = await join("Left");
  await transport.call("leave_session", { session_id, team_id: left.team_id });
  const rotating = await join("Rotating");
  await transport.call("rotate_team_credential", { session_id, team_id: rotating.team_id });
  const peered = await transport.call("join_session", { session_id, team_name: "Oak", peer_name: "aspen" });
  const stays = { session_id, team_name: "Oak", team_id: peered.team_id, peer_name: "elm" };
  const { peer_id } = await transport.call("join_session", stays);
  await transport.call("leave_session", { session_id, team_id: peered.peer_id ?? "" });
  const { person_id } = await makePerson(transport, "Ana");
  await transport.call("join_session", { session_id, team_name: "Ana", team_id: person_id });
  const closed = await transport.call("create_session", { title: "Closed", creator_team_name: "Birch" });
  await transport.call("conclude_session", { ...pick(closed), summary_section: "Done." });
  await transport.call("post_message", { session_id, team_id, content: { text: "before" } });
  await transport.call("set_state", { session_id, team_id, key: "deploy_frozen", value: false });
  await transport.call("remember", { team_id, content: "before" });
  await transport.call("open_topic", { session_id, team_id, version: 0, text: "before" });
  for (const title of ["claimed", "open"])
    await transport.call("create_task", { session_id, team_id, title });
  await transport.call("claim_task", { session_id, team_id, task: 1 });
  await transport.call("claim", { session_id, team_id, scope: "deploy" });
  await transport.call("ask_approval", approvalBy({ session_id, team_id, person_id }));
  await transport.call("audit_session_start", { team_id, intent: "before", task_id: "before" });
  await transport.call("thought_record", { team_id, type: "plan", content: "before" });
  return { session_id, team_id, person_id, peer_id: peer_id ?? "", closed, left, rotating, other, peered };
}

function pick({ session_id, team_id }: { session_id: string; team_id: string }) {
  return { session_id, team_id };
}

async function readStored(sql: postgres.Sql): Promise<unknown> {
  const [counts] = await sql`
    SELECT (SELECT count(*) FROM messages) AS messages, (SELECT count(*) FROM sessions) AS sessions,
      (SELECT count(*) FROM session_slugs) AS slugs, (SELECT count(*) FROM teams WHERE left_at IS NULL) AS teams,
      (SELECT count(*) FROM teams) AS all_teams, (SELECT count(*) FROM document_versions) AS versions,
      (SELECT count(*) FROM idempotent_results) AS results, (SELECT json_agg(name ORDER BY person_id) FROM persons) AS persons,
      (SELECT json_agg(d ORDER BY person_id, item) FROM (SELECT person_id, item, until FROM dismissals) d) AS dismissals,
      (SELECT json_agg(r ORDER BY person_id, session_id) FROM person_reads r) AS reads,
      (SELECT json_agg(t ORDER BY session_id) FROM (SELECT session_id, title, description, settings FROM sessions) t) AS titles,
      (SELECT json_agg(s ORDER BY key) FROM (SELECT key, value FROM settings) s) AS settings,
      (SELECT json_agg(f ORDER BY session_id) FROM (SELECT session_id, held_at, message_budget FROM feeds) f) AS holds,
      (SELECT json_agg(e ORDER BY scope_id, key) FROM (SELECT scope_id, key, version, value FROM state_entries) e) AS state,
      (SELECT count(*) FROM state_watches) AS watches,
      (SELECT json_agg(m ORDER BY number) FROM (SELECT number, content, tags, forget_reason FROM memories) m) AS memories,
      (SELECT json_agg(g ORDER BY id) FROM (SELECT id, title, content, tags, summary FROM progress_entries) g) AS progress,
      (SELECT json_agg(a ORDER BY number) FROM (SELECT number, session_id, record_count FROM audit_sessions) a) AS audits,
      (SELECT json_agg(j ORDER BY number) FROM (SELECT number, kind, status FROM jobs) j) AS jobs,
      (SELECT json_agg(o ORDER BY number) FROM (SELECT number, status, last_sequence FROM topics) o) AS topics,
      (SELECT json_agg(p ORDER BY number) FROM (SELECT number, content, status FROM proposals) p) AS proposals,
      (SELECT json_agg(hash ORDER BY number) FROM thought_records) AS thoughts, (SELECT count(*) FROM merkle_roots) AS roots,
      (SELECT json_agg(p ORDER BY peer_id) FROM (SELECT peer_id, name, role, groups, declared_status, declared_reason,
        summary, encode(secret_hash, 'hex'), left_at FROM peers) p) AS peers,
      (SELECT json_agg(encode(secret_hash, 'hex') ORDER BY team_id) FROM teams) AS secrets`;
  return counts;
}

/** Returns an agent's request for a person's approval. */
function approvalBy({
  session_id,
  team_id,
  person_id,
}: Pick<Subject, "session_id" | "team_id" | "person_id">) {
  const devices = [toDeviceId(person_id, sha256) ?? "0".repeat(32)];
  const subject = { tool: "Bash", input: '{"command":"make"}', folder: "/work", salt: "0".repeat(64) };
  return { session_id, team_id, devices, ...subject };
}

const sha256 = (bytes: Uint8Array) => hash("sha256", bytes, "buffer");

/** A valid request by a client that never registered. */
const clientRequest = {
  client_id: "unknown",
  redirect_uri: "https://client.example.com/callback",
  response_type: "code",
  code_challenge: "a".repeat(43),
  code_challenge_method: "S256",
  resource: "https://mesh.example.com/api/mcp",
} as const;

/** Returns a valid input for each operation. A new operation without an input does not compile, so all operations are covered. */
export function buildValidInputs({
  session_id,
  team_id,
  person_id,
}: Pick<Subject, "session_id" | "team_id" | "person_id">): {
  readonly [Name in OperationName]: InputOf<Name>;
} {
  const at = { session_id, team_id };
  const asPerson = { session_id, team_id: person_id };
  return {
    create_session: { title: "One more", creator_team_name: "Birch" },
    join_session: { session_id, team_name: "Newcomer" },
    leave_session: at,
    get_session: at,
    list_sessions: {},
    list_participants: at,
    wait_for_messages: { ...at, timeout: 0 },
    ack: { ...at, cursor: 0 },
    post_message: { ...at, content: { text: "hello" } },
    get_history: at,
    read_session_doc: at,
    update_session_doc: { ...at, content: "text", expected_version: 0 },
    append_to_session_doc: { ...at, text: "a note" },
    edit_session_doc: { ...at, old_text: "a", new_text: "b" },
    list_doc_versions: at,
    update_session_metadata: { ...at, title: "Renamed", reason: "the goal has changed" },
    conclude_session: { ...at, summary_section: "Done." },
    rotate_team_credential: at,
    send_message: { ...at, to: "*", message: "hello" },
    check_messages: at,
    message_status: { ...at, message: 1 },
    list_peers: at,
    set_summary: { ...at, summary: "reads" },
    set_status: { ...at, status: "blocked", reason: "needs a key" },
    set_wake: { ...at, wake: "addressed" },
    join_group: { ...at, name: "backend", role: "lead" },
    leave_group: { ...at, name: "backend" },
    get_state: { ...at, key: "deploy_frozen" },
    set_state: { ...at, key: "deploy_frozen", value: true },
    delete_state: { ...at, key: "deploy_frozen" },
    list_state: at,
    watch_state: { ...at, key: "deploy_frozen" },
    unwatch_state: { ...at, key: "deploy_frozen" },
    remember: { team_id, content: "Tests share one broker.", tags: ["tests"] },
    recall: { team_id, query: "broker" },
    forget: { team_id, id: "mem_1", reason: "outdated" },
    restore_memory: { team_id: person_id, id: "mem_1" },
    list_memory: { team_id },
    tag_memory: { team_id, id: "mem_1", tags: ["tests"] },
    log_progress: {
      team_id,
      projectId: "mobile-app",
      title: "Tokens",
      content: "They rotate.",
      tags: ["auth"],
    },
    get_context: { team_id, projectId: "mobile-app", id: "a1b2c3d4e5f6" },
    search_logs: { team_id, projectId: "mobile-app", query: "tok" },
    list_progress: {
      team_id,
      projectId: "mobile-app",
      session: session_id,
      text: "tok",
      tags: ["auth"],
      by: "Birch",
    },
    list_progress_projects: { team_id },
    nudge: { ...at, to: "Cedar" },
    hold_session: { ...asPerson, reason: "a look at the plan first" },
    resume_session: asPerson,
    search: { team_id, query: "broker" },
    list_attention: { team_id },
    dismiss_attention: { team_id: person_id, id: `quiet:${session_id}:1` },
    list_undelivered: { team_id, for_s: 60 },
    list_alert_targets: { team_id: person_id },
    put_alert_target: {
      team_id: person_id,
      to: { kind: "slack", url: "https://hooks.slack.com/services/T0/B0/x" },
      name: "ops",
      about: ["ask"],
      quiet: { from: "22:00", to: "07:00", time_zone: "Europe/Berlin" },
    },
    delete_alert_target: { team_id: person_id, target_id: session_id },
    test_alert: { team_id: person_id, target_id: session_id },
    mark_read: { ...asPerson, cursor: 0 },
    brief: { session: at.session_id, team_id: at.team_id },
    get_timeline: at,
    audit_session_start: { team_id, intent: "Decide where tokens are kept.", task_id: "tokens" },
    list_audit_sessions: { team_id },
    thought_record: { team_id, type: "decision", content: "In the keyring.", task_id: "tokens" },
    thought_record_list: { team_id, task_id: "tokens" },
    audit_verify_chain: { team_id, task_id: "tokens" },
    merkle_finalize: { team_id },
    merkle_root: { team_id },
    merkle_proof: { team_id, record_id: session_id },
    redact_message: { ...at, sequence: 999_999, reason: "holds a key" },
    session_seal: at,
    session_proof: { ...at, sequence: 1 },
    get_checkpoint: {},
    get_log_entries: { from: 0, limit: 10 },
    get_log_proof: { from_size: 0, size: 1 },
    get_head_proof: at,
    add_cosignature: { note: "merkle/oak\n1\n\n\u2014 ada AAAA\n" },
    set_witness_policy: { policy: null, team_id: person_id },
    archive_session: asPerson,
    unarchive_session: asPerson,
    start_job: { team_id, kind: "conclude", session_id },
    get_job: { team_id, job_id: 1 },
    list_jobs: { team_id },
    cancel_job: { team_id, job_id: 1 },
    list_sources: { team_id, query: "guide", limit: 10 },
    read_source: { team_id, source_path: "docs/guide.md" },
    list_source_perspectives: { team_id, source_path: "docs/guide.md" },
    get_source_perspective: { team_id, source_path: "docs/guide.md", persona_name: "Sceptic" },
    list_personas: {},
    get_persona: { name: "Sceptic" },
    put_persona: { team_id: person_id, name: "Reviewer", prompt: "Read it twice.", expected_version: 0 },
    list_perspectives: { session_id },
    get_perspective: { session_id, persona_name: "Sceptic" },
    put_perspective: { source_version: 0, persona_sha: "0".repeat(64), content: "A reading." },
    claim_job: { runner: "box", wait: 0 },
    renew_job: { job_id: 1, fence: 1 },
    end_job: { job_id: 1, fence: 1, exit_code: 0, error_tail: "", error: null, ended_because: null },
    create_task: { ...at, title: "rotate tokens" },
    list_tasks: at,
    list_all_tasks: { team_id },
    report_usage: { ...at, usage: [{ model: "opus", input_tokens: 1, output_tokens: 1 }] },
    get_usage: { session_id, team_id },
    report_checkout: {
      ...at,
      checkout: {
        ...{ repository: "github.com/acme/app", branch: "main", worktree: null, base: null },
        ...{ files: 1, added: 1, removed: 0, pull_request: null },
      },
    },
    list_checkouts: { session_id, team_id },
    list_files: { session_id, team_id },
    read_attachment: { ...at, message: 1 },
    list_agents: { team_id },
    get_task: { ...at, task: 1 },
    update_task: { ...at, task: 2, title: "rotate all tokens" },
    claim_task: { ...at, task: 2 },
    release_task: { ...at, task: 1 },
    finish_task: { ...at, task: 1 },
    split_task: { ...at, task: 2, parts: [{ title: "one" }] },
    claim: { ...at, scope: "repo:src/**" },
    release: { ...at, scope: "deploy" },
    list_claims: at,
    ask_approval: {
      ...approvalBy({ session_id, team_id, person_id }),
      salt: randomBytes(32).toString("hex"),
    },
    wait_for_approval: { ...at, approval: 1, timeout: 0 },
    withdraw_approval: { ...at, approval: 1 },
    list_approvals: { team_id: person_id },
    answer_approval: {
      ...{ team_id: person_id, approval: 1, decision: "deny" },
      hash: hashApproval(approvalBy({ session_id, team_id, person_id }), sha256),
    },
    open_topic: { team_id, session_id, version: 0, text: "Is this all?" },
    reply_to_topic: { team_id, topic_id: 1, text: "It is." },
    list_topics: { team_id, session_id },
    get_topic: { team_id, topic_id: 1 },
    insert_proposal: { team_id, session_id, base_version: 0, content: "Done." },
    list_proposals: { team_id },
    get_proposal: { team_id, proposal_id: 1 },
    decide_proposal: { team_id: person_id, proposal_id: 1, decision: "reject" },
    create_person: { name: "Ana" },
    get_person: { team_id: person_id },
    create_verification_code: { home_key: "mkh_" },
    verify_person: { team_id: person_id, code: "mkv_" },
    rename_person: { team_id: person_id, name: "Ana B." },
    export_person: { team_id: person_id },
    // The confirmation name is wrong, so nothing is erased even if the call is allowed.
    erase_person: { team_id: person_id, confirm: "nobody" },
    get_app_info: {},
    get_settings: {},
    // The demo's agents appear only if the room has a reader, so this room's session stays empty.
    open_demo_room: {},
    create_mesh: { name: "One-more" },
    list_meshes: {},
    collect_garbage: { dry_run: true, team_id: person_id },
    set_quotas: { mesh: "main", team_id: person_id },
    create_invite: {},
    preview_invite: { invite: "A".repeat(22) },
    list_invites: {},
    revoke_invite: { invite_id: 1 },
    redeem_invite: {
      invite: "A".repeat(22),
      name: "Birch",
      public_key: "A".repeat(43),
      time: new Date(0).toISOString(),
      signature: "A".repeat(86),
    },
    list_members: {},
    revoke_member: { member_id: session_id },
    issue_token: {},
    list_tokens: {},
    revoke_token: { token_id: 1 },
    create_observer_link: { session_id },
    preview_client: clientRequest,
    approve_client: { session_id, team_name: "Helper", ...clientRequest },
    update_settings: { team_id: person_id, settings: { idle_polls: 10 } },
    test_connection: { team_id: person_id, url: "http://127.0.0.1:1/" },
    get_health: {},
    get_runner: {},
  };
}

/**
 * Returns the error of a refused call. The error must be from the fixed list and reveal no internals (ERR-1, ERR-3).
 */
export async function expectRefusal(call: Promise<unknown>): Promise<MerkleError> {
  const error = await call.then(
    (output) => expect.fail(`was not refused, but answered ${JSON.stringify(output)?.slice(0, 200)}`),
    (error: unknown) => error,
  );
  if (!(error instanceof MerkleError)) throw error;
  expectDiscreet(JSON.stringify(error.toBody()));
  expect(error.details, "details is an object").toBeTypeOf("object");
  expect(error.code).not.toBe("internal");
  return error;
}

/** Expects that a response contains no stack trace, SQL, HTML or path on the broker's machine. */
export function expectDiscreet(body: string): void {
  expect(body).not.toMatch(
    /\bat [^"]*\.[cm]?[jt]s:\d+:\d+|node:internal|node_modules|\/src\/|\/dist\/|<html|<!doctype|SELECT |INSERT |syntax error|postgres/i,
  );
  expect(body.length, "an error is short, whatever was sent").toBeLessThan(20_000);
}

/** Returns the internal errors that the broker has logged, shortened. */
function faults(broker: TestBroker): string[] {
  return broker.logged
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level === "error")
    .map(({ operation, message, error }) => `${operation}: ${message}: ${error?.message}`.slice(0, 300));
}

/**
 * Expects that the broker responds, that it has logged no internal error, and that two teams can exchange messages over
 * every transport.
 */
export async function expectUnharmed(subject: Subject): Promise<void> {
  const { broker, session_id, team_id, other_team_id } = subject;
  const health = await fetch(new URL("/health", broker.url));
  expect(health.status).toBe(200);
  expect(faults(broker)).toEqual([]);
  for (const transport of subject.transports) {
    const posted = await transport.call("post_message", {
      session_id,
      team_id,
      content: { text: "still here" },
    });
    const heard = await transport.call("wait_for_messages", {
      session_id,
      team_id: other_team_id,
      since_cursor: posted.cursor - 1,
      timeout: 0,
    });
    expect(heard.messages.map((message) => message.id)).toEqual([posted.message_id]);
  }
}
