import { describeBytes } from "@merkle/wire/text";
import { createProgressLine } from "../../command/progress.js";
import type { AttachFiles } from "../../feed/attach-files.js";
import { getSessionClient } from "../../identity/actors.js";
import { openAgentFile, openFile } from "./attachable-file.js";
import { toPeerFolder } from "./received-files.js";
import { uploadFiles } from "./upload-files.js";

/** Uploads the files of `merkle post --file`. An agent's shell attaches only what the agent's tools could (ATTACH-25). */
export const attachFiles: AttachFiles = async (paths, { broker, session, flags, config, io, signal }) => {
  const { home, agentShell, peer, environment } = config;
  const project = environment["CLAUDE_PROJECT_DIR"] || io.cwd;
  const received = peer && toPeerFolder(home, peer);
  const open = (path: string) =>
    agentShell === undefined ? openFile(path, io.cwd) : openAgentFile(path, { home, project, received });
  const progress = createProgressLine({ flags, io });
  try {
    return await uploadFiles(paths, {
      open,
      findClient: () => getSessionClient(session, { broker, config }),
      sessionId: session.session_id,
      signal,
      onProgress: (name, done, total) =>
        progress.show({ name: `sending ${name}`, done, total, format: describeBytes }),
    });
  } finally {
    progress.end();
  }
};
