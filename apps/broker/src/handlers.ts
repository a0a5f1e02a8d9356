import { dismissAttention } from "./attention/dismiss-attention.js";
import { listAttention } from "./attention/list-attention.js";
import { auditSessionStart } from "./audit/audit-session-start.js";
import { auditVerifyChain } from "./audit/audit-verify-chain.js";
import { listAuditSessions } from "./audit/list-audit-sessions.js";
import { merkleFinalize } from "./audit/merkle-finalize.js";
import { merkleProofOf } from "./audit/merkle-proof.js";
import { merkleRootOf } from "./audit/merkle-root.js";
import { thoughtRecord } from "./audit/thought-record.js";
import { thoughtRecordList } from "./audit/thought-record-list.js";
import type { Handlers } from "./context.js";
import { appendToSessionDoc } from "./document/append-to-session-doc.js";
import { editSessionDoc } from "./document/edit-session-doc.js";
import { listDocVersions } from "./document/list-doc-versions.js";
import { readSessionDoc } from "./document/read-session-doc.js";
import { updateSessionDoc } from "./document/update-session-doc.js";
import { ack } from "./feed/ack.js";
import { checkMessages } from "./feed/check-messages.js";
import { getHistory } from "./feed/get-history.js";
import { markRead } from "./feed/mark-read.js";
import { messageStatus } from "./feed/message-status.js";
import { postMessage } from "./feed/post-message.js";
import { sendMessage } from "./feed/send-message.js";
import { waitForMessages } from "./feed/wait-for-messages.js";
import { joinGroup } from "./groups/join-group.js";
import { leaveGroup } from "./groups/leave-group.js";
import { getHealth } from "./health/get-health.js";
import { createInvite } from "./invites/create-invite.js";
import { listInvites } from "./invites/list-invites.js";
import { previewInvite } from "./invites/preview-invite.js";
import { redeemInvite } from "./invites/redeem-invite.js";
import { revokeInvite } from "./invites/revoke-invite.js";
import { cancelJob } from "./jobs/cancel-job.js";
import { claimJob } from "./jobs/claim-job.js";
import { endJob } from "./jobs/end-job.js";
import { getJob } from "./jobs/get-job.js";
import { getRunner } from "./jobs/get-runner.js";
import { listJobs } from "./jobs/list-jobs.js";
import { renewJob } from "./jobs/renew-job.js";
import { startJob } from "./jobs/start-job.js";
import { listMembers } from "./members/list-members.js";
import { revokeMember } from "./members/revoke-member.js";
import { forget } from "./memory/forget.js";
import { listMemory } from "./memory/list-memory.js";
import { recall } from "./memory/recall.js";
import { remember } from "./memory/remember.js";
import { restoreMemory } from "./memory/restore-memory.js";
import { tagMemory } from "./memory/tag-memory.js";
import { createMesh } from "./meshes/create-mesh.js";
import { listMeshes } from "./meshes/list-meshes.js";
import { getPersona } from "./personas/get-persona.js";
import { listPersonas } from "./personas/list-personas.js";
import { putPersona } from "./personas/put-persona.js";
import { createPerson } from "./persons/create-person.js";
import { createVerificationCode } from "./persons/create-verification-code.js";
import { getPerson } from "./persons/get-person.js";
import { renamePerson } from "./persons/rename-person.js";
import { verifyPerson } from "./persons/verify-person.js";
import { getPerspective } from "./perspectives/get-perspective.js";
import { getSourcePerspective } from "./perspectives/get-source-perspective.js";
import { listPerspectives } from "./perspectives/list-perspectives.js";
import { listSourcePerspectives } from "./perspectives/list-source-perspectives.js";
import { putPerspective } from "./perspectives/put-perspective.js";
import { getContext } from "./progress/get-context.js";
import { listProgress } from "./progress/list-progress.js";
import { listProgressProjects } from "./progress/list-progress-projects.js";
import { logProgress } from "./progress/log-progress.js";
import { searchLogs } from "./progress/search-logs.js";
import { decideProposal } from "./proposals/decide-proposal.js";
import { getProposal } from "./proposals/get-proposal.js";
import { insertProposal } from "./proposals/insert-proposal.js";
import { listProposals } from "./proposals/list-proposals.js";
import { sessionProof } from "./record/session-proof.js";
import { sessionSeal } from "./record/session-seal.js";
import { redactMessage } from "./redaction/redact-message.js";
import { joinSession } from "./roster/join-session.js";
import { leaveSession } from "./roster/leave-session.js";
import { listParticipants } from "./roster/list-participants.js";
import { listPeers } from "./roster/list-peers.js";
import { nudge } from "./roster/nudge.js";
import { rotateTeamCredential } from "./roster/rotate-team-credential.js";
import { setStatus } from "./roster/set-status.js";
import { setSummary } from "./roster/set-summary.js";
import { search } from "./search/search.js";
import { concludeSession } from "./sessions/conclude-session.js";
import { createSession } from "./sessions/create-session.js";
import { getSession } from "./sessions/get-session.js";
import { holdSession } from "./sessions/hold-session.js";
import { listSessions } from "./sessions/list-sessions.js";
import { resumeSession } from "./sessions/resume-session.js";
import { updateSessionMetadata } from "./sessions/update-session-metadata.js";
import { getAppInfo } from "./settings/get-app-info.js";
import { getSettings } from "./settings/get-settings.js";
import { testConnection } from "./settings/test-connection.js";
import { updateSettings } from "./settings/update-settings.js";
import { listSources } from "./sources/list-sources.js";
import { readSource } from "./sources/read-source.js";
import { deleteState } from "./state/delete-state.js";
import { getState } from "./state/get-state.js";
import { listState } from "./state/list-state.js";
import { setState } from "./state/set-state.js";
import { unwatchState } from "./state/unwatch-state.js";
import { watchState } from "./state/watch-state.js";
import { getTimeline } from "./timeline/get-timeline.js";
import { createObserverLink } from "./tokens/create-observer-link.js";
import { issueToken } from "./tokens/issue-token.js";
import { listTokens } from "./tokens/list-tokens.js";
import { revokeToken } from "./tokens/revoke-token.js";
import { getTopic } from "./topics/get-topic.js";
import { listTopics } from "./topics/list-topics.js";
import { openTopic } from "./topics/open-topic.js";
import { replyToTopic } from "./topics/reply-to-topic.js";

