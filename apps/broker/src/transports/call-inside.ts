import type { InputOf, OperationName, OutputOf } from "@merkle/wire";
import { catalogue } from "@merkle/wire/schemas";
import { dispatch } from "./dispatch.js";
import type { Services } from "./services.js";

/** Calls an operation from within the broker, with the access that any caller admitted to the mesh has. */
export type CallInside = <Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  signal: AbortSignal,
) => Promise<OutputOf<Name>>;

/**
 * Creates a function for calling operations from within the broker. The calls go through `dispatch`, like those of external
 * callers.
 */
export function createCall(services: Services): CallInside {
  const principal = { kind: "anyone", meshId: services.database.meshId } as const;
  return async (name, input, signal) => {
    const reply = await dispatch(services, {
      operation: catalogue[name],
      principal,
      input,
      transport: "websocket",
      view: "json",
      address: "",
      signal,
    });
    reply.confirmWritten?.();
    // The handler's output has the type that its operation declares.
    return reply.output as never;
  };
}
