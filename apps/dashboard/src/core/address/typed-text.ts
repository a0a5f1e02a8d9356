/** The text of a field that is bound to a URL parameter, and the value that both last had in common. */
export class TypedText {
  #text: string;
  #shared: string;

  constructor(value: string) {
    this.#text = value;
    this.#shared = value;
  }

  type(text: string): void {
    this.#text = text;
  }

  /** Takes over the URL's value, and returns true, unless the field itself wrote that value. */
  receive(value: string): boolean {
    if (value === this.#shared) return false;
    this.#text = value;
    this.#shared = value;
    return true;
  }

  /** Returns the text that the URL lacks, once, or null. */
  takeUnwritten(): string | null {
    if (this.#text === this.#shared) return null;
    this.#shared = this.#text;
    return this.#text;
  }
}
