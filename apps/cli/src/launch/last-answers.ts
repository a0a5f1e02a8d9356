import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isObject } from "../core/is-object.js";
import { explainHomeErrors, homeFiles } from "../core/merkle-home.js";
import { replaceFile } from "../core/replace-file.js";

/** The user's answers at the last launch from this home. */
export interface PreviousAnswers {
  /** The session's slug. */
  readonly session?: string;
  readonly team?: string;
  readonly name?: string;
  readonly role?: string;
  readonly groups?: string;
}

const answerNames = ["session", "team", "name", "role", "groups"] as const;

/**
 * Reads the user's last answers. Returns an empty object if the file is missing or invalid, because the
 * answers are only defaults.
 */
export async function readLastAnswers(home: string): Promise<PreviousAnswers> {
  const text = await readFile(homeFiles.answers(home), "utf8").catch(() => "{}");
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return {};
    return Object.fromEntries(
      answerNames.flatMap((name) => (typeof value[name] === "string" ? [[name, value[name]]] : [])),
    );
  } catch {
    return {};
  }
}

export async function saveLastAnswers(home: string, answers: PreviousAnswers): Promise<void> {
  const path = homeFiles.answers(home);
  await explainHomeErrors(home, async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await replaceFile(path, `${JSON.stringify(answers, null, 2)}\n`);
  });
}
