// The likely mistakes of an exercise, in the form that an editor loads.

import { AppliedMistake } from "../go/exercise.ts";
import { readList } from "../json.ts";
import { siteRoot } from "../site-root.ts";

/** Fetches the mistakes that tools/bookalloc wrote beside the exercise's page; null if they cannot be fetched. */
export async function fetchMistakes(exercise: string): Promise<AppliedMistake[] | null> {
  try {
    const reply = await fetch(`${siteRoot()}exercises/${exercise}/mistakes.json`);
    const json: unknown = reply.ok ? await reply.json() : null;
    return readList(AppliedMistake, json, "name", "files");
  } catch {
    return null;
  }
}
