/**
 * A broker process that the fault campaign can kill. It runs the built broker and prints one line: its address, or why
 * it did not start.
 */
import { createLog, startBroker } from "@merkle/broker";

const options = JSON.parse(process.argv[2] ?? "{}");
const log = createLog((line) => process.stderr.write(`${line}\n`));

try {
  const broker = await startBroker({ ...options, log });
  say({ port: broker.port, url: broker.url, firstInvite: broker.firstInvite });
  process.once("SIGTERM", () => void broker.stop());
  // stdin ends when the parent process exits, so the broker cannot outlive the test.
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
