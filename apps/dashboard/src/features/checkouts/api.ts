/** The parts of checkouts that other features use. */
export { CheckoutLine } from "./checkout-line";
export { findPeerCheckout, findTaskCheckout, useAllCheckouts, useCheckouts } from "./use-checkouts";
