/**
 * Re-exports the parts of the NATS client that Merkle uses. The package is CommonJS, and a bundle that
 * imports it dynamically would otherwise lose its named exports.
 */
export { connect, credsAuthenticator } from "@nats-io/transport-node";
