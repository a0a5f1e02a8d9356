/** What somebody pressed, or typed at once. */
export type Key =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "enter" | "backspace" | "clear" | "escape" | "interrupt" };

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are these.
const keys = /\u001b(?:\[[0-9;]*[A-Za-z~]|O.)?|[\u0000-\u001f\u007f]|[^\u0000-\u001f\u007f\u001b]+/g;

/** Takes apart what came from a terminal in raw mode. Arrows and other keys that mean nothing here are left out. */
export function readKeys(input: string): Key[] {
  return (input.match(keys) ?? []).flatMap((each): Key[] => {
    switch (each) {
      case "\r":
      case "\n":
        return [{ is: "enter" }];
      case "\u007f":
      case "\b":
        return [{ is: "backspace" }];
      case "\u0015":
        return [{ is: "clear" }];
      case "\u001b":
        return [{ is: "escape" }];
      case "\u0003":
        return [{ is: "interrupt" }];
      case "\t":
        return [{ is: "text", text: " " }];
      default:
        return each >= " " ? [{ is: "text", text: each }] : [];
    }
  });
}
