import { MerkleError, type Operation, type Toolset } from "@merkle/wire";
import { operations } from "@merkle/wire/schemas";

/** A client's options, from the query of the endpoint's URL. */
export interface UrlOptions {
  readonly view: "json" | "compact";
  /** Whether results have `structuredContent` (MCP-17). */
  readonly structured: boolean;
  /** Whether the tool list contains output schemas. */
  readonly describesOutput: boolean;
  readonly operations: readonly Operation[];
}

/**
 * Reads `?view=`, `?structured=` and `?tools=` (MCP-6, MCP-7, MCP-17).
 *
 * @throws bad_request for an unknown value, or for a credential, which must not be in a URL
 */
export function readUrlOptions(
  { searchParams }: URL,
  { isStateless, revision }: ProtocolRevision,
): UrlOptions {
  if (searchParams.has("team_id")) {
    throw new MerkleError(
      "bad_request",
      "A credential must not be in a URL, which others can see. Send it as the argument team_id or in the header X-Team-ID.",
    );
  }
  const view = readView(searchParams.get("view"));
  const structuredParameter = readStructured(searchParams.get("structured"));
  const operations = chooseOperations(searchParams.get("tools"));
  // If a result has structured output, clients show it to the model instead of the text. The compact view is
  // meant for models, so it has no structured output by default.
  const isForProgram = view !== "compact";
  const isOneToolset =
    searchParams.has("tools") && new Set(operations.map((each) => each.toolset)).size === 1;
  const describesOutput = structuredParameter ?? (isForProgram && (isStateless || isOneToolset));
  return {
    view: view ?? ((structuredParameter ?? isStateless) ? "compact" : "json"),
    structured:
      structuredParameter ?? (describesOutput || (isForProgram && (revision ?? "") >= firstStructured)),
    describesOutput,
    operations,
  };
}

/** The protocol revision of a request. */
interface ProtocolRevision {
  /** Whether the request uses the sessionless protocol revision. */
  readonly isStateless: boolean;
  /** The protocol revision named in the header `Mcp-Protocol-Version`. */
  readonly revision?: string | null | undefined;
}

/** The first protocol revision with structured results. */
const firstStructured = "2025-06-18";

function readView(view: string | null): "json" | "compact" | undefined {
  if (view === null) return undefined;
  if (view === "json" || view === "compact") return view;
  throw new MerkleError("bad_request", `view must be json or compact, got "${view.slice(0, 100)}".`);
}

function readStructured(structured: string | null): boolean | undefined {
  if (structured === null) return undefined;
  if (structured === "0" || structured === "1") return structured === "1";
  throw new MerkleError("bad_request", `structured must be 1 or 0, got "${structured.slice(0, 100)}".`);
}

function chooseOperations(tools: string | null): readonly Operation[] {
  if (tools === null) return operations.filter(({ toolset }) => toolset !== "admin");
  const names = tools.split(",").map((name) => name.trim());
  const toolsets: ReadonlySet<string> = new Set<Toolset>(operations.map(({ toolset }) => toolset));
  const unknownToolset = names.find((name) => !toolsets.has(name));
  if (unknownToolset === undefined) return operations.filter(({ toolset }) => names.includes(toolset));
  throw new MerkleError(
    "bad_request",
    `There is no toolset "${unknownToolset.slice(0, 100)}". Known toolsets: ${[...toolsets].join(", ")}. Separate several with commas.`,
    { toolsets: [...toolsets] },
  );
}
