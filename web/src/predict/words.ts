// Words for a prediction and its measurement. They compare the two, and do not judge the reader.

import type { Figure, Question } from "../go/book.ts";
import { allocsPerOp, bytesPerOp, count, size } from "../verdict/words.ts";
import type { Prediction } from "./data.ts";

/** Returns "Go 1.26.8" for "go1.26.8". */
export function goName(version: string): string {
  return version.replace(/^go(?=\d)/, "Go ");
}

/** Returns sentences that compare the measurement with the prediction. */
export function agreement({ allocs, bytes, measured }: Prediction, then?: Figure | null): string {
  if (allocs === null) return "Shown without a prediction.";
  const apart = measured.allocs_per_op - allocs;
  const as = then?.allocs_per_op === allocs ? then : null;
  if (bytes === undefined) {
    const difference = count(Math.abs(apart));
    if (difference === "0") return "Measured as you predicted.";
    const words = `Measured ${difference} ${apart > 0 ? "more" : "fewer"} than you predicted`;
    return as ? `${words}, and than ${goName(as.go)} made.` : `${words}.`;
  }
  const allocsWords = comparison(apart, allocsPerOp, "allocs/op");
  return `${allocsWords} ${comparison(measured.bytes_per_op - bytes, bytesPerOp, "B/op")}`;
}

function comparison(apart: number, words: (n: number) => string, unit: string): string {
  const difference = Math.abs(apart);
  if ((unit === "B/op" ? size(Math.floor(difference)) : count(difference)) === "0") return `${unit} as you predicted.`;
  return `Measured ${words(difference)} ${apart > 0 ? "more" : "fewer"} than you predicted.`;
}

/** Returns a sentence with the figures of a release measured after the prediction; "" if they are the same. */
export function since({ measured }: Prediction, { now }: Question): string {
  if (now.go === measured.go && now.platform === measured.platform) return "";
  if (now.allocs_per_op === measured.allocs_per_op && now.bytes_per_op === measured.bytes_per_op) return "";
  return `Measured again since then, with ${goName(now.go)}: ${figure(now)}.`;
}

/** Returns the text that screen readers announce when the figures appear. */
export function readOut(prediction: Prediction, { then }: Question): string {
  const { allocs, bytes, measured } = prediction;
  const yours = allocs === null ? "" : [allocsPerOp(allocs), bytes === undefined ? "" : bytesPerOp(bytes)];
  return [
    yours && `Your prediction: ${yours.filter(Boolean).join(", ")}.`,
    `${goName(measured.go)}: ${figure(measured)}.`,
    then && `${goName(then.go)}: ${figure(then)}.`,
  ]
    .filter(Boolean)
    .join(" ");
}

function figure(f: Figure): string {
  return `${allocsPerOp(f.allocs_per_op)}, ${bytesPerOp(f.bytes_per_op)}`;
}
