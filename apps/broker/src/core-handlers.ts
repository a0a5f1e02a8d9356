import { concludeSession } from "./document/conclude-session.js";
import { listDocVersions, readSessionDoc } from "./document/read-session-doc.js";
import { appendToSessionDoc, editSessionDoc, updateSessionDoc } from "./document/write-document.js";
import { ack, markRead } from "./feed/cursors.js";
import { getHistory } from "./feed/get-history.js";
import { getMessageStatus } from "./feed/message-status.js";
import { nudge } from "./feed/nudge.js";
import { postMessage, sendMessage } from "./feed/post-message.js";
import { checkMessages, waitForMessages } from "./feed/wait-for-messages.js";
import { createInvite, listInvites, revokeInvite } from "./identity/invites/manage-invites.js";
import { previewInvite, redeemInvite } from "./identity/invites/redeem-invite.js";
import { listMembers, revokeMember } from "./identity/members.js";
import { createMesh, listMeshes } from "./identity/meshes/manage-meshes.js";
import {
  createPerson,
  createVerificationCode,
  getPerson,
  renamePerson,
  verifyPerson,
} from "./identity/persons/manage-person.js";
import { setQuotas } from "./identity/set-quotas.js";
import { issueToken, listTokens, revokeToken } from "./identity/tokens/manage-tokens.js";
import { createObserverLink } from "./sessions/create-observer-link.js";
import { createSession } from "./sessions/create-session.js";
import { joinGroup, leaveGroup } from "./sessions/groups.js";
import { holdSession, resumeSession } from "./sessions/hold-session.js";
import { joinSession } from "./sessions/roster/join-session.js";
import { leaveSession } from "./sessions/roster/leave-session.js";
import { listParticipants, listPeers } from "./sessions/roster/list-peers.js";
import { setStatus, setSummary, setWake } from "./sessions/roster/peer-facts.js";
import { rotateTeamCredential } from "./sessions/roster/rotate-team-credential.js";
import { getSettings, updateSettings } from "./sessions/settings.js";
import { updateSessionMetadata } from "./sessions/update-session-metadata.js";
import type { Handlers } from "./transports/context-for.js";
import { listAttention } from "./views/attention/list-attention.js";
import { listUndelivered } from "./views/attention/list-undelivered.js";
import { dismissAttention } from "./views/attention/put-away.js";
import { getHealth } from "./views/health/get-health.js";
import { collectGarbage } from "./views/housekeeping/collect-garbage.js";
import { erasePerson } from "./views/persons/erase-person.js";
import { exportPerson } from "./views/persons/export-person.js";
import type { ViewServices } from "./views/services.js";
import { getSession } from "./views/sessions/get-session.js";
import { listSessions } from "./views/sessions/list-sessions.js";
import { getAppInfo } from "./views/settings/get-app-info.js";
import { testConnection } from "./views/settings/test-connection.js";

export const coreHandlers = {
  create_session: createSession,
  join_session: joinSession,
  leave_session: leaveSession,
  get_session: getSession,
  list_sessions: listSessions,
  list_participants: listParticipants,
  wait_for_messages: waitForMessages,
  check_messages: checkMessages,
  message_status: getMessageStatus,
  nudge,
  ack,
  post_message: postMessage,
  get_history: getHistory,
  read_session_doc: readSessionDoc,
  update_session_doc: updateSessionDoc,
  append_to_session_doc: appendToSessionDoc,
  edit_session_doc: editSessionDoc,
  list_doc_versions: listDocVersions,
  update_session_metadata: updateSessionMetadata,
  conclude_session: concludeSession,
  rotate_team_credential: rotateTeamCredential,
  list_peers: listPeers,
  set_summary: setSummary,
  set_status: setStatus,
  set_wake: setWake,
  join_group: joinGroup,
  leave_group: leaveGroup,
  send_message: sendMessage,
  hold_session: holdSession,
  resume_session: resumeSession,
  list_attention: listAttention,
  dismiss_attention: dismissAttention,
  list_undelivered: listUndelivered,
  mark_read: markRead,
  create_person: createPerson,
  get_person: getPerson,
  create_verification_code: createVerificationCode,
  verify_person: verifyPerson,
  rename_person: renamePerson,
  export_person: exportPerson,
  erase_person: erasePerson,
  test_connection: testConnection,
  get_health: getHealth,
  collect_garbage: collectGarbage,
  get_app_info: getAppInfo,
  get_settings: getSettings,
  update_settings: updateSettings,
  create_mesh: createMesh,
  list_meshes: listMeshes,
  set_quotas: setQuotas,
  create_invite: createInvite,
  preview_invite: previewInvite,
  list_invites: listInvites,
  revoke_invite: revokeInvite,
  redeem_invite: redeemInvite,
  list_members: listMembers,
  revoke_member: revokeMember,
  issue_token: issueToken,
  list_tokens: listTokens,
  revoke_token: revokeToken,
  create_observer_link: createObserverLink,
} satisfies Partial<Handlers<ViewServices>>;
