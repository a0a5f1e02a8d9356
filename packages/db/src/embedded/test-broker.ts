/**
 * Entry script of the process that `startTestBroker` starts. It starts the server or takes the lock, prints
 * one line with the result, and keeps running.
 */
import { type EmbeddedPostgresError, lockHome, startEmbeddedPostgres } from "./index.js";

const options = JSON.parse(process.argv[2] ?? "{}");

try {
  if (options.lockOnly) {
    await lockHome(options.home);
    printLine({ pid: process.pid });
  } else {
    const { pid, wasAdopted: adopted, dataDirectory } = await startEmbeddedPostgres(options);
    printLine({ pid, adopted, dataDirectory });
  }
  setInterval(() => {}, 60_000);
} catch (error) {
  const { code, message } = error as EmbeddedPostgresError;
  printLine({ error: code, message });
}

function printLine(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
