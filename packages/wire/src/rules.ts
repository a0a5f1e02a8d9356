import { operationRules } from "./features.js";
import type { HttpMethod, OperationRules } from "./operations/operation-rules.js";

export { operationRules };

export type OperationName = keyof typeof operationRules;

/** The rules of an operation, which are known without its schemas. */
export function rulesOf(name: OperationName): OperationRules {
  return operationRules[name];
}

/** The operation's method, and its path, in which `:session_id` and the like stand for inputs. */
export function routeOf(name: OperationName): { readonly method: HttpMethod; readonly path: string } {
  const [method, path] = operationRules[name].route.split(" ") as [HttpMethod, string]; // Every route is written so.
  return { method, path };
}

/** An operation's path with what it stands for filled in, and those inputs that are not in it. */
export function fillPath(
  template: string,
  input: Readonly<Record<string, unknown>>,
): { readonly path: string; readonly rest: Readonly<Record<string, unknown>> } {
  const rest = { ...input };
  const path = template.replace(/:(\w+)/g, (_all, name: string) => {
    delete rest[name];
    const value = input[name];
    // A value that belongs in no path is sent all the same, for the broker to refuse.
    return encodeURIComponent(typeof value === "object" ? JSON.stringify(value) : String(value));
  });
  return { path, rest };
}
