import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A separate process that answers questions. The measured code must not share an event loop with the measuring code. */
export interface Child {
  readonly pid: number;
  ask<Answer>(question: object): Promise<Answer>;
  /** Asks the process to exit, and resolves when it has exited. */
  stop(): Promise<void>;
}

export function startChild(file: string, execArgv: readonly string[] = []): Child {
  const process = fork(fileURLToPath(new URL(file, import.meta.url)), { execArgv: [...execArgv] });
  const ended = new Promise<void>((resolve) => process.once("exit", () => resolve()));
  return {
    pid: process.pid ?? 0,
    ask: (question) => ask(process, question),
    async stop() {
      if (process.connected) process.disconnect();
      await ended;
    },
  };
}

/** Asks a single question at a time, so the next message is the answer to it. */
function ask<Answer>(process: ChildProcess, question: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) =>
      reject(new Error(`${process.spawnfile} ended with code ${code}.`));
    process.once("exit", onExit);
    process.once("message", (message) => {
      process.off("exit", onExit);
      // The child process sends the result of its `answer` callback. Both ends are files in this folder, so the type is
      // certain.
      const { answer, error } = message as { answer: Answer; error?: string };
      if (error === undefined) resolve(answer);
      else reject(new Error(error));
    });
    process.send(question, (error) => {
      if (error) reject(error);
    });
  });
}

/** The child's side: replies to each question with the result of `answer`, and exits when its parent disconnects. */
export function answerParent<Question>(
  answer: (question: Question) => Promise<unknown>,
  end: () => Promise<void> = async () => undefined,
): void {
  process.on("message", (question: Question) => {
    answer(question).then(
      (result) => process.send?.({ answer: result }),
      (error: unknown) => process.send?.({ error: error instanceof Error ? error.stack : String(error) }),
    );
  });
  process.once("disconnect", () => {
    end().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
}
