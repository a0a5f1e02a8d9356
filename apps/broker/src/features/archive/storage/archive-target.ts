import { isInnerAddress } from "../../../core/inner-addresses.js";
import { StartError } from "../../../core/start-error.js";

/** The configured object storage for archives, with its credentials. */
export interface ArchiveOptions {
  /**
   * For example `s3://bucket/prefix?region=eu-central-1&endpoint=https://s3.example.com`. The default
   * endpoint is Amazon S3.
   */
  readonly url: string;
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  readonly sessionToken: string | undefined;
}

/** The parsed and validated object storage settings. */
export interface ArchiveTarget {
  readonly endpoint: URL;
  readonly bucket: string;
  /** Prefix of every object key. Empty, or ends with a slash. */
  readonly prefix: string;
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

/** @throws StartError `bad_setting`, which names the variable but never its value */
export function parseArchiveTarget(options: ArchiveOptions): ArchiveTarget {
  const { accessKeyId, secretAccessKey, sessionToken } = options;
  const url = URL.canParse(options.url) ? new URL(options.url) : null;
  if (url?.protocol !== "s3:" || url.hostname === "" || url.username !== "" || url.password !== "") {
    throw badSetting(
      "must be s3://bucket/prefix?region=…&endpoint=https://…, and the keys must be set separately",
    );
  }
  const unknown = [...url.searchParams.keys()].filter((name) => name !== "region" && name !== "endpoint");
  if (unknown.length > 0) throw badSetting(`accepts only region and endpoint, not ${unknown.join(", ")}`);
  if (!accessKeyId || !secretAccessKey)
    throw badSetting("also needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  const region = url.searchParams.get("region") ?? "us-east-1";
  const folder = url.pathname.split("/").filter((part) => part !== "");
  return {
    endpoint: parseEndpoint(url.searchParams.get("endpoint") ?? `https://s3.${region}.amazonaws.com`),
    bucket: url.hostname,
    prefix: folder.map((part) => `${decodeURIComponent(part)}/`).join(""),
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) },
  };
}

/**
 * Parses the storage endpoint. Allows http only for this machine and private networks, because the
 * data would be sent unencrypted.
 */
function parseEndpoint(text: string): URL {
  const endpoint = URL.canParse(text) ? new URL(text) : null;
  if (endpoint?.pathname !== "/" || endpoint.search !== "" || !/^https?:$/.test(endpoint.protocol))
    throw badSetting("must have an endpoint of the form https://host:port");
  const host = endpoint.hostname.replace(/^\[|\]$/g, "");
  if (endpoint.protocol === "https:" || host === "localhost" || isInnerAddress(host)) return endpoint;
  throw badSetting(
    "has an http:// endpoint on another network, so anyone along the way could read the data; use https://",
  );
}

function badSetting(problem: string): StartError {
  return new StartError("bad_setting", `MERKLE_ARCHIVE_URL ${problem}.`);
}
