import { type HttpMethod, jobKinds, type OperationRules, type Toolset } from "./operation-rules.js";

const reading = { kind: "call", readOnly: true, afterClosing: "allowed", rate: "read" } as const;
/** Of what stays in the database when a session is archived. */
const readingWhatStays = { ...reading, whileArchived: true } as const;
const writing = { kind: "call", readOnly: false, afterClosing: "allowed", rate: "write" } as const;
const writingWhileOpen = { ...writing, afterClosing: "refused" } as const;
const archiving = {
  ...writing,
  access: "reader",
  human: "power",
  onlyOriginals: true,
  whileArchived: true,
} as const;
const creating = { ...writing, rate: "create" } as const;
const vouching = { ...creating, human: "vouching", withoutCredential: true } as const;

/**
 * The rules of every operation, in the order in which documentation lists them. They are apart from its words and schemas
 * (beside this file), which bring a library with them that browsers need not load, and that takes longer to load than most
 * commands take; `operation` puts the two together.
 */
export const operationRules = {
  ...inToolset("core", {
    create_session: {
      ...creating,
      stores: "input",
      access: "open",
      route: "POST /api/sessions",
      teamCredential: "given",
    },
    join_session: {
      ...creating,
      afterClosing: "refused",
      access: "open",
      route: "POST /api/sessions/:session_id/join",
      teamCredential: "given",
      afterLeaving: true,
    },
    leave_session: {
      ...writing,
      access: "team",
      route: "POST /api/sessions/:session_id/leave",
      afterLeaving: true,
    },
    get_session: {
      ...readingWhatStays,
      access: "reader",
      route: "GET /api/sessions/:session_id",
      forJobs: jobKinds,
    },
    list_sessions: { ...reading, access: "reader", route: "GET /api/sessions" },
    list_participants: {
      ...readingWhatStays,
      access: "reader",
      route: "GET /api/sessions/:session_id/participants",
      forJobs: jobKinds,
    },
    wait_for_messages: {
      ...reading,
      kind: "wait",
      rate: "wait",
      access: "team",
      route: "GET /api/sessions/:session_id/messages/wait",
    },
    ack: {
      ...writing,
      access: "team",
      route: "POST /api/sessions/:session_id/ack",
      notesReading: true,
      readAnew: true,
    },
    post_message: {
      ...writingWhileOpen,
      stores: "counted",
      access: "team",
      route: "POST /api/sessions/:session_id/messages",
      readAnew: true,
    },
    get_history: {
      ...reading,
      share: "history_page",
      access: "reader",
      route: "GET /api/sessions/:session_id/messages",
      forJobs: jobKinds,
    },
    read_session_doc: {
      ...readingWhatStays,
      access: "reader",
      route: "GET /api/sessions/:session_id/doc",
      forJobs: jobKinds,
    },
    update_session_doc: {
      ...writingWhileOpen,
      stores: "counted",
      access: "team",
      route: "PUT /api/sessions/:session_id/doc",
      routeAlias: "POST /api/sessions/:session_id/doc",
    },
    append_to_session_doc: {
      ...writingWhileOpen,
      stores: "counted",
      access: "team",
      route: "POST /api/sessions/:session_id/doc/append",
    },
    edit_session_doc: {
      ...writingWhileOpen,
      stores: "counted",
      access: "team",
      route: "PATCH /api/sessions/:session_id/doc",
    },
    list_doc_versions: {
      ...reading,
      share: "history_page",
      access: "reader",
      route: "GET /api/sessions/:session_id/doc/versions",
      forJobs: jobKinds,
    },
    update_session_metadata: {
      ...writingWhileOpen,
      stores: "input",
      access: "team",
      route: "PATCH /api/sessions/:session_id",
      keptBy: "metadata_by",
    },
    conclude_session: {
      ...writing,
      access: "team",
      route: "POST /api/sessions/:session_id/conclude",
      forJobs: ["conclude"],
      onlyOriginals: true,
      keptBy: "conclude_by",
    },
    rotate_team_credential: {
      ...creating,
      afterClosing: "refused",
      access: "team",
      route: "POST /api/sessions/:session_id/credential",
      teamCredential: "replaced",
    },
    get_app_info: {
      ...reading,
      access: "open",
      route: "GET /api/app-info",
      forJobs: jobKinds,
      forOnlookers: true,
      withoutCredential: true,
    },
  }),
  ...inToolset("messaging", {
    send_message: {
      ...writingWhileOpen,
      stores: "counted",
      access: "team",
      route: "POST /api/sessions/:session_id/messages/send",
    },
    check_messages: {
      ...reading,
      access: "team",
      route: "GET /api/sessions/:session_id/messages/check",
      everySession: true,
    },
    message_status: { ...reading, access: "reader", route: "GET /api/sessions/:session_id/messages/status" },
    list_peers: { ...readingWhatStays, access: "reader", route: "GET /api/sessions/:session_id/peers" },
    set_summary: {
      ...writing,
      stores: "input",
      access: "team",
      route: "PUT /api/sessions/:session_id/summary",
    },
    set_status: { ...writing, access: "team", route: "PUT /api/sessions/:session_id/status" },
    join_group: { ...writingWhileOpen, access: "team", route: "POST /api/sessions/:session_id/groups/join" },
    leave_group: {
      ...writingWhileOpen,
      access: "team",
      route: "POST /api/sessions/:session_id/groups/leave",
    },
  }),
  ...inToolset("mesh", {
    get_state: { ...readingWhatStays, access: "reader", route: "GET /api/sessions/:session_id/state/value" },
    set_state: {
      ...writingWhileOpen,
      stores: "input",
      access: "team",
      route: "PUT /api/sessions/:session_id/state",
    },
    delete_state: { ...writingWhileOpen, access: "team", route: "DELETE /api/sessions/:session_id/state" },
    list_state: { ...readingWhatStays, access: "reader", route: "GET /api/sessions/:session_id/state" },
    watch_state: {
      ...writingWhileOpen,
      stores: "input",
      access: "team",
      route: "POST /api/sessions/:session_id/state/watch",
    },
    unwatch_state: { ...writing, access: "team", route: "POST /api/sessions/:session_id/state/unwatch" },
    remember: { ...writing, stores: "input", access: "team", route: "POST /api/memories" },
    recall: { ...reading, share: "search", access: "reader", route: "GET /api/memories/recall" },
    forget: { ...writing, access: "team", route: "POST /api/memories/forget" },
    restore_memory: { ...writing, access: "team", route: "POST /api/memories/restore" },
    list_memory: { ...reading, access: "reader", route: "GET /api/memories" },
    tag_memory: { ...writing, stores: "input", access: "team", route: "POST /api/memories/tag" },
  }),
  ...inToolset("tasks", {
    create_task: {
      ...writingWhileOpen,
      stores: "input",
      access: "team",
      route: "POST /api/sessions/:session_id/tasks",
    },
    list_tasks: { ...readingWhatStays, access: "reader", route: "GET /api/sessions/:session_id/tasks" },
    list_all_tasks: { ...reading, access: "reader", route: "GET /api/tasks" },
    get_task: { ...reading, access: "reader", route: "GET /api/sessions/:session_id/tasks/:task" },
    update_task: {
      ...writingWhileOpen,
      stores: "input",
      access: "team",
      route: "PATCH /api/sessions/:session_id/tasks/:task",
    },
    claim_task: { ...writingWhileOpen, access: "team", route: "POST /api/sessions/:session_id/tasks/claim" },
    release_task: {
      ...writingWhileOpen,
      access: "team",
      route: "POST /api/sessions/:session_id/tasks/:task/release",
    },
    finish_task: {
      ...writingWhileOpen,
      access: "team",
      route: "POST /api/sessions/:session_id/tasks/:task/finish",
    },
    split_task: {
      ...writingWhileOpen,
      stores: "input",
      access: "team",
      route: "POST /api/sessions/:session_id/tasks/:task/split",
    },
    claim: {
      ...writingWhileOpen,
      stores: "input",
      access: "team",
      route: "POST /api/sessions/:session_id/claims",
    },
    release: { ...writingWhileOpen, access: "team", route: "POST /api/sessions/:session_id/claims/release" },
    list_claims: { ...readingWhatStays, access: "reader", route: "GET /api/sessions/:session_id/claims" },
  }),
  ...inToolset("progress", {
    log_progress: { ...writing, stores: "input", access: "team", route: "POST /api/progress", unnamed: true },
    get_context: { ...reading, access: "reader", route: "GET /api/progress/context" },
    search_logs: { ...reading, share: "search", access: "reader", route: "GET /api/progress" },
    list_progress: { ...reading, access: "reader", route: "GET /api/progress/entries" },
    list_progress_projects: { ...reading, access: "reader", route: "GET /api/progress/projects" },
  }),
  ...inToolset("people", {
    nudge: { ...writingWhileOpen, access: "team", route: "POST /api/sessions/:session_id/nudge" },
    hold_session: {
      ...writingWhileOpen,
      access: "team",
      route: "POST /api/sessions/:session_id/hold",
      human: "power",
    },
    resume_session: {
      ...writingWhileOpen,
      access: "team",
      route: "POST /api/sessions/:session_id/resume",
      human: "power",
    },
    ask_approval: {
      ...writingWhileOpen,
      stores: "input",
      access: "team",
      route: "POST /api/sessions/:session_id/approvals",
      notForModels: true,
    },
    wait_for_approval: {
      ...reading,
      kind: "wait",
      rate: "wait",
      access: "team",
      route: "POST /api/sessions/:session_id/approvals/:approval/wait",
      notForModels: true,
    },
    withdraw_approval: {
      ...writing,
      access: "team",
      route: "POST /api/sessions/:session_id/approvals/:approval/withdraw",
      notForModels: true,
    },
    list_approvals: { ...reading, access: "team", route: "GET /api/approvals", human: "power" },
    answer_approval: {
      ...writing,
      access: "team",
      route: "POST /api/approvals/:approval/answer",
      human: "power",
    },
    search: { ...reading, share: "search", access: "reader", route: "GET /api/search" },
    list_attention: { ...reading, access: "reader", route: "GET /api/attention" },
    dismiss_attention: { ...writing, access: "team", route: "POST /api/attention/dismiss", human: "person" },
    list_undelivered: { ...reading, access: "reader", route: "GET /api/undelivered" },
    list_alert_targets: { ...reading, access: "team", route: "GET /api/alerts", human: "person" },
    put_alert_target: {
      ...writing,
      stores: "input",
      access: "team",
      route: "PUT /api/alerts",
      human: "person",
    },
    delete_alert_target: {
      ...writing,
      access: "team",
      route: "DELETE /api/alerts/:target_id",
      human: "person",
    },
    test_alert: { ...writing, access: "team", route: "POST /api/alerts/:target_id/test", human: "person" },
    mark_read: {
      ...writing,
      access: "team",
      route: "POST /api/sessions/:session_id/read",
      human: "person",
      notesReading: true,
    },
    brief: { ...reading, access: "reader", route: "GET /api/brief", asksWhoCalls: true },
    report_usage: { ...writing, access: "team", route: "POST /api/sessions/:session_id/usage" },
    get_usage: { ...reading, access: "reader", route: "GET /api/usage" },
    list_agents: { ...reading, access: "reader", route: "GET /api/agents" },
    get_timeline: { ...reading, access: "reader", route: "GET /api/sessions/:session_id/timeline" },
  }),
  ...inToolset("audit", {
    audit_session_start: {
      ...writing,
      stores: "input",
      access: "team",
      route: "POST /api/audit/sessions",
      unnamed: true,
    },
    list_audit_sessions: { ...reading, access: "reader", route: "GET /api/audit/sessions" },
    thought_record: {
      ...writing,
      stores: "input",
      access: "team",
      route: "POST /api/audit/thoughts",
      unnamed: true,
    },
    thought_record_list: {
      ...reading,
      access: "reader",
      route: "GET /api/audit/thoughts",
      asksWhoCalls: true,
    },
    audit_verify_chain: { ...reading, access: "reader", route: "GET /api/audit/chain", asksWhoCalls: true },
    merkle_finalize: { ...writing, access: "team", route: "POST /api/audit/finalize", unnamed: true },
    merkle_root: { ...reading, access: "reader", route: "GET /api/audit/root", asksWhoCalls: true },
    merkle_proof: { ...reading, access: "reader", route: "GET /api/audit/proof", asksWhoCalls: true },
    redact_message: { ...writing, access: "reader", route: "POST /api/sessions/:session_id/redact" },
    session_seal: { ...readingWhatStays, access: "reader", route: "GET /api/sessions/:session_id/seal" },
    session_proof: { ...reading, access: "reader", route: "GET /api/sessions/:session_id/proof" },
    archive_session: { ...archiving, route: "POST /api/sessions/:session_id/archive" },
    unarchive_session: { ...archiving, route: "POST /api/sessions/:session_id/unarchive" },
  }),
  ...inToolset("work", {
    start_job: { ...creating, stores: "input", access: "team", route: "POST /api/agent/jobs" },
    get_job: { ...reading, access: "reader", route: "GET /api/agent/jobs/:job_id", forJobs: jobKinds },
    list_jobs: { ...reading, access: "reader", route: "GET /api/agent/jobs" },
    cancel_job: { ...writing, access: "team", route: "POST /api/agent/jobs/:job_id/cancel" },
    list_personas: { ...reading, access: "reader", route: "GET /api/personas" },
    get_persona: { ...reading, access: "reader", route: "GET /api/personas/:name", forJobs: ["perspective"] },
    put_persona: {
      ...writing,
      stores: "input",
      access: "team",
      route: "PUT /api/personas/:name",
      human: "power",
    },
    list_perspectives: { ...reading, access: "reader", route: "GET /api/sessions/:session_id/perspectives" },
    get_perspective: { ...reading, access: "reader", route: "GET /api/sessions/:session_id/perspective" },
    put_perspective: {
      ...writing,
      stores: "input",
      access: "job",
      route: "POST /api/perspectives",
      forJobs: ["perspective"],
      withoutCredential: true,
    },
    claim_job: {
      ...writing,
      kind: "wait",
      rate: "wait",
      access: "member",
      route: "POST /api/agent/claims",
      withoutCredential: true,
    },
    renew_job: {
      ...writing,
      access: "member",
      route: "POST /api/agent/jobs/:job_id/renew",
      withoutCredential: true,
    },
    end_job: {
      ...writing,
      access: "member",
      route: "POST /api/agent/jobs/:job_id/end",
      withoutCredential: true,
    },
    open_topic: { ...writingWhileOpen, stores: "input", access: "team", route: "POST /api/topics" },
    reply_to_topic: {
      ...writingWhileOpen,
      stores: "input",
      access: "team",
      route: "POST /api/topics/:topic_id/messages",
    },
    list_topics: { ...reading, access: "reader", route: "GET /api/topics", forJobs: ["incorporate"] },
    get_topic: { ...reading, access: "reader", route: "GET /api/topics/:topic_id", forJobs: ["incorporate"] },
    insert_proposal: {
      ...writing,
      stores: "input",
      access: "team",
      route: "POST /api/proposals",
      forJobs: ["incorporate", "conclude"],
    },
    list_proposals: { ...reading, access: "reader", route: "GET /api/proposals" },
    get_proposal: {
      ...reading,
      access: "reader",
      route: "GET /api/proposals/:proposal_id",
      forJobs: ["incorporate", "conclude"],
    },
    decide_proposal: {
      ...writing,
      access: "team",
      route: "POST /api/proposals/:proposal_id/decide",
      human: "power",
    },
    list_sources: { ...reading, access: "reader", route: "GET /api/sources" },
    read_source: {
      ...reading,
      access: "reader",
      route: "GET /api/sources/text",
      forJobs: ["incorporate", "perspective"],
    },
    list_source_perspectives: { ...reading, access: "reader", route: "GET /api/sources/perspectives" },
    get_source_perspective: { ...reading, access: "reader", route: "GET /api/sources/perspective" },
  }),
  ...inToolset("admin", {
    get_runner: { ...reading, access: "reader", route: "GET /api/agent/runner", withoutCredential: true },
    create_person: { ...creating, access: "open", route: "POST /api/persons", withoutCredential: true },
    get_person: { ...reading, access: "team", route: "GET /api/person", human: "person" },
    create_verification_code: {
      ...creating,
      access: "open",
      route: "POST /api/verification-codes",
      human: "verifying",
      withoutCredential: true,
    },
    verify_person: { ...writing, access: "team", route: "POST /api/person/verify", human: "verifying" },
    rename_person: { ...writing, access: "team", route: "PATCH /api/person", human: "person" },
    export_person: {
      ...reading,
      access: "team",
      route: "GET /api/person/data",
      human: "person",
      notForModels: true,
    },
    erase_person: {
      ...writing,
      access: "team",
      route: "POST /api/person/erase",
      human: "person",
      notForModels: true,
    },
    get_settings: { ...reading, access: "member", route: "GET /api/settings", withoutCredential: true },
    update_settings: { ...writing, access: "member", route: "PATCH /api/settings", human: "power" },
    test_connection: {
      ...reading,
      rate: "write",
      access: "admin",
      route: "POST /api/settings/test-connection",
      human: "power",
    },
    get_health: { ...reading, access: "admin", route: "GET /api/health-report", withoutCredential: true },
    open_demo_room: {
      ...creating,
      access: "open",
      route: "POST /api/demo",
      notForModels: true,
      withoutCredential: true,
    },
    collect_garbage: { ...writing, access: "admin", route: "POST /api/garbage", human: "power" },
    create_mesh: { ...creating, human: "vouching", access: "admin", route: "POST /api/meshes" },
    list_meshes: { ...reading, access: "member", route: "GET /api/meshes", withoutCredential: true },
    set_quotas: { ...writing, access: "admin", route: "PATCH /api/meshes/quotas", human: "power" },
    create_invite: { ...vouching, access: "member", route: "POST /api/invites" },
    preview_invite: {
      ...reading,
      rate: "create",
      access: "public",
      route: "POST /api/invites/preview",
      withoutCredential: true,
    },
    list_invites: { ...reading, access: "member", route: "GET /api/invites", withoutCredential: true },
    revoke_invite: {
      ...writing,
      access: "member",
      route: "POST /api/invites/revoke",
      withoutCredential: true,
    },
    redeem_invite: {
      ...creating,
      access: "public",
      route: "POST /api/invites/redeem",
      withoutCredential: true,
    },
    list_members: { ...reading, access: "member", route: "GET /api/members", withoutCredential: true },
    revoke_member: {
      ...writing,
      access: "admin",
      route: "POST /api/members/revoke",
      withoutCredential: true,
    },
    issue_token: { ...vouching, access: "member", route: "POST /api/tokens" },
    list_tokens: { ...reading, access: "member", route: "GET /api/tokens", withoutCredential: true },
    revoke_token: { ...writing, access: "member", route: "POST /api/tokens/revoke", withoutCredential: true },
    create_observer_link: {
      ...vouching,
      access: "member",
      route: "POST /api/sessions/:session_id/observer-links",
    },
    preview_client: {
      ...reading,
      access: "member",
      route: "POST /api/clients/preview",
      human: "vouching",
      withoutCredential: true,
    },
    approve_client: {
      ...vouching,
      afterClosing: "refused",
      access: "member",
      route: "POST /api/sessions/:session_id/clients",
    },
  }),
} as const satisfies Readonly<Record<string, OperationRules>>;

