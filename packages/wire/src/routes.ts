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
  nudge: "POST /api/sessions/:session_id/nudge",
  hold_session: "POST /api/sessions/:session_id/hold",
  resume_session: "POST /api/sessions/:session_id/resume",
  search: "GET /api/search",
  list_attention: "GET /api/attention",
  dismiss_attention: "POST /api/attention/dismiss",
  mark_read: "POST /api/sessions/:session_id/read",
  get_timeline: "GET /api/sessions/:session_id/timeline",
  create_person: "POST /api/persons",
  get_person: "GET /api/person",
  rename_person: "PATCH /api/person",
  get_app_info: "GET /api/app-info",
  get_settings: "GET /api/settings",
  update_settings: "PATCH /api/settings",
  test_connection: "POST /api/settings/test-connection",
  get_health: "GET /api/health-report",
};

/** The operation's method, and its path with `:session_id` in it where it is about a session. */
export function routeOf(name: OperationName): { readonly method: HttpMethod; readonly path: string } {
  const [method, path] = routes[name].split(" ") as [HttpMethod, string]; // Every route is written so.
  return { method, path };
}
