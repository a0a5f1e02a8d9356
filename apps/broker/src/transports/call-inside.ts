import { catalogue } from "@merkle/wire/schemas";
import type { Call } from "../views/demo/play-room.js";
import { dispatch } from "./dispatch.js";
import type { Services } from "./services.js";

/** Calls operations from within the broker, by the same way as everybody who is let into a mesh. */
export function createCall(services: Services): Call {
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
