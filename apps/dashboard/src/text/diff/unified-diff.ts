export type DiffLineKind = "same" | "added" | "removed";

export interface DiffLine {
  readonly kind: DiffLineKind;
  readonly text: string;
  /** Line number in the old text. Null for an added line. */
  readonly oldLine: number | null;
  /** Line number in the new text. Null for a removed line. */
  readonly newLine: number | null;
  /** True if the text ends with this line and without a line break. */
  readonly hasNoLineBreak: boolean;
}

export interface DiffHunk {
  /** The heading of the section that contains the hunk's start. Empty above the first heading. */
  readonly section: string;
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly DiffLine[];
}

export interface ParsedDiff {
  readonly hunks: readonly DiffHunk[];
  readonly added: number;
  readonly removed: number;
}

const hunkHead = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/;

/** Parses the unified diff that `read_session_doc` returns. Ignores the file names above the first hunk. */
export function parseUnifiedDiff(diff: string): ParsedDiff {
  const reader = new DiffReader();
  for (const line of diff.split("\n")) reader.read(line);
  return reader.end();
}

/** Returns the titles of the sections that a diff touches, in order, without duplicates and number signs. */
export function listTouchedSections(diff: ParsedDiff): string[] {
  const names = diff.hunks.map(({ section }) => section.replace(/^#{1,6}\s+/, ""));
  return [...new Set(names)].filter((name) => name !== "");
}

class DiffReader {
  readonly #hunks: { section: string; oldStart: number; newStart: number; lines: DiffLine[] }[] = [];
  #oldLine = 0;
  #newLine = 0;
  #added = 0;
  #removed = 0;

  read(line: string): void {
    const head = hunkHead.exec(line);
    if (head) return this.#open(Number(head[1]), Number(head[2]), head[3] ?? "");
    const lines = this.#hunks.at(-1)?.lines;
    if (!lines) return;
    const text = line.slice(1);
    switch (line[0]) {
      case " ":
        lines.push(this.#line("same", text, this.#oldLine++, this.#newLine++));
        break;
      case "-":
        this.#removed++;
        lines.push(this.#line("removed", text, this.#oldLine++, null));
        break;
      case "+":
        this.#added++;
        lines.push(this.#line("added", text, null, this.#newLine++));
        break;
      case "\\": {
        const last = lines.pop();
        if (last) lines.push({ ...last, hasNoLineBreak: true });
        break;
      }
    }
  }

  end(): ParsedDiff {
    return { hunks: this.#hunks, added: this.#added, removed: this.#removed };
  }

  #open(oldStart: number, newStart: number, section: string): void {
    this.#oldLine = oldStart;
    this.#newLine = newStart;
    this.#hunks.push({ section, oldStart, newStart, lines: [] });
  }

  #line(kind: DiffLineKind, text: string, oldLine: number | null, newLine: number | null): DiffLine {
    return { kind, text, oldLine, newLine, hasNoLineBreak: false };
  }
}
