import { neutralise } from "@merkle/wire/plain";
import type { Asker } from "../command/ask.js";
import type { AskWhetherMeant } from "./choose-session.js";

export function askWhetherMeant(asker: Asker): AskWhetherMeant {
  return (name, near) => {
    const [wanted, slug, title] = [name, near.slug, near.title].map((each) => neutralise(each));
    return asker.yesOrNo({
      message: `There is no session "${wanted}". Join ${slug}, "${title}", instead of making a new one?`,
      default: true,
    });
  };
}
