import { answerApproval, listApprovals } from "../approvals/answer-approval.js";
import { askApproval, waitForApproval, withdrawApproval } from "../approvals/ask-approval.js";
import { auditSessionStart, listAuditSessions } from "../audit/audit-sessions.js";
import { auditVerifyChain } from "../audit/audit-verify-chain.js";
import { merkleFinalize, merkleProofOf, merkleRootOf } from "../audit/merkle-tree.js";
import { thoughtRecord, thoughtRecordList } from "../audit/thoughts.js";
import { listDocVersions, readSessionDoc } from "../document/read-session-doc.js";
import { appendToSessionDoc, editSessionDoc, updateSessionDoc } from "../document/write-document.js";
import { ack, markRead } from "../feed/cursors.js";
import { getHistory } from "../feed/get-history.js";
import { messageStatus } from "../feed/message-status.js";
import { nudge } from "../feed/nudge.js";
import { postMessage, sendMessage } from "../feed/post-message.js";
import { checkMessages, waitForMessages } from "../feed/wait-for-messages.js";
import { createInvite, listInvites, revokeInvite } from "../identity/invites/manage-invites.js";
import { previewInvite, redeemInvite } from "../identity/invites/redeem-invite.js";
import { listMembers, revokeMember } from "../identity/members.js";
import { createMesh, listMeshes } from "../identity/meshes/manage-meshes.js";
import {
  createPerson,
  createVerificationCode,
  getPerson,
  renamePerson,
  verifyPerson,
} from "../identity/persons/manage-person.js";
import { setQuotas } from "../identity/set-quotas.js";
import { issueToken, listTokens, revokeToken } from "../identity/tokens/manage-tokens.js";
import { forget, remember, restoreMemory, tagMemory } from "../memory/change-memory.js";
import { listMemory, recall } from "../memory/recall.js";
import { logProgress } from "../progress/log-progress.js";
import { getContext, listProgress, listProgressProjects, searchLogs } from "../progress/read-progress.js";
import { archiveSession } from "../record/archive/archive-session.js";
import { unarchiveSession } from "../record/archive/unarchive-session.js";
import { redactMessage } from "../record/redaction/redact-message.js";
import { sessionProof, sessionSeal } from "../record/session-proof.js";
import { approveClient, previewClient } from "../sessions/approve-client.js";
import { createObserverLink } from "../sessions/create-observer-link.js";
import { joinGroup, leaveGroup } from "../sessions/groups.js";
import { holdSession, resumeSession } from "../sessions/hold-session.js";
import { reportUsage } from "../sessions/report-usage.js";
import { joinSession } from "../sessions/roster/join-session.js";
import { leaveSession } from "../sessions/roster/leave-session.js";
import { listParticipants, listPeers } from "../sessions/roster/list-peers.js";
import { setStatus, setSummary } from "../sessions/roster/peer-facts.js";
import { rotateTeamCredential } from "../sessions/roster/rotate-team-credential.js";
import { getSettings, updateSettings } from "../sessions/settings.js";
import { updateSessionMetadata } from "../sessions/update-session-metadata.js";
import { deleteState, setState } from "../state/change-state.js";
import { getState, listState } from "../state/read-state.js";
import { unwatchState, watchState } from "../state/watch-state.js";
import { claimTask, releaseTask } from "../tasks/claim-task.js";
import { claimScope, listClaims, releaseClaim } from "../tasks/claims.js";
import { createTask, splitTask } from "../tasks/create-task.js";
import { finishTask } from "../tasks/finish-task.js";
import { getTask, listAllTasks, listTasks } from "../tasks/read-tasks.js";
import { updateTask } from "../tasks/update-task.js";
import type { Handlers } from "../transports/context-for.js";
import { listAgents } from "../views/agents/list-agents.js";
import { listTargets, putTarget, removeTarget, testTarget } from "../views/alerts/manage-alert-targets.js";
import { listAttention } from "../views/attention/list-attention.js";
import { listUndelivered } from "../views/attention/list-undelivered.js";
import { dismissAttention } from "../views/attention/put-away.js";
import { brief } from "../views/brief/brief.js";
import { openDemoRoom } from "../views/demo/demo-rooms.js";
import { getHealth } from "../views/health/get-health.js";
import { collectGarbage } from "../views/housekeeping/collect-garbage.js";
import { erasePerson } from "../views/persons/erase-person.js";
import { exportPerson } from "../views/persons/export-person.js";
import { search } from "../views/search/search.js";
import { getSession } from "../views/sessions/get-session.js";
import { listSessions } from "../views/sessions/list-sessions.js";
import { getAppInfo } from "../views/settings/get-app-info.js";
import { testConnection } from "../views/settings/test-connection.js";
import { getTimeline } from "../views/timeline/get-timeline.js";
import { getUsage } from "../views/usage/get-usage.js";
import { claimJob, endJob, renewJob } from "../work/jobs/claim-job.js";
import { getJob, getRunner, listJobs } from "../work/jobs/read-jobs.js";
import { cancelJob, startJob } from "../work/jobs/start-job.js";
import { putPersona } from "../work/personas/put-persona.js";
import { getPersona, listPersonas } from "../work/personas/read-personas.js";
import { putPerspective } from "../work/perspectives/put-perspective.js";
import {
  getPerspective,
  getSourcePerspective,
  listPerspectives,
  listSourcePerspectives,
} from "../work/perspectives/read-perspectives.js";
import { decideProposal } from "../work/proposals/decide-proposal.js";
import { insertProposal } from "../work/proposals/insert-proposal.js";
import { getProposal, listProposals } from "../work/proposals/read-proposals.js";
import { concludeSession } from "../work/sessions/conclude-session.js";
import { createSession } from "../work/sessions/create-session.js";
import { listSources, readSource } from "../work/sources/read-source.js";
import { openTopic } from "../work/topics/open-topic.js";
import { getTopic, listTopics } from "../work/topics/read-topics.js";
import { replyToTopic } from "../work/topics/reply-to-topic.js";
import type { Services } from "./services.js";

/** The verb of every operation. */
export const handlers: Handlers<Services> = {
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
  create_task: createTask,
  list_tasks: listTasks,
  list_all_tasks: listAllTasks,
  report_usage: reportUsage,
  get_usage: getUsage,
  list_agents: listAgents,
  get_task: getTask,
  update_task: updateTask,
  claim_task: claimTask,
  release_task: releaseTask,
  finish_task: finishTask,
  split_task: splitTask,
  claim: claimScope,
  release: releaseClaim,
  list_claims: listClaims,
  log_progress: logProgress,
  get_context: getContext,
  search_logs: searchLogs,
  list_progress: listProgress,
  list_progress_projects: listProgressProjects,
  ask_approval: askApproval,
  wait_for_approval: waitForApproval,
  withdraw_approval: withdrawApproval,
  list_approvals: listApprovals,
  answer_approval: answerApproval,
  search,
  list_attention: listAttention,
  dismiss_attention: dismissAttention,
  list_undelivered: listUndelivered,
  list_alert_targets: listTargets,
  put_alert_target: putTarget,
  delete_alert_target: removeTarget,
  test_alert: testTarget,
  mark_read: markRead,
  brief,
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
  archive_session: archiveSession,
  unarchive_session: unarchiveSession,
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
  export_person: exportPerson,
  erase_person: erasePerson,
  test_connection: testConnection,
  get_health: getHealth,
  collect_garbage: collectGarbage,
  get_app_info: getAppInfo,
  get_settings: getSettings,
  update_settings: updateSettings,
  open_demo_room: openDemoRoom,
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
  preview_client: previewClient,
  approve_client: approveClient,
};
