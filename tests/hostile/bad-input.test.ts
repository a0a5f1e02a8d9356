import { isSessionOperation, MerkleError, type Operation } from "@merkle/wire";
import { operations as allOperations, readToolInput } from "@merkle/wire/schemas";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { selectShare } from "../kit/exhaustive.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { sendText } from "./send-text.js";
import { buildValidInputs, expectRefusal, expectUnharmed, type Subject, startSubject } from "./subject.js";
import { listTextFields, withValue } from "./text-fields.js";

/**
 * Calls every operation over every transport, with each kind of wrong input that can be derived from the operation's
 * schema. Transports only translate (CAT-4), so the normal suite makes a different third of the calls over each
 * transport. `npm run test:exhaustive` makes all calls over every transport.
 */

let subject: Subject;
const cleanup = createCleanup();
beforeAll(async () => {
  subject = await startSubject(cleanup);
});

/**
 * No caller in these tests is a job's agent, so the operations for jobs refuse every call before they check its input.
 */
const everyOperation = allOperations.filter(({ access }) => access !== "job");
/** Returns whether an operation needs a credential but names no session. */
function isMeshOperation(operation: Operation): boolean {
  return !isSessionOperation(operation) && "team_id" in operation.input.shape && operation.access !== "open";
}

function inputOf(operation: Operation): Record<string, unknown> {
  return { ...Object.entries(buildValidInputs(subject)).find(([name]) => name === operation.name)?.[1] };
}

/** Returns a valid input whose text at this path can be replaced without making any other field wrong. */
function inputAround(operation: Operation, [field, inner]: readonly string[]): Record<string, unknown> {
  const { key, ...input } = inputOf(operation);
  if (operation.name.endsWith("watch_state") && field === "prefix") return input;
  if (inner === "options")
    return { ...input, content: { text: "which?", kind: "ask", options: ["yes", "no"] } };
  return inputOf(operation);
}

/** Returns whether a wrong argument from a model becomes valid by conversion (MCP-22). */
function isMeant(operation: Operation, field: string, value: unknown): boolean {
  return accepts(operation.input, readToolInput(operation, { ...inputOf(operation), [field]: value }));
}

/** Stays below the limit on unanswered requests per connection. */
const atOnce = 32;

/** Expects that all calls are refused with one of the codes, and that nothing has changed. */
async function expectRefusedWith(
  codes: readonly string[],
  calls: readonly [string, () => Promise<unknown>][],
) {
  const before = await subject.readStored();
  for (let first = 0; first < calls.length; first += atOnce) {
    await Promise.all(
      calls.slice(first, first + atOnce).map(async ([what, call]) => {
        const refusal = await expectRefusal(call()).catch((error: unknown) => {
          throw new Error(`${what}: ${error instanceof Error ? error.message : error}`, { cause: error });
        });
        expect(codes, `${what}: ${refusal.message}`).toContain(refusal.code);
      }),
    );
  }
  expect(calls.length).toBeGreaterThan(0);
  expect(await subject.readStored()).toEqual(before);
  await expectUnharmed(subject);
}

function isInQuery(transport: TransportClient, operation: Operation): boolean {
  return transport.name === "rest" && operation.route.startsWith("GET ");
}

/** Returns whether a text field is part of the URL. An empty or unencodable string would produce a different URL. */
function isTextInPath(transport: TransportClient, { route }: Operation, field = ""): boolean {
  return (
    transport.name === "rest" && (field === "session_id" || (field === "name" && route.endsWith("/:name")))
  );
}

/** Returns whether a field is part of the URL. An empty value would produce a different URL. */
function isInPath(transport: TransportClient, { route }: Operation, field: string): boolean {
  return transport.name === "rest" && route.split("/").includes(`:${field}`);
}

it("every operation has an input here that it accepts, so that each test below has one thing wrong", () => {
  for (const operation of everyOperation) {
    expect(operation.input.safeParse(inputOf(operation)).error, operation.name).toBeUndefined();
  }
});

const transportNames = Object.keys(brokerTransports);

