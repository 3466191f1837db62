// Prediction and measurement in words. Nothing here touches the page, and nothing here judges.

import { allocsPerOp, bytesPerOp, count } from "../verdict/words.ts";
import type { Figure, Prediction, Question } from "./data.ts";

/** "Go 1.26.8" of "go1.26.8" */
export function goName(version: string): string {
  return version.replace(/^go(?=\d)/, "Go ");
}

/** How the measurement compares with the prediction: a sentence. */
export function agreement({ allocs, measured }: Prediction, then: Figure | null): string {
  if (allocs === null) return "Shown without a prediction.";
  const apart = measured.allocs_per_op - allocs;
  const difference = count(Math.abs(apart));
  if (difference === "0") return "As measured.";
  const words = `Measured ${difference} ${apart > 0 ? "more" : "fewer"} than you expected`;
  return then?.allocs_per_op === allocs ? `${words}, and than ${goName(then.go)} made.` : `${words}.`;
}

/** What a release measures that came after the prediction; "" where it measures the same. */
export function since({ measured }: Prediction, { now }: Question): string {
  if (now.go === measured.go && now.platform === measured.platform) return "";
  if (now.allocs_per_op === measured.allocs_per_op && now.bytes_per_op === measured.bytes_per_op) return "";
  return `Measured again since, with ${goName(now.go)}: ${figure(now)}.`;
}

/** All of it, to be read out. */
export function readOut(prediction: Prediction, { then }: Question): string {
  const { allocs, measured } = prediction;
  return [
    allocs === null ? "" : `Your prediction: ${allocsPerOp(allocs)}.`,
    `${goName(measured.go)}: ${figure(measured)}.`,
    then && `${goName(then.go)}: ${figure(then)}.`,
  ]
    .filter(Boolean)
    .join(" ");
}

function figure(f: Figure): string {
  return `${allocsPerOp(f.allocs_per_op)}, ${bytesPerOp(f.bytes_per_op)}`;
}