/** The verb of every operation. */
export const handlers: Handlers = {
  create_session: createSession,
  join_session: joinSession,
  leave_session: leaveSession,
  get_session: getSession,
  list_sessions: listSessions,
  list_participants: listParticipants,
  wait_for_messages: waitForMessages,
  check_messages: checkMessages,
  message_status: messageStatus,
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
  join_group: joinGroup,
  leave_group: leaveGroup,
  send_message: sendMessage,
  hold_session: holdSession,
  resume_session: resumeSession,
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
  search,
  list_attention: listAttention,
  dismiss_attention: dismissAttention,
  mark_read: markRead,
  get_timeline: getTimeline,
  audit_session_start: auditSessionStart,
  thought_record: thoughtRecord,
  list_audit_sessions: listAuditSessions,
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
  insert_proposal: insertProposal,
  list_proposals: listProposals,
  get_proposal: getProposal,
  decide_proposal: decideProposal,
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
  list_sources: listSources,
  read_source: readSource,
  list_source_perspectives: listSourcePerspectives,
  get_source_perspective: getSourcePerspective,
  create_person: createPerson,
  get_person: getPerson,
  create_verification_code: createVerificationCode,
  verify_person: verifyPerson,
  rename_person: renamePerson,
  test_connection: testConnection,
  get_health: getHealth,
  get_app_info: getAppInfo,
  get_settings: getSettings,
  update_settings: updateSettings,
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
};
