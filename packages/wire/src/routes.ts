import type { Catalogue, OperationName } from "./catalogue.js";
import type { HttpMethod } from "./operation.js";

/**
 * Where each operation is asked for over HTTP. The catalogue says so, too, but it brings every schema with it, which takes
 * longer to load than most commands take. A route that is missing, too many or not the catalogue's does not compile.
 */
const routes: { readonly [Name in OperationName]: Catalogue[Name]["route"] } = {
  create_session: "POST /api/sessions",
  join_session: "POST /api/sessions/:session_id/join",
  leave_session: "POST /api/sessions/:session_id/leave",
  get_session: "GET /api/sessions/:session_id",
  list_sessions: "GET /api/sessions",
  list_participants: "GET /api/sessions/:session_id/participants",
  wait_for_messages: "GET /api/sessions/:session_id/messages/wait",
  ack: "POST /api/sessions/:session_id/ack",
  post_message: "POST /api/sessions/:session_id/messages",
  get_history: "GET /api/sessions/:session_id/messages",
  read_session_doc: "GET /api/sessions/:session_id/doc",
  update_session_doc: "PUT /api/sessions/:session_id/doc",
  append_to_session_doc: "POST /api/sessions/:session_id/doc/append",
  edit_session_doc: "PATCH /api/sessions/:session_id/doc",
  list_doc_versions: "GET /api/sessions/:session_id/doc/versions",
  update_session_metadata: "PATCH /api/sessions/:session_id",
  conclude_session: "POST /api/sessions/:session_id/conclude",
  rotate_team_credential: "POST /api/sessions/:session_id/credential",
  send_message: "POST /api/sessions/:session_id/messages/send",
  check_messages: "GET /api/sessions/:session_id/messages/check",
  message_status: "GET /api/sessions/:session_id/messages/status",
  list_peers: "GET /api/sessions/:session_id/peers",
  set_summary: "PUT /api/sessions/:session_id/summary",
  set_status: "PUT /api/sessions/:session_id/status",
  join_group: "POST /api/sessions/:session_id/groups/join",
  leave_group: "POST /api/sessions/:session_id/groups/leave",
  get_state: "GET /api/sessions/:session_id/state/value",
  set_state: "PUT /api/sessions/:session_id/state",
  delete_state: "DELETE /api/sessions/:session_id/state",
  list_state: "GET /api/sessions/:session_id/state",
  watch_state: "POST /api/sessions/:session_id/state/watch",
  unwatch_state: "POST /api/sessions/:session_id/state/unwatch",
  remember: "POST /api/memories",
  recall: "GET /api/memories/recall",
  forget: "POST /api/memories/forget",
  restore_memory: "POST /api/memories/restore",
  list_memory: "GET /api/memories",
  tag_memory: "POST /api/memories/tag",
  log_progress: "POST /api/progress",
  get_context: "GET /api/progress/context",
  search_logs: "GET /api/progress",
  list_progress: "GET /api/progress/entries",
  list_progress_projects: "GET /api/progress/projects",
  nudge: "POST /api/sessions/:session_id/nudge",
  hold_session: "POST /api/sessions/:session_id/hold",
  resume_session: "POST /api/sessions/:session_id/resume",
  search: "GET /api/search",
  list_attention: "GET /api/attention",
  dismiss_attention: "POST /api/attention/dismiss",
  mark_read: "POST /api/sessions/:session_id/read",
  get_timeline: "GET /api/sessions/:session_id/timeline",
  audit_session_start: "POST /api/audit/sessions",
  list_audit_sessions: "GET /api/audit/sessions",
  thought_record: "POST /api/audit/thoughts",
  thought_record_list: "GET /api/audit/thoughts",
  audit_verify_chain: "GET /api/audit/chain",
  merkle_finalize: "POST /api/audit/finalize",
  merkle_root: "GET /api/audit/root",
  merkle_proof: "GET /api/audit/proof",
  redact_message: "POST /api/sessions/:session_id/redact",
  session_seal: "GET /api/sessions/:session_id/seal",
  session_proof: "GET /api/sessions/:session_id/proof",
  start_job: "POST /api/agent/jobs",
  get_job: "GET /api/agent/jobs/:job_id",
  list_jobs: "GET /api/agent/jobs",
  cancel_job: "POST /api/agent/jobs/:job_id/cancel",
  list_sources: "GET /api/sources",
  read_source: "GET /api/sources/text",
  list_source_perspectives: "GET /api/sources/perspectives",
  get_source_perspective: "GET /api/sources/perspective",
  list_personas: "GET /api/personas",
  get_persona: "GET /api/personas/:name",
  put_persona: "PUT /api/personas/:name",
  list_perspectives: "GET /api/sessions/:session_id/perspectives",
  get_perspective: "GET /api/sessions/:session_id/perspective",
  put_perspective: "POST /api/perspectives",
  claim_job: "POST /api/agent/claims",
  renew_job: "POST /api/agent/jobs/:job_id/renew",
  end_job: "POST /api/agent/jobs/:job_id/end",
  open_topic: "POST /api/topics",
  reply_to_topic: "POST /api/topics/:topic_id/messages",
  list_topics: "GET /api/topics",
  get_topic: "GET /api/topics/:topic_id",
  insert_proposal: "POST /api/proposals",
  list_proposals: "GET /api/proposals",
  get_proposal: "GET /api/proposals/:proposal_id",
  decide_proposal: "POST /api/proposals/:proposal_id/decide",
  create_person: "POST /api/persons",
  get_person: "GET /api/person",
  create_verification_code: "POST /api/verification-codes",
  verify_person: "POST /api/person/verify",
  rename_person: "PATCH /api/person",
  get_app_info: "GET /api/app-info",
  get_settings: "GET /api/settings",
  update_settings: "PATCH /api/settings",
  test_connection: "POST /api/settings/test-connection",
  get_runner: "GET /api/agent/runner",
  get_health: "GET /api/health-report",
  create_mesh: "POST /api/meshes",
  list_meshes: "GET /api/meshes",
  create_invite: "POST /api/invites",
  preview_invite: "POST /api/invites/preview",
  list_invites: "GET /api/invites",
  revoke_invite: "POST /api/invites/revoke",
  redeem_invite: "POST /api/invites/redeem",
  list_members: "GET /api/members",
  revoke_member: "POST /api/members/revoke",
  issue_token: "POST /api/tokens",
  list_tokens: "GET /api/tokens",
  revoke_token: "POST /api/tokens/revoke",
  create_observer_link: "POST /api/sessions/:session_id/observer-links",
};

/** The operation's method, and its path, in which `:session_id` and the like stand for inputs. */
export function routeOf(name: OperationName): { readonly method: HttpMethod; readonly path: string } {
  const [method, path] = routes[name].split(" ") as [HttpMethod, string]; // Every route is written so.
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
    // What belongs in no path is sent as it is, for the broker to refuse.
    return encodeURIComponent(typeof value === "object" ? JSON.stringify(value) : String(value));
  });
  return { path, rest };
}
