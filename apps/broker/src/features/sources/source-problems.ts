/**
 * Thrown if the files of a root cannot be used at the moment. The message is for the person who configured
 * the root.
 */
export class RootProblem extends Error {
  override readonly name = "RootProblem";
}

/** Thrown if a file does not exist or is not suitable. */
export class NoSource extends Error {
  override readonly name = "NoSource";
}

/** Thrown if the text to be replaced has changed, or if the repository is in use. */
export class NotCurrent extends Error {
  override readonly name = "NotCurrent";
}
