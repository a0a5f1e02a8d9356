import { isObject } from "../core/is-object.js";

/** Removes `arguments: null` from a message, because the protocol's own schemas refuse it. */
export function withoutNullArguments(message: unknown): unknown {
  const { params } = Object(message);
  if (!isObject(params) || params["arguments"] !== null) return message;
  const { arguments: _none, ...others } = params;
  return { ...Object(message), params: others };
}
