import { execFileSync } from "node:child_process";
import { writeSync } from "node:fs";
import { isatty } from "node:tty";

const [stdin, stdout] = [0, 1];

/** Remembers how the terminal is set, so that a program that is killed does not leave it unusable. */
export function keepTerminal(): { restore(ending: { abrupt: boolean }): void } {
  const before = readModes();
  return {
    restore({ abrupt }) {
      if (before !== undefined) stty(before);
      // A program that ends by itself has done this, and doing it twice would move the cursor.
      if (abrupt && before !== undefined && isatty(stdout)) writeSync(stdout, plainScreen);
    },
  };
}

/** No alternate screen, mouse, focus or paste reports and no keyboard protocol; a visible cursor, and plain text. */
const plainScreen = [
  "\u001b[?1049l",
  "\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l",
  "\u001b[?1004l",
  "\u001b[?2004l",
  "\u001b[<u",
  "\u001b[?25h",
  "\u001b[0m",
].join("");

function readModes(): string | undefined {
  return process.platform !== "win32" && isatty(stdin) ? stty("-g") : undefined;
}

function stty(argument: string): string | undefined {
  try {
    return execFileSync("stty", [argument], { stdio: ["inherit", "pipe", "ignore"] })
      .toString()
      .trim();
  } catch {
    // Without stty nothing is known of the terminal, and nothing can be changed.
    return undefined;
  }
}
