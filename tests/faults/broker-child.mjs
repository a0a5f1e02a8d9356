/** The process that the campaign kills: a broker as built, which says in one line that it started, or why not. */
import { createLog, startBroker } from "@merkle/broker";

const options = JSON.parse(process.argv[2] ?? "{}");
const log = createLog((line) => process.stderr.write(`${line}\n`));

try {
  const broker = await startBroker({ ...options, log });
  say({ port: broker.port, url: broker.url, firstInvite: broker.firstInvite });
  process.once("SIGTERM", () => void broker.stop());
  // Whoever started us is gone: nobody would stop us any more.
  process.stdin.resume().once("end", () => void broker.stop());
  await broker.stopped;
  process.exit(0);
} catch (error) {
  say({ error: error.message });
  process.exit(1);
}

function say(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
