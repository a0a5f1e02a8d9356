import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import type { ErrorDetails } from "@merkle/wire";
import { CliError, type ExitCode, exitCodes, usageError } from "./cli-error.js";

/**
 * Converts any error to the error that the user sees (CLI-7). Recognises errors of the broker's modules by
 * name, so that those modules need not be loaded.
 */
export function explainError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (!(error instanceof Error)) return unexpected(String(error), error);
  const code = getCode(error);
  // Checks the code rather than the class, because bundling renames the library's classes.
  if (code.startsWith("commander.")) return explainUsage(error.message, "merkle help");
  switch (error.name) {
    case "MerkleError":
      return new CliError(code, error.message.replace(/\bcontent\.(?=text: )/, ""), {
        exitCode: toReplyExitCode(code),
        next: toNextCommands(getDetails(error)),
        details: getDetails(error),
        cause: error,
      });
    case "StartError":
    case "DatabaseError":
    case "EmbeddedPostgresError":
    case "BackupError":
      return new CliError(code, error.message, {
        exitCode: toStartExitCode(code),
        next: suggestNext(code),
        cause: error,
      });
    default:
      return explainFileError(error, code) ?? unexpected(error.message, error);
  }
}

/** Explains an operating system error about writing a file or folder. Returns undefined for other errors. */
function explainFileError(error: NodeJS.ErrnoException, code: string): CliError | undefined {
  const { path = "a file", dest = path, syscall } = error as NodeJS.ErrnoException & { dest?: string };
  const refuse = (name: string, message: string) =>
    new CliError(name, message, { exitCode: exitCodes.unexpected, next: ["merkle doctor"], cause: error });
  // If the parents of a folder cannot be created, Node reports ENOENT regardless of the real reason.
  const isHidden = code === "ENOENT" && syscall === "mkdir";
  const reason = isHidden ? findReason(dest) : code;
  if (reason === "ENOSPC" || reason === "EDQUOT")
    return refuse(
      "disk_full",
      `No space is left to write ${dest} (${reason}). Free some space there, or set MERKLE_HOME to a folder on another disk.`,
    );
  if (reason === "EROFS")
    return refuse(
      "home_read_only",
      `${dest} is on a read-only file system. Set HOME or MERKLE_HOME to a writable folder.`,
    );
  if ((reason === "EACCES" || reason === "EPERM") && syscall === "mkdir")
    return refuse(
      "home_read_only",
      `The folder ${dest} cannot be created, because this user may not write there (${reason}). Set HOME or MERKLE_HOME to a writable folder.`,
    );
  if (isHidden)
    return refuse(
      "disk_full",
      `The folder ${dest} cannot be created. Its disk has no space or no free inodes left, or a link above it is broken. Free some space there, or set MERKLE_HOME to a folder on another disk.`,
    );
  return undefined;
}

/**
 * Returns the error code of the problem that prevents creating anything in the nearest existing parent
 * folder. Undefined if that folder's permissions allow creating files.
 */
function findReason(path: string): string | undefined {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) return findReason(parent);
  try {
    accessSync(parent, constants.W_OK);
    return undefined;
  } catch (error) {
    return error instanceof Error ? getCode(error) : undefined;
  }
}

/** The commands for the operations that the broker's errors recommend in `details.next`. */
const commandByOperation: Readonly<Record<string, string>> = {
  conclude_session: "merkle conclude <session>",
  delete_state: "merkle state unset <session> <key>",
  edit_session_doc: "merkle doc edit <session>",
  get_job: "merkle jobs show <number>",
  get_perspective: "merkle perspective <session>",
  get_proposal: "merkle doc proposals <session>",
  list_claims: "merkle claims <session>",
  list_invites: "merkle invite list",
  list_jobs: "merkle jobs list",
  list_members: "merkle members",
  list_memory: "merkle recall",
  list_meshes: "merkle mesh list",
  list_participants: "merkle peers <session>",
  list_peers: "merkle peers <session>",
  list_personas: "merkle open (then Settings → Personas)",
  list_proposals: "merkle doc proposals <session>",
  list_sessions: "merkle ls --state all",
  list_state: "merkle state list <session>",
  list_tasks: "merkle tasks <session>",
  list_tokens: "merkle token list",
  list_topics: "merkle doc topics <session>",
  read_session_doc: "merkle doc show <session>",
  read_source: "merkle source show <root/path>",
  reply_to_topic: "merkle doc reply <session> <topic>",
  revoke_token: "merkle token revoke <number>",
  send_message: "merkle post <session> <text> --to <who>",
  set_state: "merkle state set <session> <key> <value>",
};

function toNextCommands({ next }: ErrorDetails): readonly string[] {
  const command =
    typeof next === "string" && Object.hasOwn(commandByOperation, next)
      ? commandByOperation[next]
      : undefined;
  return command === undefined ? [] : [command];
}

/**
 * Converts an error from the argument parser, such as `error: unknown option '--prot'` with a second line
 * `(Did you mean --port?)`.
 */
export function explainUsage(message: string, help: string): CliError {
  const [first = "", ...rest] = message.replace(/^error: /, "").split("\n");
  const nearest = /\(Did you mean (?:one of )?(.*)\?\)/.exec(rest.join(" "))?.[1];
  const sentence = `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/, "")}.`;
  if (nearest === undefined) return usageError(sentence, help);
  return usageError(`${sentence} Did you mean ${nearest}?`, help);
}

function toReplyExitCode(code: string): ExitCode {
  switch (code) {
    case "bad_request":
    case "payload_too_large":
      return exitCodes.usage;
    case "unauthorized":
    case "forbidden":
      return exitCodes.refused;
    case "session_closed":
    case "session_archived":
    case "session_held":
    case "budget_spent":
      return exitCodes.session_closed;
    case "not_found":
      return exitCodes.not_found;
    case "conflict":
    case "key_changed":
    case "resync":
      return exitCodes.conflict;
    case "unavailable":
      return exitCodes.unreachable;
    default:
      return exitCodes.unexpected;
  }
}

function toStartExitCode(code: string): ExitCode {
  switch (code) {
    case "not_loopback":
    case "bad_address":
    case "bad_setting":
    case "bad_certificate":
    case "not_a_backup":
      return exitCodes.usage;
    case "home_shared":
      return exitCodes.refused;
    case "file_missing":
      return exitCodes.not_found;
    case "port_in_use":
    case "not_alone":
    case "home_in_use":
    case "file_exists":
    case "target_not_empty":
    case "target_in_use":
      return exitCodes.conflict;
    default:
      return exitCodes.unexpected;
  }
}

function suggestNext(code: string): readonly string[] {
  switch (code) {
    case "home_in_use":
      return ["merkle status", "merkle down"];
    case "port_in_use":
      return ["merkle up --port 7500", "merkle doctor"];
    case "not_loopback":
    case "bad_certificate":
    case "bad_audit_key":
    case "home_shared":
    case "not_a_backup":
      return [];
    case "no_audit_key":
      return ["merkle audit-key show"];
    case "file_exists":
      return ["add --force to replace it"];
    default:
      return ["merkle doctor"];
  }
}

function unexpected(message: string, cause: unknown): CliError {
  return new CliError("unexpected", `Something unexpected went wrong: ${message}`, {
    exitCode: exitCodes.unexpected,
    next: ["merkle doctor"],
    cause,
  });
}

function getDetails(error: Error): ErrorDetails {
  return "details" in error && typeof error.details === "object" ? { ...error.details } : {};
}

function getCode(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "unexpected";
}
