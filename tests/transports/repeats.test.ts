import { randomUUID } from "node:crypto";
import { operations } from "@merkle/wire/schemas";
import { expect, it } from "vitest";
import { buildValidInputs, createSampleSession } from "../hostile/subject.js";
import { startTestBroker } from "../kit/test-broker.js";
import { brokerTransports } from "../kit/transports.js";

/** Operations that end the caller's team or session. They are called last. */
const ending = ["conclude_session", "leave_session"];
/**
 * Operations that store nothing with the inputs in this test, so a repeated call recomputes the result instead of
 * returning a stored one: a dry run, and unarchiving a session that is not archived.
 */
const measuring = ["collect_garbage", "unarchive_session"];

it("[IDEM-1] every operation that is repeated with its key returns its first result", async () => {
  const { url } = await startTestBroker({ rateLimits: "off" });
  const client = await brokerTransports.rest(url);
  const place = await createSampleSession(client);
  const inputs: Readonly<Record<string, object>> = buildValidInputs(place);
  const names = operations
    .filter(({ readOnly, teamCredential }) => !readOnly && teamCredential !== "replaced")
    .map(({ name }) => name)
    .filter((name) => ![...ending, ...measuring].includes(name));
  const repeated: string[] = [];
  for (const name of [...names, ...ending]) {
    const input = { ...inputs[name], idempotency_key: randomUUID() };
    const first = await client.callRaw(name, input).catch(() => null);
    // Some operations are refused here, such as invites in open mode. Other tests cover their repetition.
    if (first === null) continue;
    expect(await client.callRaw(name, input), name).toEqual(withPresentRoster(first));
    repeated.push(name);
  }
  expect(repeated).toEqual(
    expect.arrayContaining(["set_state", "claim_task", "decide_proposal", "open_demo_room", ...ending]),
  );
});

/** The result of a call, in which the roster of a joining may have changed since. */
function withPresentRoster(result: unknown): unknown {
  const hasRoster = typeof result === "object" && result !== null && "participants" in result;
  return hasRoster ? { ...result, participants: expect.any(Array) } : result;
}
