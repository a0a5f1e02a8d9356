import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Looks for secrets in whatever the product writes where none belongs: logs, errors, addresses, arguments of processes. Each
 * kind of secret has a form of its own, so that none need be known to be found. Every test of the suite fails that saw one.
 */
const secretForms: Readonly<Record<string, RegExp>> = {
  "a team's, peer's or person's credential": /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.mk_[\w-]{43}/,
  "a token": /\bmk[tbswoj]_[\w-]{43}/,
  "an invite": /\/join#[\w-]{22}/,
  "a database's password": /postgres(?:ql)?:\/\/[^\s:@/]+:[^\s@/]+@/,
};

// What the tests of one worker have seen, until the test that saw it has ended.
let leaks: string[] = [];

/** @param where - what it is that was written, for people */
export function lookForSecrets(where: string, text: string): void {
  for (const [what, form] of Object.entries(secretForms)) {
    const at = text.search(form);
    if (at !== -1) leaks.push(`${what} in ${where}: …${text.slice(Math.max(0, at - 80), at + 20)}…`);
  }
}

/** The same for everything that a Merkle home keeps for people and programs to read: its logs, and where its broker is. */
export async function lookInHome(home: string): Promise<void> {
  const logs = join(home, "logs");
  const names = await readdir(logs).catch(() => []);
  for (const path of [...names.map((name) => join(logs, name)), join(home, "broker.json")]) {
    lookForSecrets(path.slice(home.length + 1), await readFile(path, "utf8").catch(() => ""));
  }
}

/** What was found since the last call. */
export function takeLeaks(): string[] {
  const found = leaks;
  leaks = [];
  return found;
}