export type OperationName = keyof typeof operationRules;

/**
 * The rules of what gives out or takes in a file. It is offered over HTTP alone and stands beside the catalogue: no agent is
 * given it as a tool, and no reply of the other transports could carry what it does.
 */
export const fileOperationRules = /* @__PURE__ */ inToolset("audit", {
  export_session: { ...reading, access: "reader", route: "GET /api/sessions/:session_id/export" },
  import_bundle: { ...creating, access: "member", route: "POST /api/import" },
});

/** The rules of an operation, which are known without its schemas. */
export function rulesOf(name: OperationName): OperationRules {
  return operationRules[name];
}

/** The operation's method, and its path, in which `:session_id` and the like stand for inputs. */
export function routeOf(name: OperationName): { readonly method: HttpMethod; readonly path: string } {
  const [method, path] = operationRules[name].route.split(" ") as [HttpMethod, string]; // Every route is written so.
  return { method, path };
}

/** An operation's path with what it stands for filled in, and those inputs that are not in it. */
export function fillPath(
  template: string,
  input: Readonly<Record<string, unknown>>,
): { readonly path: string; readonly rest: Readonly<Record<string, unknown>> } {
  const rest = { ...input };
  const path = template.replace(/:(\w+)/g, (_all, name: string) => {
    delete rest[name];
    const value = input[name];
    // A value that belongs in no path is sent all the same, for the broker to refuse.
    return encodeURIComponent(typeof value === "object" ? JSON.stringify(value) : String(value));
  });
  return { path, rest };
}

/** These operations, in one of the sets that an agent's tools can be chosen by. */
function inToolset<
  const Name extends Toolset,
  const Rules extends Readonly<Record<string, Omit<OperationRules, "toolset">>>,
>(toolset: Name, rules: Rules) {
  const entries = Object.entries(rules).map(([name, each]) => [name, { ...each, toolset }]);
  return Object.fromEntries(entries) as {
    readonly [Each in keyof Rules]: Rules[Each] & { readonly toolset: Name };
  };
}
