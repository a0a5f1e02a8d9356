import { errorCodes } from "@merkle/wire";
import { type catalogue, operations } from "@merkle/wire/schemas";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { createOpenApi } from "./openapi.js";

const options = { baseUrl: "https://merkle.example:7500", version: "1.2.3" };

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly $ref?: string;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: { readonly "application/json": { readonly schema: ObjectSchema } };
  };
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, unknown>> }>
  >;
  readonly security: readonly object[];
  readonly "x-rate-class": string;
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

// `createOpenApi` returns plain JSON. This type contains the parts that the tests read.
const document = createOpenApi(options) as {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>;
    readonly responses: Readonly<Record<string, { readonly description: string }>>;
  };
};

const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, each]) => ({ route: `${method.toUpperCase()} ${path}`, ...each })),
);

function find(name: keyof typeof catalogue): DescribedOperation {
  const operation = described.find((each) => each.operationId === name);
  if (!operation) throw new Error(`${name} is not in the document.`);
  return operation;
}

const parameterNames = (name: keyof typeof catalogue, parameterLocation: string) =>
  find(name)
    .parameters?.filter((each) => each.in === parameterLocation)
    .map((each) => each.name);

const refersTo = (name: keyof typeof catalogue, parameter: string) =>
  find(name).parameters?.some((each) => each.$ref === `#/components/parameters/${parameter}`) ?? false;

const bodyOf = (name: keyof typeof catalogue) => find(name).requestBody?.content["application/json"].schema;

