import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Detects secrets where the product must not write them: logs, errors, addresses and process arguments. Each kind of
 * secret has its own format, so a secret is recognised without knowing its value. A test that leaks a secret fails.
 */
const secretForms: Readonly<Record<string, RegExp>> = {
  "a team's, peer's or person's credential": /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.mk_[\w-]{43}/,
  "a token": /\bmk[tbswoj]_[\w-]{43}/,
  "an invite": /\/join#[\w-]{22}/,
  "a database's password": /postgres(?:ql)?:\/\/[^\s:@/]+:[^\s@/]+@/,
};

// Leaks found in this worker since the last test ended.
let leaks: string[] = [];

/** @param where - description of where the text was written, for the failure message */
export function lookForSecrets(where: string, text: string): void {
  for (const [what, form] of Object.entries(secretForms)) {
    const at = text.search(form);
    if (at !== -1) leaks.push(`${what} in ${where}: …${text.slice(Math.max(0, at - 80), at + 20)}…`);
  }
}

/**
 * Checks the files in a Merkle home that must not contain secrets: the logs, and the file with the broker's address.
 */
export async function lookInHome(home: string): Promise<void> {
  const logs = join(home, "logs");
  const names = await readdir(logs).catch(() => []);
  for (const path of [...names.map((name) => join(logs, name)), join(home, "broker.json")]) {
    lookForSecrets(path.slice(home.length + 1), await readFile(path, "utf8").catch(() => ""));
  }
}

/** Returns the leaks found since the last call. */
export function takeLeaks(): string[] {
  const found = leaks;
  leaks = [];
  return found;
}
