import type { OwnWordsPart } from "../../identity/own-words.js";
import { bindLaunch, unbindLaunch } from "./own-launch.js";
import { acceptsAnswer, recogniseOwnWords } from "./recognise.js";
import { signAnswer, signPost } from "./sign-post.js";

export const ownWords: OwnWordsPart = {
  bind: bindLaunch,
  unbind: unbindLaunch,
  sign: signPost,
  signAnswer,
  acceptsAnswer: (answer, own, reader) => acceptsAnswer(answer, own, { ...reader, now: new Date() }),
  recognise: (message, reader) => recogniseOwnWords(message, { ...reader, now: new Date() }),
};
