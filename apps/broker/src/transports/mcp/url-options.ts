import { MerkleError, type Operation, type Toolset } from "@merkle/wire";
import { operations } from "@merkle/wire/schemas";

/** A client's choices from the address that it was given. */
export interface UrlOptions {
  readonly view: "json" | "compact";
  readonly operations: readonly Operation[];
}

/**
 * Reads `?view=` and `?tools=` (MCP-6, MCP-7).
 *
 * @throws bad_request for values that there are none of, and for a credential, which does not belong into an address
 */
export function readUrlOptions({ searchParams }: URL): UrlOptions {
  if (searchParams.has("team_id")) {
    throw new MerkleError(
      "bad_request",
      "A credential does not belong into a URL, which others see. Send it as the argument team_id or in the header X-Team-ID.",
    );
  }
  return {
    view: readView(searchParams.get("view")),
    operations: chooseOperations(searchParams.get("tools")),
  };
}

function readView(view: string | null): "json" | "compact" {
  if (view === null || view === "json") return "json";
  if (view === "compact") return view;
  throw new MerkleError("bad_request", `There is no view "${view.slice(0, 100)}"; view is json or compact.`);
}

function chooseOperations(tools: string | null): readonly Operation[] {
  if (tools === null) return operations.filter(({ toolset }) => toolset !== "admin");
  const wanted = tools.split(",").map((name) => name.trim());
  const known: ReadonlySet<string> = new Set<Toolset>(operations.map(({ toolset }) => toolset));
  const unknown = wanted.find((name) => !known.has(name));
  if (unknown === undefined) return operations.filter(({ toolset }) => wanted.includes(toolset));
  throw new MerkleError(
    "bad_request",
    `There is no toolset "${unknown.slice(0, 100)}". The toolsets are: ${[...known].join(", ")}; separate several by commas.`,
    { toolsets: [...known] },
  );
}
