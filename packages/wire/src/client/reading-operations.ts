import type { OperationName } from "../catalogue.js";

/**
 * Which operations only read. The catalogue knows too, but it brings every schema with it, which a browser need not load.
 * A name that is missing, wrong or too many does not compile, and a test compares the values.
 */
const readOnly: Readonly<Record<OperationName, boolean>> = {
  create_session: false,
  join_session: false,
  leave_session: false,
  get_session: true,
  list_sessions: true,
  list_participants: true,
  wait_for_messages: true,
  ack: false,
  post_message: false,
  get_history: true,
  read_session_doc: true,
  update_session_doc: false,
  append_to_session_doc: false,
  edit_session_doc: false,
  list_doc_versions: true,
  update_session_metadata: false,
  conclude_session: false,
  rotate_team_credential: false,
  send_message: false,
  check_messages: true,
  message_status: true,
  list_peers: true,
  set_summary: false,
  set_status: false,
  join_group: false,
  leave_group: false,
  get_state: true,
  set_state: false,
  delete_state: false,
  list_state: true,
  watch_state: false,
  unwatch_state: false,
  remember: false,
  recall: true,
  forget: false,
  restore_memory: false,
  list_memory: true,
  tag_memory: false,
  nudge: false,
  hold_session: false,
  resume_session: false,
  search: true,
  list_attention: true,
  dismiss_attention: false,
  mark_read: false,
  get_timeline: true,
  create_person: false,
  get_person: true,
  rename_person: false,
  get_app_info: true,
  get_settings: true,
  update_settings: false,
  test_connection: true,
  get_health: true,
};

/** Whether the operation changes nothing, so that it can be repeated without an idempotency key. */
export function isReadOnly(name: OperationName): boolean {
  return readOnly[name];
}
