/** The parts of checkouts that other features use. */
export { CheckoutLine } from "./checkout-line";
export { findPeerCheckout, findTaskCheckout, useCheckouts } from "./use-checkouts";
