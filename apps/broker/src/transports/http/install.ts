import type { HttpBindings } from "@hono/node-server";
import { MerkleError } from "@merkle/wire";
import { isClearText } from "@merkle/wire/text";
import type { Hono } from "hono";
import type { OriginReader, RequestOrigin } from "../../identity/origin/request-origin.js";
import type { Services } from "../services.js";
import { renderInstallScript } from "./install-script.js";
import { toShellSafeUrl } from "./shell-safe-url.js";

export interface InstallOptions {
  readonly originReader: OriginReader;
  readonly services: Pick<Services, "addresses" | "findCertificate" | "log">;
  /** Packs the CLI. If that fails, the next request tries again. */
  readonly packCli: (() => Promise<Uint8Array>) | undefined;
}

const retryAfterS = 2;

/**
 * Serves the broker's own CLI: the script from `GET /install.sh` downloads `GET /cli.tgz` and installs it for
 * the current user (INSTALL-5). Both are served only on loopback or over https, because over plain http anyone
 * on the network could replace the program.
 */
export function mountInstall(app: Hono<{ Bindings: HttpBindings }>, options: InstallOptions): void {
  const { originReader, services } = options;
  const readPackage = packOnce(options);

  app.get("/install.sh", (c) => {
    const { base, isOwn } = findBase(originReader.read(c.env.incoming), services);
    // Starts packing now, so that the package is probably ready when the script requests it.
    readPackage();
    const own = isOwn ? services.findCertificate() : null;
    const pinned = own?.keyPin ? { keyPin: own.keyPin, certificate: own.cert } : null;
    return new Response(renderInstallScript({ base, pinned }), {
      headers: { "content-type": "text/x-shellscript; charset=utf-8", "cache-control": "no-store" },
    });
  });

  app.get("/cli.tgz", (c) => {
    findBase(originReader.read(c.env.incoming), services);
    const bytes = readPackage();
    if (bytes === null) {
      throw new MerkleError("unavailable", `The CLI package is being built. Try again in ${retryAfterS} s.`, {
        retry_after_s: retryAfterS,
        reason: "building",
      });
    }
    return new Response(bytes, {
      headers: { "content-type": "application/gzip", "cache-control": "no-store" },
    });
  });
}

/** Returns a function that returns the package, or null while the package is being built. */
function packOnce({ packCli, services }: InstallOptions): () => Uint8Array<ArrayBuffer> | null {
  let bytes: Uint8Array<ArrayBuffer> | null = null;
  let isBuilding = false;
  return () => {
    if (!packCli) throw new MerkleError("not_found", "This broker was started without a CLI to serve.");
    if (bytes === null && !isBuilding) {
      isBuilding = true;
      packCli()
        .then((packed) => {
          bytes = new Uint8Array(packed);
        })
        .catch((error) => services.log.error("could not pack the CLI", { error }))
        .finally(() => {
          isBuilding = false;
        });
    }
    return bytes;
  };
}

/**
 * Returns the address to which the request was sent.
 *
 * @throws forbidden if the address is neither loopback nor https
 */
function findBase(
  { secure, host, forwardedHost }: RequestOrigin,
  { addresses }: InstallOptions["services"],
): { base: string; isOwn: boolean } {
  const origin = `${secure ? "https" : "http"}://${forwardedHost ?? host ?? ""}`;
  if (!URL.canParse(origin)) throw new MerkleError("bad_request", "The request has no valid host.");
  if (isClearText(origin)) {
    throw new MerkleError(
      "forbidden",
      "The CLI can be installed only over https or on the broker's own machine: over plain http, anyone on the network could replace it.",
    );
  }
  const isOwn = forwardedHost === undefined;
  const configured = addresses.getBaseUrl();
  const isConfigured = URL.canParse(configured) && new URL(configured).origin === new URL(origin).origin;
  // The configured address may include a path at which a proxy serves the broker.
  return { base: toShellSafeUrl(isConfigured ? configured : origin), isOwn };
}
