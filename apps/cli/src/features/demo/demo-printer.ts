import type { Message } from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";
import { neutralise } from "@merkle/wire/text";
import type { Output } from "../../command/output.js";
import { type AuthorStyle, formatMessage } from "../../feed/format-message.js";
import { breakLines } from "../../feed/tail/print-messages.js";

/** Prints the events of the demo while it runs. Prints nothing with `--json`. */
interface DemoPrinter {
  printLine(text: string): void;
  printMessage(message: Message): Promise<void>;
  /** Call when the document has changed. Prints the change before any later message. */
  printDocumentChange(): void;
  /** Resolves when everything received so far has been printed. */
  waitUntilPrinted(): Promise<void>;
}

interface DemoSource {
  readonly client: MerkleClient;
  readonly session_id: string;
  readonly signal: AbortSignal;
}

export function createDemoPrinter(output: Output, { client, session_id, signal }: DemoSource): DemoPrinter {
  const printLine = (text: string) => {
    if (!output.json) output.print(undefined, `${text}\n`);
  };
  const teams: string[] = [];
  let printedVersion = 0;
  // Settles when the last item has been printed. Items are printed one at a time, in the order of arrival.
  let last = Promise.resolve();
  const enqueue = (show: () => Promise<void>): Promise<void> => {
    last = last.then(show);
    return last;
  };

  async function printVersions(): Promise<void> {
    if (output.json) return;
    const { versions } = await client.call("list_doc_versions", { session_id }, { signal });
    for (const { version, written_by } of versions.toReversed()) {
      if (version <= printedVersion) continue;
      const since = { session_id, version, since_version: version - 1 };
      const { diff = "" } = await client.call("read_session_doc", since, { signal });
      const [added, removed] = [count(diff, /^\+(?!\+\+ )/gm), count(diff, /^-(?!-- )/gm)];
      const { minus } = output.signs;
      const change = `+${added} ${minus}${removed}`;
      printLine(
        output.dim(`         ${output.dot} document v${version} by ${neutralise(written_by)}, ${change}`),
      );
      printedVersion = version;
    }
  }

  return {
    printLine,
    printMessage: (message) => enqueue(async () => printLine(formatLine(message, teams, output))),
    printDocumentChange: () => void enqueue(printVersions).catch(() => undefined),
    waitUntilPrinted: () => last,
  };
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/**
 * Formats a message as `merkle tail` does, wrapped between words at the terminal's width. Teams get colours
 * in the order in which they appear.
 */
function formatLine(message: Message, teams: string[], output: Output): string {
  const { from, content } = message;
  const team = from?.team ?? String(content["by"] ?? content["team"] ?? "");
  if (!teams.includes(team)) teams.push(team);
  const author: AuthorStyle = { isOwn: false, colour: output.teamColour(teams.indexOf(team)) };
  const style = { arrow: output.signs.arrow, dot: output.dot, dim: output.dim };
  const hasText = typeof message.content["text"] === "string";
  const line = hasText
    ? formatMessage(message, author, style)
    : output.dim(formatMessage(message, author, { ...style, dim: String }));
  return breakLines(line, output.columns);
}
