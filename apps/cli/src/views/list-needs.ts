import type { AttentionItem, OutputOf, Session } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { type Column, formatRows } from "../command/list.js";
import type { Output } from "../command/output.js";
import { mapInParallel } from "../core/map-in-parallel.js";
import type { Actor } from "../identity/actors.js";
import { toOneLine } from "../text/one-line.js";
import { type AttentionNeed, formatNeed, formatNeedAdvice, toNeed } from "./needs.js";

interface NeedsOptions {
  readonly reader: Actor;
  readonly output: Output;
  /** Returns whether the file matches the command's filters. */
  isSelected(file: FileNeeds): boolean;
}

/** Prints sessions and files that wait for a human, with the reasons (CLI-46, CLI-80). */
export async function listNeeds(page: OutputOf<"list_sessions">, options: NeedsOptions): Promise<void> {
  const { reader, output } = options;
  const { ofSessions, ofFiles, hasAllFiles } = await readNeeds(reader, page.sessions);
  const read = page.sessions.map((session, index) => ({ ...session, needs: ofSessions[index] ?? [] }));
  // Leave out sessions whose needs have been resolved since the sessions were listed.
  const sessions = read.filter((session) => session.needs.length > 0);
  const files = ofFiles.filter((file) => options.isSelected(file));
  const groups = [...sessions.map(toSessionGroup), ...files.map(toFileGroup)];
  if (output.json)
    output.show({ sessions, next_cursor: page.next_cursor, files, all_files: hasAllFiles }, "");
  else if (groups.length === 0) output.note("nothing needs you");
  else {
    await output.page(groups, groups.map((each) => formatGroup(each, output)).join("\n"));
    const [first] = groups;
    const [need] = first?.needs ?? [];
    if (first && need) output.note(`  next: ${formatNeedAdvice(need, first.slug)}`);
  }
  if (page.next_cursor !== null)
    output.note(`  more: merkle ls --needs --limit ${limits.sessionsPageMax}, or --query <text>`);
  if (!hasAllFiles) output.note("  there are more items than fit into one reply: some files may be missing");
}

/** A session or file in the output: its heading, and the needs below it. */
interface NeedsGroup {
  readonly slug: string | null;
  readonly head: readonly string[];
  readonly needs: readonly AttentionNeed[];
}

function toSessionGroup({ slug, title, needs }: Session & Pick<NeedsGroup, "needs">): NeedsGroup {
  return { slug, head: [slug, toOneLine(title)], needs };
}

function toFileGroup({ source_path, needs }: FileNeeds): NeedsGroup {
  return { slug: null, head: [toOneLine(source_path)], needs };
}

function formatGroup({ head, needs }: NeedsGroup, output: Output): string {
  const headColumns: Column<readonly string[]>[] = [
    { head: "", cell: ([name = ""]) => ({ text: name, paint: output.bold }) },
    { head: "", widthMin: 8, cell: ([, title = ""]) => title },
  ];
  const needColumns: Column<AttentionNeed>[] = [
    { head: "", cell: () => ({ text: `  ${output.signs.blocked}`, paint: output.alarm }) },
    { head: "", widthMin: 20, cell: formatNeed },
  ];
  return [formatRows([head], headColumns, output), formatRows(needs, needColumns, output)].join("\n");
}

/** A file under one of the broker's roots, with its needs. */
interface FileNeeds {
  readonly source_path: string;
  readonly needs: readonly AttentionNeed[];
}

interface MeshNeeds {
  /** The needs of each session, in the same order as the sessions. */
  readonly ofSessions: readonly (readonly AttentionNeed[])[];
  readonly ofFiles: readonly FileNeeds[];
  /** Whether `ofFiles` contains every file that has at least one need. */
  readonly hasAllFiles: boolean;
}

const sessionsAtOnce = 4;

/**
 * Reads everything that needs attention in the given sessions and in files. One call is sufficient unless the
 * mesh has more items than fit into one reply.
 */
async function readNeeds(
  reader: Actor,
  sessions: readonly Pick<Session, "session_id">[],
): Promise<MeshNeeds> {
  const { items, total } = await reader.call("list_attention", {});
  const hasAllFiles = total <= items.length;
  const ofSessions = hasAllFiles
    ? sessions.map(({ session_id }) => findSessionNeeds(items, session_id))
    : await mapInParallel(sessions, sessionsAtOnce, async ({ session_id }) =>
        findSessionNeeds((await reader.call("list_attention", { session: session_id })).items, session_id),
      );
  return { ofSessions, ofFiles: findFileNeeds(items), hasAllFiles };
}

function findSessionNeeds(items: readonly AttentionItem[], sessionId: string): AttentionNeed[] {
  return items.filter((item) => item.session_id === sessionId).map(toNeed);
}

function findFileNeeds(items: readonly AttentionItem[]): FileNeeds[] {
  const ofMesh = items.filter((item) => item.kind === "quota_near").map(toNeed);
  const paths = new Set(items.flatMap(({ source_path }) => source_path ?? []));
  const ofFiles = [...paths].map((source_path) => ({
    source_path,
    needs: items.filter((item) => item.source_path === source_path).map(toNeed),
  }));
  return ofMesh.length === 0 ? ofFiles : [{ source_path: "the mesh", needs: ofMesh }, ...ofFiles];
}
