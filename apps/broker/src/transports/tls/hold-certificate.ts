import { unwatchFile, watchFile } from "node:fs";
import type { Log } from "../../core/log.js";
import { type Certificate, type CertificateFiles, readCertificate } from "./certificate.js";

/** The certificate that the broker currently serves, which is renewed automatically when its files change. */
export interface HeldCertificate {
  readonly current: Certificate;
  /** Called with each renewed certificate. */
  onRenewed(listener: (renewed: Certificate) => void): void;
  /** Stops checking the files. Resolves once no check is running. */
  stop(): Promise<void>;
}

export interface HoldCertificateOptions {
  readonly files: CertificateFiles;
  /** Called with each certificate before it is served, including the first. */
  readonly announce?: ((certificate: Certificate) => Promise<void>) | undefined;
  /** Interval in milliseconds at which the files are checked (default: 5,000). */
  readonly pollIntervalMs?: number | undefined;
  readonly log: Log;
}

const pollIntervalMsDefault = 5_000;

/**
 * Reads the certificate, and reads it again when one of its files has changed (TLS-4). The files are polled,
 * because tools that renew certificates replace links and folders, which a file watcher does not report.
 *
 * @throws StartError if the first certificate cannot be used
 */
export async function holdCertificate(options: HoldCertificateOptions): Promise<HeldCertificate> {
  const { files, announce, pollIntervalMs = pollIntervalMsDefault, log } = options;
  const listeners: ((renewed: Certificate) => void)[] = [];
  let current = await readCertificate(files);
  await announce?.(current);
  let polling = Promise.resolve();

  async function poll(): Promise<void> {
    try {
      const certificate = await readCertificate(files);
      if (certificate.cert === current.cert && certificate.key === current.key) return;
      await announce?.(certificate);
      current = certificate;
      for (const listener of listeners) listener(certificate);
      log.info("the renewed certificate is in use", {
        names: certificate.names,
        valid_to: certificate.validTo,
      });
    } catch (error) {
      // The certificate and key files are often replaced one after another, so they may not match yet. The next
      // change triggers another attempt.
      const reason = error instanceof Error ? error.message : String(error);
      log.error("the renewed certificate cannot be used; the previous one stays in use", { reason });
    }
  }

  const onChange = () => {
    polling = polling.then(poll);
  };
  const paths = [...new Set([files.cert, files.key])];
  for (const path of paths) watchFile(path, { interval: pollIntervalMs, persistent: false }, onChange);
  return {
    get current() {
      return current;
    },
    onRenewed: (listener) => {
      listeners.push(listener);
    },
    async stop() {
      for (const path of paths) unwatchFile(path, onChange);
      await polling;
    },
  };
}
