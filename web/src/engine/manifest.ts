// The engine's manifest, which tools/engine writes: the parts of the engine and their sizes.

import { ENGINE_SCHEMA, Manifest as ManifestFile, type Part } from "../go/engine.ts";
import { read } from "../json.ts";

export type { Part };

export const PARTS = ["compile", "link", "page", "std", "exec"] as const;

export type PartName = (typeof PARTS)[number];

/**
 * A manifest of this schema that has all parts. Their files are in its folder; their compressed copies have ".br" and
 * ".gz" appended.
 */
export type Manifest = Omit<ManifestFile, "schema" | "parts"> & { parts: Record<PartName, Part> };

/** Reads a manifest; null if the JSON is something else, lacks a part, or names a file of another folder. */
export function readManifest(json: unknown): Manifest | null {
  const file = read(ManifestFile, json, "schema", "go", "parts");
  if (file?.schema !== ENGINE_SCHEMA || !hasAllParts(file.parts)) return null;
  const { schema: _, ...manifest } = file;
  return { ...manifest, parts: file.parts };
}

function hasAllParts(parts: Record<string, Part>): parts is Record<PartName, Part> {
  return PARTS.every((name) => /^[\w.-]+$/.test(parts[name]?.file ?? ""));
}

/** How a part is compressed when it is sent: as its copy of that name, or not at all (""). */
export type Coding = "br" | "gz" | "";

/** Returns the number of bytes that are fetched for all parts. */
export function transferSize(manifest: Manifest, coding: Coding): number {
  return PARTS.reduce((sum, name) => sum + transferOf(manifest.parts[name], coding), 0);
}

export function transferOf(part: Part, coding: Coding): number {
  return (coding && part[coding]) || part.size;
}
