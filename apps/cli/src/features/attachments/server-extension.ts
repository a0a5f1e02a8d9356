import { join } from "node:path";
import { isObject, MerkleError } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import { CliError } from "../../core/cli-error.js";
import type { ExtendedServer, ServerExtension } from "../../mcp/extension.js";
import type { AskBroker, OperationCall } from "../../mcp/operation-call.js";
import type { PeerSession } from "../../mcp/peer-sessions.js";
import { readEnvironment } from "../../settings/config.js";
import { openAgentFile } from "./attachable-file.js";
import { saveReceived, toPeerFolder } from "./received-files.js";
import { toFilePath, uploadFiles } from "./upload-files.js";

/** Extends the MCP server: uploads the files that an agent attaches, and saves the files that it reads. */
export function extendServer({ config }: ExtendedServer): ServerExtension {
  const { home } = config;
  const toFolder = ({ storedPeerId }: PeerSession) => toPeerFolder(home, storedPeerId);
  const openClient = async ({ credential }: PeerSession, signal: AbortSignal) =>
    (await findBroker(config, signal)).as(credential);

  /** Posts a message with files, given as paths (ATTACH-24). */
  async function post(call: OperationCall, team: PeerSession, ask: AskBroker): Promise<unknown> {
    const { files, content, ...input } = call.input;
    const paths = toPaths(files);
    const folders = { home, project: readEnvironment().projectFolder, received: toFolder(team) };
    const attachments = await uploadFiles(paths, {
      sessionId: team.sessionId,
      open: (path) => openAgentFile(path, folders),
      findClient: () => openClient(team, call.signal),
      signal: call.signal,
    });
    return ask({ ...call, input: { ...input, content: { ...Object(content), attachments } } });
  }

  /** Saves a file of a message in the peer's own folder, and adds its path to the broker's reply (ATTACH-21). */
  async function read(call: OperationCall, team: PeerSession, ask: AskBroker): Promise<unknown> {
    const { signal } = call;
    const file = await ask(call);
    if (!isObject(file)) return file;
    const sequence = Number(file["message"]);
    const facts = {
      name: String(file["name"]),
      size: Number(file["size"]),
      digest: String(file["digest"]),
    };
    // Built here, because an address in the reply could lead to another server.
    const address = toFilePath(team.sessionId, sequence, facts.digest);
    const download = async () => (await openClient(team, signal)).download(address);
    const folder = join(toFolder(team), String(sequence));
    return { ...file, path: await saveReceived(folder, facts, { download, signal }) };
  }

  return {
    operations: {
      async post_message(call, ask) {
        const { team } = call;
        if (call.input["files"] === undefined || !team) return undefined;
        return { output: await explainRefusals(() => post(call, team, ask)) };
      },
      async read_attachment(call, ask) {
        const { team } = call;
        return team && { output: await explainRefusals(() => read(call, team, ask)) };
      },
    },
  };
}

/** Models pass a list of paths, the same as JSON in a text, or a single path. */
function toPaths(files: unknown): string[] {
  const paths = typeof files === "string" ? (parseJsonList(files) ?? [files]) : files;
  if (Array.isArray(paths) && paths.every((path) => typeof path === "string" && path !== "")) return paths;
  throw new MerkleError("bad_request", "files must be a list of paths. Nothing was posted.");
}

function parseJsonList(text: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Converts the errors of commands to those that tools return. */
async function explainRefusals<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const code =
      error.code === "forbidden" || error.code === "payload_too_large" ? error.code : "bad_request";
    throw new MerkleError(error.code === "unreachable" ? "unavailable" : code, error.message, error.details);
  }
}
