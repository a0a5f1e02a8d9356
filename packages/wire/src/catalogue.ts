import type * as z from "zod";
import type { Operation } from "./operation.js";
import { getAppInfo } from "./operations/app.js";
import { dismissAttention, listAttention, markRead } from "./operations/attention.js";
import {
  auditSessionStart,
  auditVerifyChain,
  listAuditSessions,
  merkleFinalize,
  merkleProofOf,
  merkleRootOf,
  thoughtRecord,
  thoughtRecordList,
} from "./operations/audit.js";
import { claimJob, endJob, renewJob } from "./operations/claims.js";
import {
  appendToSessionDoc,
  editSessionDoc,
  listDocVersions,
  readSessionDoc,
  updateSessionDoc,
} from "./operations/document.js";
import { ack, getHistory, postMessage, waitForMessages } from "./operations/feed.js";
import { getHealth, testConnection } from "./operations/health.js";
import {
  createInvite,
  createMesh,
  createObserverLink,
  issueToken,
  listInvites,
  listMembers,
  listMeshes,
  listTokens,
  previewInvite,
  redeemInvite,
  revokeInvite,
  revokeMember,
  revokeToken,
} from "./operations/identity.js";
import { forget, listMemory, recall, remember, restoreMemory, tagMemory } from "./operations/memory.js";
import { checkMessages, messageStatus, sendMessage } from "./operations/messaging.js";
import { joinGroup, leaveGroup, listPeers, setStatus, setSummary } from "./operations/peers.js";
import { holdSession, nudge, resumeSession, search } from "./operations/people.js";
import { getPersona, listPersonas, putPersona } from "./operations/personas.js";
import {
  createPerson,
  createVerificationCode,
  getPerson,
  renamePerson,
  verifyPerson,
} from "./operations/persons.js";
import {
  getPerspective,
  getSourcePerspective,
  listPerspectives,
  listSourcePerspectives,
  putPerspective,
} from "./operations/perspectives.js";
import {
  getContext,
  listProgress,
  listProgressProjects,
  logProgress,
  searchLogs,
} from "./operations/progress.js";
import { decideProposal, getProposal, insertProposal, listProposals } from "./operations/proposals.js";
import { sessionProof, sessionSeal } from "./operations/record.js";
import { redactMessage } from "./operations/redaction.js";
import { joinSession, leaveSession, listParticipants, rotateTeamCredential } from "./operations/roster.js";
import { getRunner } from "./operations/runner.js";
import {
  concludeSession,
  createSession,
  getSession,
  listSessions,
  updateSessionMetadata,
} from "./operations/sessions.js";
import { getSettings, updateSettings } from "./operations/settings.js";
import { listSources, readSource } from "./operations/sources.js";
import { deleteState, getState, listState, setState, unwatchState, watchState } from "./operations/state.js";
import { getTimeline } from "./operations/timeline.js";
import { getTopic, listTopics, openTopic, replyToTopic } from "./operations/topics.js";
import { cancelJob, getJob, listJobs, startJob } from "./operations/work.js";

/** Every operation of the broker, by name, in the order that documentation lists them. */
export const catalogue = {
  create_session: createSession,
  join_session: joinSession,
  leave_session: leaveSession,
  get_session: getSession,
  list_sessions: listSessions,
  list_participants: listParticipants,
  wait_for_messages: waitForMessages,
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
  send_message: sendMessage,
  check_messages: checkMessages,
  message_status: messageStatus,
  list_peers: listPeers,
  set_summary: setSummary,
  set_status: setStatus,
  join_group: joinGroup,
  leave_group: leaveGroup,
  get_state: getState,
  set_state: setState,
  delete_state: deleteState,
  list_state: listState,
  watch_state: watchState,
  unwatch_state: unwatchState,
  remember,
  recall,
  forget,
  restore_memory: restoreMemory,
  list_memory: listMemory,
  tag_memory: tagMemory,
  log_progress: logProgress,
  get_context: getContext,
  search_logs: searchLogs,
  list_progress: listProgress,
  list_progress_projects: listProgressProjects,
  nudge,
  hold_session: holdSession,
  resume_session: resumeSession,
  search,
  list_attention: listAttention,
  dismiss_attention: dismissAttention,
  mark_read: markRead,
  get_timeline: getTimeline,
  audit_session_start: auditSessionStart,
  list_audit_sessions: listAuditSessions,
  thought_record: thoughtRecord,
  thought_record_list: thoughtRecordList,
  audit_verify_chain: auditVerifyChain,
  merkle_finalize: merkleFinalize,
  merkle_root: merkleRootOf,
  merkle_proof: merkleProofOf,
  redact_message: redactMessage,
  session_seal: sessionSeal,
  session_proof: sessionProof,
  start_job: startJob,
  get_job: getJob,
  list_jobs: listJobs,
  cancel_job: cancelJob,
  get_runner: getRunner,
  list_personas: listPersonas,
  get_persona: getPersona,
  put_persona: putPersona,
  list_perspectives: listPerspectives,
  get_perspective: getPerspective,
  put_perspective: putPerspective,
  claim_job: claimJob,
  renew_job: renewJob,
  end_job: endJob,
  open_topic: openTopic,
  reply_to_topic: replyToTopic,
  list_topics: listTopics,
  get_topic: getTopic,
  insert_proposal: insertProposal,
  list_proposals: listProposals,
  get_proposal: getProposal,
  decide_proposal: decideProposal,
  list_sources: listSources,
  read_source: readSource,
  list_source_perspectives: listSourcePerspectives,
  get_source_perspective: getSourcePerspective,
  create_person: createPerson,
  get_person: getPerson,
  create_verification_code: createVerificationCode,
  verify_person: verifyPerson,
  rename_person: renamePerson,
  get_app_info: getAppInfo,
  get_settings: getSettings,
  update_settings: updateSettings,
  test_connection: testConnection,
  get_health: getHealth,
  create_mesh: createMesh,
  list_meshes: listMeshes,
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
} as const;

export type Catalogue = typeof catalogue;
export type OperationName = keyof Catalogue;

/** What a caller passes, before defaults are filled in. */
export type InputOf<Name extends OperationName> = z.input<Catalogue[Name]["input"]>;
/** What a verb receives: checked, with defaults. */
export type ParsedInputOf<Name extends OperationName> = z.output<Catalogue[Name]["input"]>;
export type OutputOf<Name extends OperationName> = z.output<Catalogue[Name]["output"]>;

export const operations: readonly Operation[] = Object.values(catalogue) as unknown as readonly Operation[];

/** The operation of that name, or undefined; safe for any text, `__proto__` included. */
export function findOperation(name: string): Operation | undefined {
  return operationsByName.get(name);
}

const operationsByName: ReadonlyMap<string, Operation> = new Map(operations.map((each) => [each.name, each]));