describe("createOpenApi", () => {
  it("[OPS-4] is a valid OpenAPI 3.1 document", async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone({ ...document }));
    expect(result).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("[OPS-4] has exactly the routes of the catalogue, each under its operation's name, toolset and rate class", () => {
    expect(
      described.map((each) => [each.route, each.operationId, each.tags, each["x-rate-class"]]).sort(),
    ).toEqual(
      operations
        .map((each) => [each.route.replace(/:(\w+)/g, "{$1}"), each.name, [each.toolset], each.rate])
        .sort(),
    );
  });

  it("[OPS-4] refers only to what it holds", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, ref = ""]) => ref,
    );
    expect(references.length).toBeGreaterThan(0);
    for (const reference of new Set(references)) {
      const [root, ...steps] = reference.split("/");
      expect(root, reference).toBe("#");
      const target = steps.reduce<unknown>(
        (value, step) => (typeof value === "object" && value !== null ? Reflect.get(value, step) : undefined),
        document,
      );
      expect(target, reference).toBeDefined();
    }
  });

  it("[OPS-4] is the same document each time, for the address that it is made for", () => {
    expect(JSON.stringify(createOpenApi(options))).toBe(JSON.stringify(document));
    expect(document.servers).toEqual([{ url: options.baseUrl }]);
  });

  it("[REST-1] puts the session into the path, and the rest of the input into query or body", () => {
    expect(parameterNames("get_history", "path")).toEqual(["session_id"]);
    expect(parameterNames("get_history", "query")).toEqual([
      "before_cursor",
      "after_cursor",
      "around",
      "at",
      "limit",
      "types",
      "kinds",
      "team",
      "q",
      "thread",
      "epoch",
    ]);
    expect(find("get_history").requestBody).toBeUndefined();

    expect(parameterNames("post_message", "path")).toEqual(["session_id"]);
    expect(parameterNames("post_message", "query")).toEqual([]);
    expect(Object.keys(bodyOf("post_message")?.properties ?? {})).toEqual([
      "content",
      "to",
      "priority",
      "reply_to",
      "type",
      "own",
      "team_id",
      "idempotency_key",
    ]);
    expect(bodyOf("post_message")?.required).toEqual(["content"]);
    expect(find("leave_session").requestBody?.required).toBe(false);
  });

  it("[REST-1] leaves session_id in query and body where the path has none", () => {
    expect(parameterNames("get_settings", "query")).toEqual(["session_id"]);
    expect(Object.keys(bodyOf("update_settings")?.properties ?? {})).toContain("session_id");
  });

  it("[REST-3] says that a list in a query is one parameter with commas, and leaves one in a body a list", () => {
    const tags = (name: keyof typeof catalogue) =>
      find(name).parameters?.find((each) => each.name === "tags");
    expect(tags("recall")).toMatchObject({ style: "form", explode: false, schema: { type: "array" } });
    expect(bodyOf("remember")?.properties["tags"]).toMatchObject({ type: "array" });
  });

  it("[AUTH-2] never asks for a credential in a query", () => {
    expect(described.flatMap((each) => each.parameters ?? []).map((each) => each.name)).not.toContain(
      "team_id",
    );
  });

  it("[AUTH-4] asks for a credential where the operation does", () => {
    expect(find("create_session").security).toEqual([]);
    expect(find("get_app_info").security).toEqual([]);
    expect(find("get_session").security).toEqual([{}, { TeamCredential: [] }]);
    expect(find("join_session").security).toEqual([{}, { TeamCredential: [] }]);
    expect(find("wait_for_messages").security).toEqual([{ TeamCredential: [] }]);
    expect(find("remember").security).toEqual([{ TeamCredential: [] }]);
  });

  it("[IDEM-1] offers a key with every operation that changes something, and with no other", () => {
    for (const each of operations) {
      const name = each.name as keyof typeof catalogue;
      expect(refersTo(name, "IdempotencyKey"), name).toBe(!each.readOnly);
    }
  });

  it("[ERR-1] lists every operation's own errors and the common ones, by status", () => {
    for (const each of operations) {
      const { responses } = find(each.name as keyof typeof catalogue);
      for (const code of [...each.errors, "internal", "unavailable"] as const) {
        const reference = responses[errorCodes[code].status]?.$ref ?? "";
        const response = document.components.responses[reference.replace("#/components/responses/", "")];
        expect(response?.description, `${each.name} ${code}`).toContain(`\`${code}\``);
      }
    }
    expect(Object.keys(find("create_session").responses)).toEqual([
      "200",
      "400",
      "401",
      "404",
      "409",
      "413",
      "429",
      "500",
      "503",
    ]);
  });

  it("[WAIT-10] describes the wait's stream, and no other operation's", () => {
    const streaming = described.filter((each) => each.responses["200"]?.content?.["text/event-stream"]);
    expect(streaming.map((each) => each.operationId)).toEqual(["wait_for_messages"]);
    expect(refersTo("wait_for_messages", "LastEventID")).toBe(true);
  });

  it("[CAT-1] names shared schemas once", () => {
    expect(Object.keys(document.components.schemas).sort()).toEqual(
      [
        "Agent",
        "AgentTalk",
        "AgentWait",
        "AlertKind",
        "AlertTarget",
        "AlertTo",
        "Anchor",
        "Approval",
        "Attachment",
        "AttentionItem",
        "AttentionItemOfFile",
        "AttentionItemOfMesh",
        "AttentionItemOfSession",
        "AuditKey",
        "AuditSession",
        "BriefLine",
        "BrokerSettings",
        "Checkout",
        "Claim",
        "DocumentVersion",
        "Error",
        "Hold",
        "Hunk",
        "Job",
        "ListedProgressEntry",
        "Memory",
        "MerkleRoot",
        "Message",
        "ModelUsage",
        "Participant",
        "Peer",
        "Persona",
        "Perspective",
        "Place",
        "PresentTeam",
        "ProgressEntry",
        "Proposal",
        "ProposalInFull",
        "Quota",
        "QuotaKind",
        "RateLimit",
        "RecipientState",
        "Redaction",
        "ReportedCheckout",
        "RunnerFacts",
        "ScopeClaim",
        "Session",
        "SessionBrief",
        "SessionFile",
        "SessionSettings",
        "SignedHead",
        "StateEntry",
        "Task",
        "ThoughtRecord",
        "Topic",
        "TopicMessage",
        "UsageRow",
        "WitnessPolicy",
      ].sort(),
    );
    expect(JSON.stringify(document)).not.toContain("$defs");
  });
});
