import type { Handlers } from "./context.js";
import { appendToSessionDoc } from "./document/append-to-session-doc.js";
import { editSessionDoc } from "./document/edit-session-doc.js";
import { listDocVersions } from "./document/list-doc-versions.js";
import { readSessionDoc } from "./document/read-session-doc.js";
import { updateSessionDoc } from "./document/update-session-doc.js";
import { ack } from "./feed/ack.js";
import { getHistory } from "./feed/get-history.js";
import { postMessage } from "./feed/post-message.js";
import { waitForMessages } from "./feed/wait-for-messages.js";
import { createPerson } from "./persons/create-person.js";
import { joinSession } from "./roster/join-session.js";
import { leaveSession } from "./roster/leave-session.js";
import { listParticipants } from "./roster/list-participants.js";
import { rotateTeamCredential } from "./roster/rotate-team-credential.js";
import { concludeSession } from "./sessions/conclude-session.js";
import { createSession } from "./sessions/create-session.js";
import { getSession } from "./sessions/get-session.js";
import { listSessions } from "./sessions/list-sessions.js";
import { updateSessionMetadata } from "./sessions/update-session-metadata.js";
import { getAppInfo } from "./settings/get-app-info.js";
import { getSettings } from "./settings/get-settings.js";
import { updateSettings } from "./settings/update-settings.js";

/** The verb of every operation. */
export const handlers: Handlers = {
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
  create_person: createPerson,
  get_app_info: getAppInfo,
  get_settings: getSettings,
  update_settings: updateSettings,
};
