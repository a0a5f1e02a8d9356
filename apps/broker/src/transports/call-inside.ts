import type { InputOf, OperationName, OutputOf } from "@merkle/wire";
import { catalogue } from "@merkle/wire/schemas";
import { dispatch } from "./dispatch.js";
import type { Services } from "./services.js";

/** Asks for an operation as anybody does who is let into the mesh. */
export type CallInside = <Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  signal: AbortSignal,
) => Promise<OutputOf<Name>>;

/** Calls operations from within the broker, by the same way as everybody who is let into a mesh. */
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
    reply.written?.();
    // A verb's output is what its operation says.
    return reply.output as never;
  };
}
