export interface InstallScriptOptions {
  /** The broker's address, as seen by the machine that runs the script. Safe inside single quotes. */
  readonly base: string;
  /** The broker's own certificate and its key pin. Null if a public authority signed the certificate. */
  readonly pinned: { readonly keyPin: string; readonly certificate: string } | null;
}

/**
 * Returns the script behind `curl … | sh`. The script downloads the package, checks Node, and leaves the rest
 * to the package's own `merkle install --cli`. All code is in a function, so an interrupted download runs
 * nothing.
 */
export function renderInstallScript({ base, pinned }: InstallScriptOptions): string {
  const pin = pinned ? `-k --pinnedpubkey 'sha256//${pinned.keyPin}' ` : "";
  return `#!/bin/sh
# Installs the command merkle for the current user, from the broker at ${base}.
# Undo it with: merkle uninstall --cli
set -eu

fail() {
  printf 'merkle: %s\\n' "$*" >&2
  exit 1
}

install_merkle() {
  command -v node >/dev/null 2>&1 ||
    fail 'Node 20.19 or later is needed, and there is no node on the PATH. Install it from https://nodejs.org, then run this again.'
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
    fail "Node 20.19 or later is needed, and this is $(node --version). Install a newer one from https://nodejs.org, then run this again."
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  trap 'exit 130' INT TERM
  echo 'Downloading merkle from ${base} ...' >&2
  # The broker answers 503 for a few seconds while it builds the package.
  curl -fs ${pin}--retry 30 --retry-delay 2 --retry-max-time 120 -o "$folder/cli.tgz" '${base}/cli.tgz' || {
    # The exit code of curl for a certificate that it does not trust.
    [ $? -ne 60 ] || fail 'curl does not trust the certificate of ${base}. With the file of its authority, run: export CURL_CA_BUNDLE=<file> NODE_EXTRA_CA_CERTS=<file>, then run this again.'
    fail 'Could not download ${base}/cli.tgz. Is the broker running?'
  }
  tar -xzf "$folder/cli.tgz" -C "$folder"
${pinned ? `  cat > "$folder/broker.pem" <<'PEM'\n${pinned.certificate.trim()}\nPEM\n` : ""}  cd "$folder"
  node "$folder/package/bin/merkle.mjs" install --cli --from '${base}'${pinned ? ` --ca "$folder/broker.pem"` : ""} "$@" </dev/null
}

install_merkle "$@"
`;
}
