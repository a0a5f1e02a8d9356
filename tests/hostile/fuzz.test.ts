import { isSessionOperation, MerkleError, type Operation } from "@merkle/wire";
import { findOperation, operations } from "@merkle/wire/schemas";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { countRounds } from "../kit/exhaustive.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { buildValidInputs, expectDiscreet, expectUnharmed, type Subject, startSubject } from "./subject.js";
import { TestSocket } from "./test-socket.js";

/**
 * For any input, operation and transport, the answer must be a valid reply or an error from the fixed list, and never
 * an internal error. `npm run test:fuzz` runs for longer. A failure prints the seed and the smallest failing input.
 */
const seconds = Number(process.env["MERKLE_FUZZ_SECONDS"] ?? 0);
const testTimeout = seconds * 1000 + 600_000;

/** Tests a property a fixed number of times, and repeats this until the configured time has passed. */
async function assertForAWhile<Values>(property: fc.IAsyncProperty<Values>): Promise<void> {
  const until = performance.now() + seconds * 1000;
  do await fc.assert(property, { numRuns: countRounds(75) });
  while (performance.now() < until);
}

let subject: Subject;
const cleanup = createCleanup();
beforeAll(async () => {
  subject = await startSubject(cleanup);
});

/** Random strings, and strings that have broken programs before. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.constantFrom(
    "",
    " ",
    "\u0000",
    "\ud800",
    "\udfff\ud800",
    "__proto__",
    "constructor",
    "toString",
    "null",
    "-0",
    "NaN",
  ),
  fc.constantFrom(
    "1e309",
    "9007199254740993",
    "+275760-09-13T00:00:00.000Z_00000000-0000-4000-8000-000000000000",
    "%00",
  ),
  fc.constantFrom(
    "'; DROP TABLE messages; --",
    "\\",
    "%_%",
    "\u202e",
    "\ufeff",
    "http://[::1",
    "http://a\ud800",
  ),
  fc.constantFrom(1_000, 70_000).map((length) => "x".repeat(length)),
);

const number = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -1, 2 ** 31, 2 ** 32, 2 ** 53, 1e21, 1e308, -0),
);

const key = fc.oneof(
  fc.string({ maxLength: 10 }),
  fc.constantFrom("__proto__", "constructor", "prototype", "text", "type"),
);

const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    number,
    text,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
}));

// Operations are chosen by name, so that a counterexample is readable.
const anyOperation = fc.constantFrom(...operations.map((each) => each.name));

function operationNamed(name: string): Operation {
  const operation = findOperation(name);
  if (!operation) throw new TypeError(`There is no operation ${name}.`);
  return operation;
}

/** Returns a valid input for the operation, with up to three random changes. */
function mutatedInput(operation: Operation): fc.Arbitrary<Record<string, unknown>> {
  const fields = [...Object.keys(operation.input.shape), "__proto__", "extra"];
  const change = fc.record({ field: fc.constantFrom(...fields), value: fc.option(json, { nil: undefined }) });
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const input = validInputOf(operation);
    for (const { field, value } of changes) {
      if (value === undefined) delete input[field];
      else
        Object.defineProperty(input, field, { value, enumerable: true, configurable: true, writable: true });
    }
    return input;
  });
}

function validInputOf(operation: Operation): Record<string, unknown> {
  return { ...Object.entries(buildValidInputs(subject)).find(([name]) => name === operation.name)?.[1] };
}

/**
 * Returns whether the transport can carry the input. URLs and tool calls cannot carry some inputs. Bodies and frames
 * are tested below.
 */
