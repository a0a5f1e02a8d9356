import { operationRules } from "./features.js";
import type { HttpMethod, OperationRules } from "./operations/operation-rules.js";

export { operationRules };

export type OperationName = keyof typeof operationRules;

/** Returns the rules of an operation, without loading its schemas. */
export function getOperationRules(name: OperationName): OperationRules {
  return operationRules[name];
}

/**
 * Returns the method and path of an operation. Placeholders in the path, such as `:session_id`, stand for
 * inputs.
 */
export function getOperationRoute(name: OperationName): {
  readonly method: HttpMethod;
  readonly path: string;
} {
  const [method, path] = operationRules[name].route.split(" ") as [HttpMethod, string]; // All routes have this format.
  return { method, path };
}

/** Fills the placeholders in a path. Returns the path and the inputs that were not used. */
export function fillPath(
  template: string,
  input: Readonly<Record<string, unknown>>,
): { readonly path: string; readonly rest: Readonly<Record<string, unknown>> } {
  const rest = { ...input };
  const path = template.replace(/:(\w+)/g, (_all, name: string) => {
    delete rest[name];
    const value = input[name];
    // An unsuitable value is sent anyway, so that the broker can refuse it with a clear error.
    return encodeURIComponent(typeof value === "object" ? JSON.stringify(value) : String(value));
  });
  return { path, rest };
}
