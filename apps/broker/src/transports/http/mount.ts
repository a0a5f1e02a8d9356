import type { HttpBindings } from "@hono/node-server";
import type { Hono } from "hono";
import type { Services } from "../services.js";
import type { Admit } from "./admit.js";
import type { BodyReader } from "./read-json-body.js";

/**
 * Adds a feature's own routes to the broker's HTTP server, in addition to the routes of operations.
 */
export type MountRoutes<All extends Services> = (
  app: Hono<{ Bindings: HttpBindings }>,
  parts: MountParts<All>,
) => void;

export interface MountParts<All extends Services> {
  /** The services of the main mesh. */
  readonly services: All;
  readonly admit: Admit<All>;
  readonly bodies: BodyReader;
}