describe.each(transportNames)("at %s", (name) => {
  // Operations for humans refuse models before the input is checked (PERSON-11).
  const operations = everyOperation.filter(
    ({ human, notForModels }) =>
      name !== "mcp" || (notForModels !== true && (human === undefined || human === "person")),
  );
  const sessionOperations = operations.filter(isSessionOperation);
  const meshOperations = operations.filter(isMeshOperation);
  const writes = operations.filter((operation) => !operation.readOnly);

  function theTransport(): TransportClient {
    const transport = subject.transports.find((each) => each.name === name);
    if (!transport) throw new TypeError(`There is no transport ${name}.`);
    return transport;
  }

  function itsTurn<Row>(rows: readonly Row[]): readonly Row[] {
    return selectShare(rows, transportNames.indexOf(name), transportNames.length);
  }

  it("[ERR-5] a missing field is answered bad_request that names it", async () => {
    const calls = operations.flatMap((operation) =>
      Object.entries(operation.input.shape)
        .filter(([field, schema]) => !isOptional(schema) && !isTextInPath(theTransport(), operation, field))
        .map(([field]): [string, () => Promise<unknown>] => {
          const { [field]: _left, ...input } = inputOf(operation);
          return [
            `${operation.name} without ${field}`,
            async () => {
              const refusal = await expectRefusal(theTransport().callRaw(operation.name, input));
              expect(JSON.stringify(refusal.details)).toContain(field);
              throw refusal;
            },
          ];
        }),
    );
    await expectRefusedWith(["bad_request"], itsTurn(calls));
  });

  it("[ERR-7] a field of a wrong type is refused, whatever the type", { tags: "long" }, async () => {
    const inJson: unknown[] = [
      null,
      true,
      -1,
      1.5,
      1e300,
      "",
      "x",
      [],
      ["x"],
      {},
      { toString: 1, valueOf: 1 },
      [[[]]],
    ];
    const inQuery = ["", "x", "-1", "1.5", "1e5", "99999999999999999999", "0x10", "[]", "null"];
    const calls = operations.flatMap((operation) =>
      Object.entries(operation.input.shape)
        .filter(([field]) => field !== "team_id" && field !== "session_id")
        .flatMap(([field, schema]) => {
          const wrong = isInQuery(theTransport(), operation)
            ? inQuery.filter(
                (text) => ![text, Number(text), listOf(text)].some((read) => accepts(schema, read)),
              )
            : inJson.filter(
                (value) => !accepts(schema, value) && !(name === "mcp" && isMeant(operation, field, value)),
              );
          // A path can contain only text, so `null` is sent as the valid name "null".
          const sent = isInPath(theTransport(), operation, field)
            ? wrong.filter((value) => value !== "" && !accepts(schema, pathText(value)))
            : wrong;
          return sent.map((value): [string, () => Promise<unknown>] => [
            `${operation.name} with ${field} ${JSON.stringify(value)}`,
            () => theTransport().callRaw(operation.name, { ...inputOf(operation), [field]: value }),
          ]);
        }),
    );
    await expectRefusedWith(["bad_request"], itsTurn(calls));
  });

  it("[CAT-5] a field that the operation does not name is answered bad_request", async () => {
    const strange = ["extra", "__proto__", "constructor", "prototype", "toString", "hasOwnProperty", ""];
    const calls = operations.flatMap((operation) =>
      strange.map((field): [string, () => Promise<unknown>] => [
        `${operation.name} with ${JSON.stringify(field)}`,
        () => {
          const extra: object = JSON.parse(`{${JSON.stringify(field)}: {"polluted": true}}`);
          return theTransport().callRaw(operation.name, { ...inputOf(operation), ...extra });
        },
      ]),
    );
    await expectRefusedWith(["bad_request"], itsTurn(calls));
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("[CAT-5] keys of prototypes within objects are refused as well", async () => {
    const calls = ["__proto__", "constructor", "prototype"].map((key): [string, () => Promise<unknown>] => [
      key,
      () => {
        const content: object = JSON.parse(`{"text": "hello", "${key}": {"polluted": true}}`);
        return theTransport().callRaw("post_message", {
          ...inputOf(operationNamed("post_message")),
          content,
        });
      },
    ]);
    await expectRefusedWith(["bad_request"], itsTurn(calls));
  });

  it("[ERR-2] a session that does not exist is answered not_found", async () => {
    const unknown = [
      "nowhere",
      "00000000-0000-4000-8000-000000000000",
      "__proto__",
      "a\u0000b",
      "x".repeat(5_000),
      "..%2f..%2fetc",
      "%",
      "' OR 1=1 --",
      "💥",
    ];
    const inAll = operations.filter(({ input }) => "session" in input.shape);
    const calls = [...sessionOperations, operationNamed("get_settings")].flatMap((operation) =>
      unknown.map((session_id): [string, () => Promise<unknown>] => [
        `${operation.name} in ${JSON.stringify(session_id.slice(0, 40))}`,
        () => theTransport().callRaw(operation.name, { ...inputOf(operation), session_id }),
      ]),
    );
    for (const operation of inAll) {
      for (const session of unknown) {
        const input = { ...inputOf(operation), session };
        calls.push([operation.name, () => theTransport().callRaw(operation.name, input)]);
      }
    }
    await expectRefusedWith(["not_found", "bad_request"], itsTurn(calls));
  });

  it("[AUTH-3] every credential but one that is in force here is answered unauthorized", async () => {
    const calls = [...sessionOperations, ...meshOperations].flatMap((operation) =>
      Object.entries(subject.badCredentials)
        // A team or peer that has left may rejoin with its old credential (JOIN-5).
        .filter(([what]) => !(operation.name === "join_session" && what.endsWith(" that left")))
        // If a call names no session, a credential for any session is valid, and readers need no credential (MEM-2).
        .filter(([what]) => isSessionOperation(operation) || what !== "one of another session")
        .filter(([what]) => operation.access === "team" || !isSeenInHeader(operation, what))
        .map(([what, team_id]): [string, () => Promise<unknown>] => [
          `${operation.name} with ${what}`,
          () => theTransport().callRaw(operation.name, { ...inputOf(operation), team_id }),
        ]),
    );
    await expectRefusedWith(["unauthorized"], itsTurn(calls));
  });

  it("[AUTH-4] what needs a credential is answered unauthorized without one", async () => {
    const calls = operations
      .filter((operation) => operation.access === "team" && operation.unnamed !== true)
      .map((operation): [string, () => Promise<unknown>] => {
        const { team_id: _none, ...input } = inputOf(operation);
        return [operation.name, () => theTransport().callRaw(operation.name, input)];
      });
    await expectRefusedWith(["unauthorized"], itsTurn(calls));
  });

  it("[AUTH-3] a credential that is no text is answered unauthorized", async () => {
    if (name === "rest") return; // Over REST the credential is a header, so it is always text.
    const values: unknown[] = [1, true, [], {}, [subject.team_id], { toString: 1, valueOf: 1 }, [[[]]]];
    // Over MCP null means absent (MCP-22).
    if (name !== "mcp") values.push(null);
    const calls = [...sessionOperations, ...meshOperations].flatMap((operation) =>
      values.map((team_id): [string, () => Promise<unknown>] => [
        `${operation.name} with ${typeof team_id}`,
        () => theTransport().callRaw(operation.name, { ...inputOf(operation), team_id }),
      ]),
    );
    await expectRefusedWith(["unauthorized"], itsTurn(calls));
  });

  it("[ERR-2] of several mistakes the first in the order answers", async () => {
    const wrong = { team_id: "garbage", content: 1, nonsense: true };
    const bad = { nonsense: true };
    for (const operation of itsTurn(sessionOperations)) {
      const call = (input: object) =>
        expectRefusal(theTransport().callRaw(operation.name, input)).then((refusal) => refusal.code);
      const input = inputOf(operation);
      // Operations for humans refuse all other callers before any further check.
      const isForHumans = input["team_id"] === subject.person_id;
      const team_id = isForHumans ? subject.person_id : subject.closed_team_id;
      const at = { session_id: subject.closed_session_id, team_id };
      expect(await call({ ...input, ...wrong, session_id: "nowhere" }), operation.name).toBe("not_found");
      expect(await call({ ...input, ...wrong }), operation.name).toBe("unauthorized");
      expect(await call({ ...input, ...at, ...wrong }), operation.name).toBe("unauthorized");
      const closed = operation.afterClosing === "refused" ? "session_closed" : "bad_request";
      expect(await call({ ...input, ...at, ...bad }), operation.name).toBe(closed);
      expect(await call({ ...input, ...bad }), operation.name).toBe("bad_request");
    }
  });

  it("[CAT-5] of thousands of fields that the operation does not name, the first are named", async () => {
    const strange = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [`strange_${index}`, index]),
    );
    const calls = operations
      .filter((operation) => !isInQuery(theTransport(), operation))
      .map((operation): [string, () => Promise<unknown>] => [
        operation.name,
        async () => {
          const refusal = await expectRefusal(
            theTransport().callRaw(operation.name, { ...inputOf(operation), ...strange }),
          );
          expect(refusal.message).toContain('"strange_0"');
          expect(refusal.message).toContain("2997 more");
          expect(JSON.stringify(refusal.toBody()).length).toBeLessThan(2_000);
          throw refusal;
        },
      ]);
    await expectRefusedWith(["bad_request"], itsTurn(calls));
  });

  it("[ERR-7] input nested nine thousand levels deep is refused", async () => {
    const calls = operations
      .filter((operation) => !isInQuery(theTransport(), operation))
      .flatMap((operation) =>
        ["extra", ...Object.keys(operation.input.shape).filter((field) => deepened.has(field))].map(
          (field): [string, () => Promise<unknown>] => [
            `${operation.name}, ${field}`,
            () => {
              const text = JSON.stringify({ ...inputOf(operation), [field]: "HERE" });
              const deep = text.replace('"HERE"', "[".repeat(9_000) + "]".repeat(9_000));
              return sendText(name, subject.broker.url, operation, deep);
            },
          ],
        ),
      );
    await expectRefusedWith(["bad_request"], itsTurn(calls));
  });

  it("[FEED-11] a message of any type but chat is answered bad_request", async () => {
    const types: unknown[] = ["system", "chat ", "CHAT", "", "team_joined", "__proto__", 1, ["chat"]];
    // Over MCP null means absent (MCP-22).
    if (name !== "mcp") types.push(null);
    const calls = types.map((type): [string, () => Promise<unknown>] => [
      JSON.stringify(type),
      () => theTransport().callRaw("post_message", { ...inputOf(operationNamed("post_message")), type }),
    ]);
    await expectRefusedWith(["bad_request"], itsTurn(calls));
  });

  it("[FEED-16] [LIMIT-2] blank text is answered bad_request where text has to say something", async () => {
    const blank = ["", " ", "\n\t ", "\u3000", "\u00a0"];
    const fields = [
      ["post_message", ["content", "text"]],
      ["conclude_session", ["summary_section"]],
      ["update_session_metadata", ["reason"]],
      ["update_session_metadata", ["title"]],
      ["create_session", ["title"]],
      ["create_session", ["creator_team_name"]],
      ["join_session", ["team_name"]],
      ["join_session", ["peer_name"]],
      ["join_session", ["role"]],
      ["post_message", ["content", "answer"]],
      ["post_message", ["idempotency_key"]],
      ["send_message", ["message"]],
      ["send_message", ["to"]],
      ["set_status", ["reason"]],
      ["join_group", ["name"]],
      ["set_state", ["key"]],
      ["remember", ["content"]],
      ["remember", ["tags", "[]"]],
      ["forget", ["reason"]],
      ["hold_session", ["reason"]],
    ] as const;
    const taken = fields.filter(([name]) => operations.some((each) => each.name === name));
    const calls = taken.flatMap(([operation, path]) =>
      blank.map((text): [string, () => Promise<unknown>] => [
        `${operation} with ${path.join(".")} ${JSON.stringify(text)}`,
        () => theTransport().callRaw(operation, withValue(inputOf(operationNamed(operation)), path, text)),
      ]),
    );
    await expectRefusedWith(["bad_request"], itsTurn(calls));
  });

  it("[LIMIT-2] names, titles and keys of more than one line are answered bad_request", async () => {
    const several = ["a\nb", "a\rb", "a\u2028b", "a\u2029b", "a\u0007b", "a\u001bb", "a\u0085b", "a\u007fb"];
    const fields = [
      ["create_session", "title"],
      ["create_session", "creator_team_name"],
      ["join_session", "team_name"],
      ["join_session", "peer_name"],
      ["join_session", "role"],
      ["join_session", "machine"],
      ["join_session", "capabilities", "client"],
      ["join_group", "name"],
      ["join_group", "role"],
      ["post_message", "content", "options", "[]"],
      ["set_state", "key"],
      ["remember", "tags", "[]"],
      ["update_session_metadata", "title"],
      ["post_message", "idempotency_key"],
    ] as const;
    const calls = fields.flatMap(([name, ...path]) =>
      several.map((text): [string, () => Promise<unknown>] => [
        `${name} with ${path.join(".")} ${JSON.stringify(text)}`,
        () => theTransport().callRaw(name, withValue(inputAround(operationNamed(name), path), path, text)),
      ]),
    );
    await expectRefusedWith(["bad_request"], itsTurn(calls));
  });

  it("[FEED-12] NUL characters and lone surrogates are answered bad_request in every text of every operation", async () => {
    const calls = operations.flatMap((operation) =>
      listTextFields(operation)
        .filter(([field]) => field !== "session_id" && field !== "team_id")
        .flatMap((path) =>
          // URLs cannot contain lone surrogates, so they are replaced before the request is sent.
          (isInQuery(theTransport(), operation) || isInPath(theTransport(), operation, path[0] ?? "")
            ? ["\u0000"]
            : ["\u0000", "\ud800", "\udc00\ud800"]
          ).map((bad): [string, () => Promise<unknown>] => [
            `${operation.name} with ${path.join(".")} ${JSON.stringify(bad)}`,
            () => {
              const input = inputAround(operation, path);
              return theTransport().callRaw(operation.name, withValue(input, path, `a${bad}b`));
            },
          ]),
        ),
    );
    await expectRefusedWith(["bad_request"], itsTurn(calls));
  });

  it("[AUTH-6] a live credential in any text of any write is answered bad_request, and nothing is stored", async () => {
    const { team_id, other_team_id, closed_team_id, peer_id, person_id } = subject;
    const live = [team_id, other_team_id, closed_team_id, peer_id, person_id];
    const places = writes.flatMap((operation) =>
      listTextFields(operation)
        .filter(([field]) => field !== "session_id" && field !== "team_id")
        .map((path) => [operation, path] as const),
    );
    // The calls take turns using these credentials, because it does not matter which one a call uses.
    const calls = places.map(([operation, path], index): [string, () => Promise<unknown>] => [
      `${operation.name} with one in ${path.join(".")}`,
      () => {
        const text = `x ${live[index % live.length]}`;
        return theTransport().callRaw(operation.name, withValue(inputAround(operation, path), path, text));
      },
    ]);
    await expectRefusedWith(["bad_request"], itsTurn(calls));
  });

  it("[AUTH-6] the answer says that the text held a credential, and does not repeat it", async () => {
    const places = [
      ["post_message", ["content", "text"]],
      ["append_to_session_doc", ["text"]],
      ["update_session_doc", ["content"]],
      ["edit_session_doc", ["new_text"]],
      ["update_session_metadata", ["title"]],
      ["update_session_metadata", ["reason"]],
      ["create_session", ["description"]],
      ["join_session", ["team_name"]],
      ["conclude_session", ["summary_section"]],
      ["post_message", ["content", "options", "[]"]],
      ["post_message", ["content", "answer"]],
      ["send_message", ["message"]],
      ["send_message", ["to"]],
      ["nudge", ["to", "[]"]],
      ["set_summary", ["summary"]],
      ["set_status", ["reason"]],
      ["join_group", ["role"]],
      ["set_state", ["key"]],
      ["set_state", ["value"]],
      ["set_state", ["value", "deep"]],
      ["watch_state", ["prefix"]],
      ["remember", ["content"]],
      ["forget", ["reason"]],
      ["hold_session", ["reason"]],
      ["join_session", ["cwd"]],
      ["join_session", ["capabilities", "client"]],
    ] as const;
    const { other_team_id, peer_id, person_id } = subject;
    const taken = places.filter(([name]) => operations.some((each) => each.name === name));
    for (const [index, [operation, path]] of taken.entries()) {
      const [live = ""] = [other_team_id, peer_id, person_id].slice(index % 3);
      const input = withValue(inputAround(operationNamed(operation), path), path, live);
      const refusal = await expectRefusal(theTransport().callRaw(operation, input));
      expect(refusal.code, operation).toBe("bad_request");
      expect(refusal.message, `${operation} ${path.join(".")}`).toContain("credential");
      expect(JSON.stringify(refusal.toBody())).not.toContain(live.slice(40));
    }
  });

  it("[AUTH-6] a credential that is not in force may be quoted", async () => {
    for (const [what, credential] of Object.entries(subject.deadCredentials)) {
      const { session_id, team_id } = subject;
      const text = `old: ${credential}`;
      const { cursor } = await theTransport().call("post_message", {
        session_id,
        team_id,
        content: { text },
      });
      const page = await theTransport().call("get_history", {
        session_id,
        before_cursor: cursor + 1,
        limit: 1,
      });
      expect(page.messages[0]?.content, what).toEqual({ text });
    }
  });

  it("[AUTH-1] no answer to anybody else holds a credential", async () => {
    const seen: unknown[] = [];
    for (const operation of operations) {
      if (!operation.readOnly || operation.kind !== "call") continue;
      const answer = theTransport()
        .callRaw(operation.name, inputOf(operation))
        // A refusal counts as an answer too.
        .catch((error: unknown) => (error instanceof MerkleError ? error.toBody() : Promise.reject(error)));
      seen.push(await answer);
    }
    expect(JSON.stringify(seen)).not.toContain(subject.team_id.slice(37));
    for (const credential of [subject.other_team_id, subject.peer_id, subject.person_id]) {
      expect(JSON.stringify(seen)).not.toContain(credential.slice(37));
    }
  });

  it("[ERR-7] the largest and smallest numbers are answered as any other", { tags: "long" }, async () => {
    const numbers = [0, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 1e21, -1, -(2 ** 53)];
    for (const operation of operations) {
      const fields = Object.entries(operation.input.shape).filter(
        ([, schema]) => accepts(schema, 1) && !accepts(schema, {}),
      );
      for (const [field] of fields) {
        for (const number of itsTurn(numbers)) {
          const input = { ...inputOf(operation), timeout: 0, [field]: number };
          if (!("timeout" in operation.input.shape)) delete Object(input).timeout;
          if (field === "timeout") Object.assign(input, { timeout: 0 });
          const code = await theTransport()
            .callRaw(operation.name, input)
            .then(
              () => "ok",
              (error: { code?: string }) => error.code,
            );
          // Open mode refuses the operations for managing members.
          const refusals = operation.toolset === "admin" ? ["forbidden"] : [];
          expect(
            ["ok", "bad_request", "not_found", "conflict", ...refusals],
            `${operation.name} ${field} ${number}`,
          ).toContain(code);
        }
      }
    }
    await expectUnharmed(subject);
  });
});

function operationNamed(name: string): Operation {
  const operation = everyOperation.find((each) => each.name === name);
  if (!operation) throw new TypeError(`There is no operation ${name}.`);
  return operation;
}

function listOf(text: string): string[] {
  return text === "" ? [] : text.split(",");
}

function isOptional(schema: unknown): boolean {
  return accepts(schema, undefined);
}

/**
 * True if the credential in the header is ignored, i.e. the operation needs no credential and the team or peer has
 * left.
 */
function isSeenInHeader(operation: Operation, what: string): boolean {
  return isMeshOperation(operation) && what.endsWith(" that left");
}

/** Fields that can contain large or arbitrary values. */
const deepened: ReadonlySet<string> = new Set([
  "content",
  "title",
  "idempotency_key",
  "settings",
  "to",
  "value",
  "groups",
  "tags",
]);

function accepts(schema: unknown, value: unknown): boolean {
  const { safeParse } = Object(schema);
  return safeParse(value).success;
}

/** Returns a value as `fillPath` writes it into a URL. */
function pathText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
