import type { VerifiedRow } from "@merkle/wire/record";

/** A message or version from a bundle, shortened. */
export interface ExcerptRow {
  readonly log: VerifiedRow["log"];
  readonly number: number;
  readonly line: number;
  readonly by: string | null;
  readonly at: string | null;
  readonly text: string;
  /** Sentences about what is wrong with the row. */
  readonly problems: readonly string[];
}

export type Excerpt = readonly ExcerptRow[];

/** Number of rows shown before and after the first wrong row. */
const contextRows = 2;
const textCharsMax = 240;

/** Receives rows in order, and keeps those around the first wrong row. */
export interface ExcerptCollector {
  add(row: VerifiedRow): void;
  readonly excerpt: Excerpt;
}

export function createExcerptCollector(): ExcerptCollector {
  let before: VerifiedRow[] = [];
  const rows: VerifiedRow[] = [];
  return {
    add(row) {
      const [first] = rows;
      if (first === undefined) {
        if (row.findings.length > 0) rows.push(...before.filter(({ log }) => log === row.log), row);
        else before = [...before.slice(1 - contextRows), row];
      } else if (row.log === first.log && rows.length < 1 + 2 * contextRows) {
        rows.push(row);
      }
    },
    get excerpt() {
      return rows.map(toExcerptRow);
    },
  };
}

/** Converts a row for display. The line may contain anything, so its apparent content is shown together with its findings. */
function toExcerptRow({ log, number, line, text, findings }: VerifiedRow): ExcerptRow {
  const value = parse(text);
  const { from, type, event, content, posted_at } = Object(value["message"]);
  const { written_by, written_at } = Object(value["version"]);
  const eventName = typeof event === "string" ? event.replaceAll("_", " ") : event;
  const body = log === "feed" ? (Object(content)["text"] ?? eventName) : value["content"];
  const by = log === "feed" ? Object(from)["team"] : written_by;
  const at = log === "feed" ? posted_at : written_at;
  const shownText =
    typeof body === "string" ? body : type === undefined ? text : JSON.stringify(content ?? null);
  return {
    log,
    number,
    line,
    by: typeof by === "string" ? by : null,
    at: typeof at === "string" && !Number.isNaN(Date.parse(at)) ? at : null,
    text: shownText.slice(0, textCharsMax).replace(/\s+/g, " "),
    problems: findings.map(({ message }) => message),
  };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return Object(value);
  } catch {
    return {};
  }
}