function canCarry(transport: TransportClient, operation: Operation, input: unknown): boolean {
  if (transport.name === "websocket") return true;
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  if (!isObject || transport.name === "mcp") return isObject;
  const { session_id = "none", team_id = "none" } = Object(input);
  // Over REST, `session_id` is part of the path and `team_id` is a header.
  if (typeof session_id !== "string") return false;
  const inPath = Array.from(operation.route.matchAll(/:(\w+)/g), ([, name = ""]) => Object(input)[name]);
  if (inPath.some((value) => typeof value === "string" && /\p{Surrogate}/u.test(value))) return false;
  if (typeof team_id !== "string" || !/^[\x20-\x7e]*$/.test(team_id)) return false;
  if (!operation.route.startsWith("GET ")) return true;
  const isFlat = Object.values(input).every((value) => typeof value !== "object");
  return isFlat && encodeURI(toWellFormed(input)).length < 8_000;
}

function toWellFormed(input: unknown): string {
  return (JSON.stringify(input) ?? "").replace(/\p{Surrogate}/gu, "\ufffd");
}

/**
 * Changes an input that would end the session, invalidate its credentials, stop its teams from posting, or
 * make the test wait.
 */
function spare(operation: Operation, input: unknown): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
  const kept: Record<string, unknown> = { ...input };
  if (operation.kind === "wait") kept["timeout"] = 0;
  if (endings.has(operation.name) && operation.input.safeParse(input).success) kept["extra"] = true;
  return kept;
}

const endings: ReadonlySet<string> = new Set([
  "conclude_session",
  "leave_session",
  "rotate_team_credential",
  "hold_session",
  "resume_session",
]);

async function expectProperAnswer(
  transport: TransportClient,
  operation: Operation,
  input: unknown,
): Promise<void> {
  if (!canCarry(transport, operation, input)) return;
  try {
    const output = await transport.callRaw(operation.name, spare(operation, input));
    expect(operation.output.safeParse(output).error, `${operation.name}'s output`).toBeUndefined();
  } catch (error) {
    if (!(error instanceof MerkleError)) throw error;
    expect(error.code).not.toBe("internal");
    expectDiscreet(
      JSON.stringify({ ...error.toBody(), details: undefined }).replaceAll(JSON.stringify(input), ""),
    );
  }
}

describe.each(Object.keys(brokerTransports))("at %s", (name) => {
  function theTransport(): TransportClient {
    const transport = subject.transports.find((each) => each.name === name);
    if (!transport) throw new TypeError(`There is no transport ${name}.`);
    return transport;
  }

  it(
    "[ERR-7] any JSON is answered by any operation",
    async () => {
      const anyCall = fc.tuple(anyOperation, json);
      await assertForAWhile(
        fc.asyncProperty(anyCall, ([called, input]) => {
          const operation = operationNamed(called);
          return expectProperAnswer(theTransport(), operation, addressed(operation, input));
        }),
      );
      await expectUnharmed(subject);
    },
    testTimeout,
  );

  it(
    "[ERR-7] nearly valid input is answered by any operation, and what was acked stays",
    async () => {
      const anyCall = anyOperation.chain((called) =>
        fc.tuple(fc.constant(called), mutatedInput(operationNamed(called))),
      );
      const { session_id, team_id } = subject;
      const acked: { id: string; sequence: number }[] = [];
      await assertForAWhile(
        fc.asyncProperty(anyCall, async ([called, input]) => {
          await expectProperAnswer(theTransport(), operationNamed(called), input);
          if (acked.length >= 300) return;
          const content = { text: `between, ${acked.length}` };
          const { message_id, cursor } = await theTransport().call("post_message", {
            session_id,
            team_id,
            content,
          });
          acked.push({ id: message_id, sequence: cursor });
        }),
      );
      const feed = await readFeed(session_id);
      expect(feed.map((message) => message.sequence)).toEqual(feed.map((_, index) => index + 1));
      for (const { id, sequence } of acked) expect(feed[sequence - 1]?.id).toBe(id);
      await expectUnharmed(subject);
    },
    testTimeout,
  );

  async function readFeed(session_id: string) {
    const feed: { id: string; sequence: number }[] = [];
    for (let before: number | null | undefined; before !== null; ) {
      const page = await theTransport().call("get_history", {
        session_id,
        limit: 500,
        ...(before !== undefined && { before_cursor: before }),
      });
      feed.unshift(...page.messages);
      before = page.next_cursor;
    }
    return feed;
  }
});

