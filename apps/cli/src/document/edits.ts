import { MerkleError, type Session } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { neutralise } from "@merkle/wire/text";
import type { CommandContext } from "../command/command.js";
import { readFileText, readText } from "../command/read-text.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import type { Actor } from "../identity/actors.js";
import { createDraft, type DraftFile, openEditor, removeIfDraft } from "./draft.js";
import { readVersion } from "./versions.js";

/** The context of a command that changes a session's document, with the actor that makes the change. */
export interface EditContext extends CommandContext {
  readonly session: Session;
  readonly actor: Actor;
}

/** Replaces a passage that occurs exactly once in the document. */
export async function replacePassage(
  { session, actor, output }: EditContext,
  words: { old: string; new: string },
): Promise<number> {
  const written = await actor.call("edit_session_doc", {
    session_id: session.session_id,
    old_text: words.old,
    new_text: words.new,
  });
  output.show(written, `${output.mark.ok} document v${written.version}`);
  return exitCodes.done;
}

/**
 * Replaces the document with the content of a file or of stdin. If the write fails, text from stdin is kept
 * as a draft.
 */
export async function writeFromFile(
  editing: EditContext,
  given: { file: string; expected: string },
): Promise<number> {
  const { config, io, session, signal } = editing;
  const expected = readVersion(given.expected, "--expect") ?? 0;
  if (given.file !== "-") {
    const content = await readFileText(given.file, limits.documentBytesMax, io);
    const exitCode = await write(editing, { content, expected, keptIn: given.file });
    await removeIfDraft(config.home, given.file);
    return exitCode;
  }
  const content = await readText({
    given: "-",
    name: "the new document",
    usage: `merkle doc edit ${session.slug} --file <path> --expect ${expected}`,
    bytesMax: limits.documentBytesMax,
    io,
    signal,
  });
  const draft = await createDraft({ home: config.home, name: `${session.slug}-v${expected}` }, content);
  return writeDraft(editing, { draft, content, expected });
}

/** Opens the document in the user's editor and writes the result. */
export async function editInEditor(editing: EditContext): Promise<number> {
  const { actor, config, io, output, session, signal } = editing;
  if (session.session_closed)
    throw new MerkleError("session_closed", `${session.slug} is concluded; its document is read-only.`);
  const { content = "", version } = await actor.call("read_session_doc", { session_id: session.session_id });
  const draft = await createDraft({ home: config.home, name: `${session.slug}-v${version}` }, content);
  try {
    await openEditor(draft.path, io.env);
    signal.throwIfAborted();
  } catch (error) {
    if ((await draft.read()) === content) await draft.remove();
    else output.note(`  nothing was written; your text is saved in ${draft.path}`);
    throw error;
  }
  const edited = await draft.read();
  if (edited !== content) return writeDraft(editing, { draft, content: edited, expected: version });
  await draft.remove();
  output.show({ version }, `${output.mark.ok} nothing changed, document v${version}`);
  return exitCodes.done;
}

/**
 * Writes a draft's text to the document. Removes the draft's file only after the text has become a version.
 */
async function writeDraft(
  editing: EditContext,
  { draft, content, expected }: { draft: DraftFile; content: string; expected: number },
): Promise<number> {
  const exitCode = await write(editing, { content, expected, keptIn: draft.path });
  await draft.remove();
  return exitCode;
}

async function write(
  editing: EditContext,
  { content, expected, keptIn }: { content: string; expected: number; keptIn: string },
): Promise<number> {
  const { actor, output, session, signal } = editing;
  try {
    const written = await actor.call("update_session_doc", {
      session_id: session.session_id,
      content,
      expected_version: expected,
    });
    output.show(written, `${output.mark.ok} document v${written.version}`);
    return exitCodes.done;
  } catch (error) {
    if (signal.aborted || error instanceof CliError) output.note(`  your text is saved in ${keptIn}`);
    if (!(error instanceof MerkleError)) throw error;
    if (error.code === "conflict") throw await showConflict(error, editing, { expected, keptIn });
    throw new MerkleError(error.code, `${error.message} Your text is saved in ${keptIn}.`, {
      ...error.details,
      kept_in: keptIn,
    });
  }
}

/**
 * Shows the changes that others made in the meantime. Returns an error that names the saved text and the next
 * step. Neither the user's text nor the others' changes are lost.
 */
export async function showConflict(
  error: MerkleError,
  { output, session }: EditContext,
  { expected, keptIn }: { expected: number; keptIn: string },
): Promise<CliError> {
  const { diff, current_version: current } = error.details;
  if (typeof diff === "string") output.note(neutralise(diff));
  const { slug } = session;
  const editCommand = `merkle doc edit ${slug} --file ${quotePath(keptIn)} --expect ${current}`;
  return new CliError(
    "conflict",
    `The document of ${slug} is at v${current}, your text is based on v${expected}. Nothing was written; your text is saved in ${keptIn}.`,
    {
      exitCode: exitCodes.conflict,
      next: [`merkle doc diff ${slug} ${expected}..${current}`, `merge both, then ${editCommand}`],
      details: { ...error.details, kept_in: keptIn },
      cause: error,
    },
  );
}

function quotePath(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
