import { MerkleError, type Operation, type Toolset } from "@merkle/wire";
import { operations } from "@merkle/wire/schemas";

/** A client's choices from the address that it was given. */
export interface UrlOptions {
  readonly view: "json" | "compact";
  /** Whether results have `structuredContent` (MCP-17). */
  readonly structured: boolean;
  /** Whether the list says of what form that is. */
  readonly describesOutput: boolean;
  readonly operations: readonly Operation[];
}

/**
 * Reads `?view=`, `?structured=` and `?tools=` (MCP-6, MCP-7, MCP-17).
 *
 * @throws bad_request for values that there are none of, and for a credential, which does not belong into an address
 */
export function readUrlOptions({ searchParams }: URL, { stateless, revision }: Speaking): UrlOptions {
  if (searchParams.has("team_id")) {
    throw new MerkleError(
      "bad_request",
      "A credential must not be in a URL, which others can see. Send it as the argument team_id or in the header X-Team-ID.",
    );
  }
  const view = readView(searchParams.get("view"));
  const asked = readStructured(searchParams.get("structured"));
  const operations = chooseOperations(searchParams.get("tools"));
  // Clients show a model the structure in place of the text: who asks for that of a model is given no other.
  const isForProgram = view !== "compact";
  const isOneToolset =
    searchParams.has("tools") && new Set(operations.map((each) => each.toolset)).size === 1;
  const describesOutput = asked ?? (isForProgram && (stateless || isOneToolset));
  return {
    view: view ?? ((asked ?? stateless) ? "compact" : "json"),
    structured: asked ?? (describesOutput || (isForProgram && (revision ?? "") >= firstStructured)),
    describesOutput,
    operations,
  };
}

/** The revision of the protocol that a request is of. */
interface Speaking {
  /** Whether it is the one without sessions. */
  readonly stateless: boolean;
  /** As the header `Mcp-Protocol-Version` names it. */
  readonly revision?: string | null | undefined;
}

/** The first revision that knows structured results. */
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
  const wanted = tools.split(",").map((name) => name.trim());
  const known: ReadonlySet<string> = new Set<Toolset>(operations.map(({ toolset }) => toolset));
  const unknown = wanted.find((name) => !known.has(name));
  if (unknown === undefined) return operations.filter(({ toolset }) => wanted.includes(toolset));
  throw new MerkleError(
    "bad_request",
    `There is no toolset "${unknown.slice(0, 100)}". Known toolsets: ${[...known].join(", ")}. Separate several with commas.`,
    { toolsets: [...known] },
  );
}
