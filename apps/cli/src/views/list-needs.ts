import type { AttentionItem, OutputOf, Session } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { Output } from "../command/output.js";
import { inParallel } from "../core/in-parallel.js";
import type { Actor } from "../identity/acting.js";
import { oneLine } from "../text/one-line.js";
import { formatTable } from "../text/table.js";
import { type Need, needAdvice, needText, toNeed } from "./needs.js";

interface NeedsOptions {
  readonly reader: Actor;
  readonly output: Output;
  /** Returns whether the file matches the command's filters. */
  isWanted(file: FileNeeds): boolean;
}

/** Prints sessions and files that wait for a human, with the reasons (CLI-46, CLI-80). */
export async function listNeeds(page: OutputOf<"list_sessions">, showing: NeedsOptions): Promise<void> {
  const { reader, output } = showing;
  const { ofSessions, ofFiles, allFiles } = await readNeeds(reader, page.sessions);
  const read = page.sessions.map((session, index) => ({ ...session, needs: ofSessions[index] ?? [] }));
  // Leave out sessions whose needs have been resolved since the sessions were listed.
  const sessions = read.filter((session) => session.needs.length > 0);
  const files = ofFiles.filter((file) => showing.isWanted(file));
  const places = [...sessions.map(placeOfSession), ...files.map(placeOfFile)];
  if (output.json) output.show({ sessions, next_cursor: page.next_cursor, files, all_files: allFiles }, "");
  else if (places.length === 0) output.note("nothing needs you");
  else {
    output.show(places, places.map((each) => formatPlace(each, output)).join("\n"));
    const [first] = places;
    const [need] = first?.needs ?? [];
    if (first && need) output.note(`  next: ${needAdvice(need, first.slug)}`);
  }
  if (page.next_cursor !== null)
    output.note(`  more: merkle ls --needs --limit ${limits.sessionsPageMax}, or --query <text>`);
  if (!allFiles) output.note("  there are more items than fit into one reply: some files may be missing");
}

/** A session or file in the output: its heading, and the needs below it. */
interface WaitingPlace {
  readonly slug: string | null;
  readonly head: readonly [name: string, ...rest: string[]];
  readonly needs: readonly Need[];
}

function placeOfSession({ slug, title, needs }: Session & Pick<WaitingPlace, "needs">): WaitingPlace {
  return { slug, head: [slug, oneLine(title)], needs };
}

function placeOfFile({ source_path, needs }: FileNeeds): WaitingPlace {
  return { slug: null, head: [oneLine(source_path)], needs };
}

function formatPlace({ head: [name, ...rest], needs }: WaitingPlace, output: Output): string {
  const cells = [{ text: name, paint: output.bold }, ...rest.map((text) => ({ text }))];
  const head = formatTable([cells], { columns: output.columns, flexible: [0, 1], more: output.signs.more });
  const rows = needs.map((need) => [
    { text: `  ${output.signs.blocked}`, paint: output.alarm },
    { text: needText(need) },
  ]);
  return `${head}\n${formatTable(rows, { columns: output.columns, flexible: 1, more: output.signs.more })}`;
}

/** A file under one of the broker's roots, with its needs. */
interface FileNeeds {
  readonly source_path: string;
  readonly needs: readonly Need[];
}

interface MeshNeeds {
  /** The needs of each session, in the same order as the sessions. */
  readonly ofSessions: readonly (readonly Need[])[];
  readonly ofFiles: readonly FileNeeds[];
  /** Whether `ofFiles` contains every file that has at least one need. */
  readonly allFiles: boolean;
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
  const allFiles = total <= items.length;
  const ofSessions = allFiles
    ? sessions.map(({ session_id }) => needsOf(items, session_id))
    : await inParallel(sessions, sessionsAtOnce, async ({ session_id }) =>
        needsOf((await reader.call("list_attention", { session: session_id })).items, session_id),
      );
  return { ofSessions, ofFiles: needsOfFiles(items), allFiles };
}

function needsOf(items: readonly AttentionItem[], sessionId: string): Need[] {
  return items.filter((item) => item.session_id === sessionId).map(toNeed);
}

function needsOfFiles(items: readonly AttentionItem[]): FileNeeds[] {
  const ofMesh = items.filter((item) => item.kind === "quota_near").map(toNeed);
  const paths = new Set(items.flatMap(({ source_path }) => source_path ?? []));
  const ofFiles = [...paths].map((source_path) => ({
    source_path,
    needs: items.filter((item) => item.source_path === source_path).map(toNeed),
  }));
  return ofMesh.length === 0 ? ofFiles : [{ source_path: "the mesh", needs: ofMesh }, ...ofFiles];
}
