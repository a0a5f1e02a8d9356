import { unwatchFile, watchFile } from "node:fs";
import type { Log } from "../../core/log.js";
import { type Certificate, type CertificateFiles, readCertificate } from "./certificate.js";

/** The certificate that the broker serves with; a renewed one takes its place by itself. */
export interface HeldCertificate {
  readonly current: Certificate;
  /** Told of each renewed one. */
  onRenewed(listener: (renewed: Certificate) => void): void;
  /** Resolves when no look at the files is under way any more, and none will be. */
  stop(): Promise<void>;
}

export interface HoldCertificateOptions {
  readonly files: CertificateFiles;
  /** Called with each certificate before it is served, the first one included. */
  readonly announce?: ((certificate: Certificate) => Promise<void>) | undefined;
  /** How often the files are looked at. Default 5,000. */
  readonly lookEveryMs?: number | undefined;
  readonly log: Log;
}

const lookEveryMsDefault = 5_000;

/**
 * Reads the certificate, and again whenever one of its files has changed (TLS-4). They are looked at, not listened to: what
 * renews certificates replaces links and folders, of which a watch on a file tells nothing.
 *
 * @throws StartError when the first one cannot be used
 */
export async function holdCertificate(options: HoldCertificateOptions): Promise<HeldCertificate> {
  const { files, announce, lookEveryMs = lookEveryMsDefault, log } = options;
  const listeners: ((renewed: Certificate) => void)[] = [];
  let current = await readCertificate(files);
  await announce?.(current);
  let looking = Promise.resolve();

  async function poll(): Promise<void> {
    try {
      const found = await readCertificate(files);
      if (found.cert === current.cert && found.key === current.key) return;
      await announce?.(found);
      current = found;
      for (const listener of listeners) listener(found);
      log.info("the renewed certificate is in use", { names: found.names, valid_to: found.validTo });
    } catch (error) {
      // Its files are often replaced one after the other; the next change is looked at again.
      const reason = error instanceof Error ? error.message : String(error);
      log.error("the renewed certificate cannot be used; the previous one stays in use", { reason });
    }
  }

  const changed = () => {
    looking = looking.then(poll);
  };
  const paths = [...new Set([files.cert, files.key])];
  for (const path of paths) watchFile(path, { interval: lookEveryMs, persistent: false }, changed);
  return {
    get current() {
      return current;
    },
    onRenewed: (listener) => {
      listeners.push(listener);
    },
    async stop() {
      for (const path of paths) unwatchFile(path, changed);
      await looking;
    },
  };
}
