import type { OperationName } from "@merkle/wire";
import type {
  Admission as AdmissionTo,
  Authenticator as AuthenticatorOf,
} from "../identity/authenticator/authenticator.js";
import type { Meshes as MeshesOf } from "../identity/meshes/meshes.js";
import type { ViewServices } from "../views/services.js";

/**
 * The mesh services that the transports use. Handlers in features need further services, which the features
 * add.
 */
export interface Services extends ViewServices {
  readonly handlers: AnyHandlers;
}

/** A handler for every operation. Unlike in `Handlers`, the context has no exact type. */
export type AnyHandlers = {
  readonly [Name in OperationName]: (ctx: never, input: never) => Promise<unknown>;
};

export type Admission<All extends Services = Services> = AdmissionTo<All>;
export type Authenticator<All extends Services = Services> = AuthenticatorOf<All>;
export type Meshes<All extends Services = Services> = MeshesOf<All>;
