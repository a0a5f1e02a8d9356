import type { ReadStream, WriteStream } from "node:tty";

/** Access to the whole screen of the terminal, until it is restored. */
interface TerminalScreen {
  readonly columns: number;
  readonly rows: number;
  /** Draws these lines from the top. Writes only lines that have changed. */
  draw(lines: readonly string[], cursor: Cursor | null): void;
  /** Restores the terminal. Can be called twice. */
  restore(): void;
}

/** The cursor position, counted from 0. */
export interface Cursor {
  readonly row: number;
  readonly column: number;
}

interface ScreenOptions {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly onKey: (key: TerminalKey) => void;
  readonly onResize: () => void;
}

const enter = "\u001b[?1049h\u001b[?25l\u001b[2J";
const leave = "\u001b[?25h\u001b[?1049l";

/**
 * Takes over the terminal. Uses the alternate screen, so that the previous content reappears afterwards, and
 * reads keys without waiting for Enter.
 */
export function takeScreen({ stdin, stdout, onKey, onResize }: ScreenOptions): TerminalScreen {
  let drawn: string[] = [];
  let isTaken = true;

  const handleInput = (text: string) => {
    for (const key of readKeys(text)) onKey(key);
  };
  const resize = () => {
    drawn = [];
    stdout.write("\u001b[2J");
    onResize();
  };
  const restore = () => {
    if (!isTaken) return;
    isTaken = false;
    process.off("exit", restore);
    stdout.off("resize", resize);
    stdin.off("data", handleInput);
    stdin.setRawMode(false);
    stdin.pause();
    stdout.write(leave);
  };

  // Restores the terminal for the user's shell, however the process ends.
  process.on("exit", restore);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  stdin.on("data", handleInput);
  stdin.resume();
  stdout.on("resize", resize);
  stdout.write(enter);

  return {
    get columns() {
      return stdout.columns > 0 ? stdout.columns : 80;
    },
    get rows() {
      return stdout.rows > 0 ? stdout.rows : 24;
    },
    draw(lines, cursor) {
      if (!isTaken) return;
      const changed = lines.flatMap((line, row) =>
        drawn[row] === line ? [] : [`\u001b[${row + 1};1H\u001b[K${line}`],
      );
      if (drawn.length > lines.length) changed.push(`\u001b[${lines.length + 1};1H\u001b[J`);
      const at = cursor === null ? "" : `\u001b[${cursor.row + 1};${cursor.column + 1}H\u001b[?25h`;
      drawn = [...lines];
      stdout.write(`\u001b[?25l${changed.join("")}${at}`);
    },
    restore,
  };
}

/** A key press, or text whose characters arrived together. */
export type TerminalKey =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "enter" | "backspace" | "clear" | "escape" | "interrupt" };

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are these.
const keys = /\u001b(?:\[[0-9;]*[A-Za-z~]|O.)?|[\u0000-\u001f\u007f]|[^\u0000-\u001f\u007f\u001b]+/g;

/**
 * Splits the input of a terminal in raw mode into keys. Ignores arrow keys and other keys that have no
 * function here.
 */
export function readKeys(input: string): TerminalKey[] {
  return (input.match(keys) ?? []).flatMap((each): TerminalKey[] => {
    switch (each) {
      case "\r":
      case "\n":
        return [{ kind: "enter" }];
      case "\u007f":
      case "\b":
        return [{ kind: "backspace" }];
      case "\u0015":
        return [{ kind: "clear" }];
      case "\u001b":
        return [{ kind: "escape" }];
      case "\u0003":
        return [{ kind: "interrupt" }];
      case "\t":
        return [{ kind: "text", text: " " }];
      default:
        return each >= " " ? [{ kind: "text", text: each }] : [];
    }
  });
}
