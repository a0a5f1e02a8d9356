/**
 * What is used of the client, as a module of our own: the package is CommonJS, of which a bundle that loads it when it is needed
 * would have no names.
 */
export { connect, credsAuthenticator } from "@nats-io/transport-node";