/**
 * Puts random fields into a call to an existing session. Otherwise hardly any call would pass the first
 * checks.
 */
function addressed(operation: Operation, input: unknown): unknown {
  if (!isSessionOperation(operation) || typeof input !== "object" || input === null || Array.isArray(input))
    return input;
  const { session_id, team_id } = subject;
  return { ...input, session_id, team_id };
}

describe("the sockets themselves", () => {
  const frame = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: "binary", maxLength: 200 }),
    json.map((value) => JSON.stringify(value) ?? ""),
    fc
      .record(
        {
          type: fc.oneof(
            fc.constantFrom("request", "cancel", "subscribe", "unsubscribe", "ping", "nudged"),
            text,
          ),
          id: fc.oneof(fc.constantFrom(1, "a"), json),
          kind: fc.oneof(fc.constantFrom("inbox", "follow"), json),
          session_id: fc.oneof(fc.constantFrom("mistreated", "nowhere"), json),
          operation: fc.oneof(fc.constantFrom(...operations.map((each) => each.name)), text),
          input: json,
          reached: fc.oneof(fc.constantFrom(["inbox"], []), json),
        },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
  );

  it(
    "[WS-7] any frames are answered, or end their own connection and no other",
    async () => {
      const { broker } = subject;
      const bystander = await TestSocket.open(broker.url);
      const codes = new Set<number>();
      await assertForAWhile(
        fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 5 }), async (frames) => {
          const socket = await TestSocket.open(broker.url);
          for (const each of frames) socket.sendText(each);
          socket.send({ type: "ping", id: "last" });
          const ended = await Promise.race([
            socket.closed,
            socket.replyTo("last").catch(() => socket.closed),
          ]);
          if (typeof ended === "number") codes.add(ended);
          socket.end();
        }),
      );
      expect([...codes].filter((code) => ![4400, 1007].includes(code))).toEqual([]);
      bystander.send({ type: "ping", id: 1 });
      expect(await bystander.replyTo(1)).toHaveProperty("output");
      await expectUnharmed(subject);
    },
    testTimeout,
  );

  it(
    "[ERR-7] any body and any query are answered by JSON, with a status that fits",
    async () => {
      const body = fc.oneof(
        fc.string({ unit: "binary", maxLength: 200 }),
        json.map((value) => JSON.stringify(value) ?? ""),
      );
      const query = fc.array(fc.tuple(key, text), { maxLength: 3 });
      // Excludes operations that would end the team or its credential even with an empty body.
      const others = operations.filter(
        ({ readOnly, input }) => readOnly || !input.safeParse({ session_id: "x" }).success,
      );
      const request = fc.tuple(fc.constantFrom(...others.map((each) => each.name)), body, query);
      await assertForAWhile(
        fc.asyncProperty(request, async ([called, text, query]) => {
          const operation = operationNamed(called);
          const [method = "GET", path = ""] = operation.route.split(" ");
          const url = new URL(path.replace(/:\w+/g, "mistreated"), subject.broker.url);
          for (const [name, value] of query) url.searchParams.append(name, value.slice(0, 1_000));
          if (operation.kind === "wait") url.searchParams.append("timeout", "0");
          const response = await fetch(url, {
            method,
            headers: { "content-type": "application/json", "x-team-id": subject.team_id },
            ...(method === "GET" ? {} : { body: text }),
          });
          expect(response.headers.get("content-type")).toBe("application/json");
          const answer = Object(await response.json());
          if (!response.ok) expect(new MerkleError(answer.error.code, "").status).toBe(response.status);
          expect(response.status).not.toBe(500);
        }),
      );
      await expectUnharmed(subject);
    },
    testTimeout,
  );
});
