import { type Database, listStateEntries } from "@merkle/db";
import { canonicalJson } from "@merkle/wire";
import { retryWhileLost } from "../retry-while-lost.js";
import { toStateEntry } from "../state/state-entry.js";

const page = { rowsMax: 100, bytesMax: 1024 * 1024 };

/** A bundle's `state.json`: what the session's keys hold, the last thing that was agreed on. */
export async function* stateText(database: Pick<Database, "orm">, sessionId: string): AsyncGenerator<string> {
  yield '{"entries":[';
  let after = "";
  for (let isFirst = true, goesOn = true; goesOn; isFirst = false) {
    const wanted = { prefix: "", after };
    const { entries, more } = await retryWhileLost(() =>
      listStateEntries(database.orm, sessionId, wanted, page),
    );
    const texts = entries.map((row) => canonicalJson(toStateEntry(row)));
    if (texts.length > 0) yield `${isFirst ? "" : ","}${texts.join(",")}`;
    after = entries.at(-1)?.key ?? after;
    goesOn = more;
  }
  yield "]}\n";
}
