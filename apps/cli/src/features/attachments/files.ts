import { resolve } from "node:path";
import type { MessageFile, OutputOf } from "@merkle/wire";
import { describeBytes } from "@merkle/wire/text";
import { type BrokerClient, findBroker } from "../../broker/broker-client.js";
import { download } from "../../broker/download.js";
import type { Command, CommandContext } from "../../command/command.js";
import { type Column, showList } from "../../command/list.js";
import type { Output } from "../../command/output.js";
import { CliError, exitCodes, usageError } from "../../core/cli-error.js";
import { readWholeNumber } from "../../core/flag-values.js";
import { findFlag, isSet } from "../../core/flags.js";
import { refuseExisting } from "../../core/write-whole.js";
import { getSession } from "../../sessions/find-session.js";
import { toOneLine } from "../../text/one-line.js";
import { toShellWord } from "../../text/shell.js";
import { toMoment } from "../../text/time.js";
import { toSafeName, writeChecked } from "./received-files.js";
import { toFilePath } from "./upload-files.js";

type SessionFile = OutputOf<"list_files">["files"][number];

export const files: Command = {
  name: "files",
  summary: "list the files of a session's messages, newest first, or save one",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  flags: [
    { flags: "--name <text>", summary: "only files whose name contains this" },
    { flags: "--get <name>", summary: "save the newest file with this name" },
    { flags: "--message <number>", summary: "with --get: the file of this message" },
    { flags: "-o, --output <file>", summary: "with --get: output file (default: its name, in this folder)" },
    { flags: "--force", summary: "with --get: replace an existing file" },
  ],
  examples: [
    "merkle files split-auth",
    "merkle files split-auth --name log",
    "merkle files split-auth --get build.log",
    "merkle files split-auth --get build.log --message 405 -o old.log",
  ],
  list: { operation: "list_files", rows: "files" },
  async run(context) {
    const { args, flags, config, output, signal } = context;
    const name = findFlag(flags, "get");
    const isSaving = ["output", "message"].some((flag) => findFlag(flags, flag) !== undefined);
    if (name === undefined && (isSaving || isSet(flags, "force")))
      throw usageError("-o, --force and --message need --get with the name of a file.");
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, args[0], config);
    if (name !== undefined) return save(context, broker, { sessionId: session.session_id, name });
    const wanted = findFlag(flags, "name");
    const answer = await broker.call("list_files", {
      session_id: session.session_id,
      ...(wanted === undefined ? {} : { name: wanted }),
    });
    await showList(
      {
        value: answer,
        rows: answer.files,
        columns: listColumns(output),
        hasMore: answer.next_cursor !== null,
        empty: "no files",
      },
      context,
    );
    return exitCodes.done;
  },
};

function listColumns({ bold, dim }: Output): Column<SessionFile>[] {
  return [
    { head: "Name", cell: ({ name }) => ({ text: toOneLine(name), paint: bold }) },
    { head: "Size", cell: ({ size }) => describeBytes(size) },
    { head: "Type", cell: ({ type }) => toOneLine(type) },
    { head: "Message", cell: ({ message }) => `#${message}` },
    {
      head: "By",
      widthMin: 16,
      isOptional: true,
      cell: ({ by, at }) => ({ text: `${toOneLine(by)} ${toMoment(at)}`, paint: dim }),
    },
  ];
}

/** Saves the newest file with this name, after its size and digest are checked. */
async function save(
  context: CommandContext,
  broker: BrokerClient,
  { sessionId, name }: { readonly sessionId: string; readonly name: string },
): Promise<number> {
  const { flags, io, output, signal } = context;
  const message = readWholeNumber(findFlag(flags, "message")?.replace(/^#/, ""), "--message", {
    min: 1,
    max: Number.MAX_SAFE_INTEGER - 1,
  });
  const file = await findNamed(broker, { sessionId, name, message });
  const shownPath = findFlag(flags, "output") ?? toSafeName(file.name);
  const path = resolve(io.cwd, shownPath);
  const replace = isSet(flags, "force");
  refuseExisting(path, replace);
  const address = toFilePath(sessionId, file.message, file.digest);
  await download({ broker, path: address, what: toOneLine(file.name), flags, io, signal }, (bytes) =>
    writeChecked(path, file, bytes, { replace, signal }),
  );
  output.show({ ...file, file: path }, `${output.mark.ok} ${describeBytes(file.size)} in ${shownPath}`);
  return exitCodes.done;
}

interface WantedFile {
  readonly sessionId: string;
  readonly name: string;
  readonly message: number | undefined;
}

async function findNamed(
  broker: BrokerClient,
  { sessionId, name, message }: WantedFile,
): Promise<MessageFile & { readonly message: number }> {
  const { files } = await broker.call("list_files", {
    session_id: sessionId,
    name,
    ...(message === undefined ? {} : { before: message + 1 }),
  });
  const isWanted = (file: SessionFile) =>
    file.name === name && (message === undefined || file.message === message);
  const file = files.find(isWanted);
  if (file) return file;
  const like = files[0];
  throw new CliError(
    "not_found",
    `There is no file ${JSON.stringify(name)}${message === undefined ? "" : ` in message ${message}`}.`,
    {
      exitCode: exitCodes.not_found,
      next: like ? [`--get ${toShellWord(like.name)}`] : [],
    },
  );
}
