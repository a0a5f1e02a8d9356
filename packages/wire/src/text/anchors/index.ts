/** Places in a text that follow it through its changes. Nothing here needs more than a browser has. */
export { contextOf, locateQuote, type Marked, type Span } from "./locate-quote.js";
export { occurrences } from "./occurrences.js";
export { type Anchored, type Reanchored, reanchor, startReanchoring } from "./reanchor.js";
