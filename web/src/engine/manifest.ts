// The engine's manifest, which tools/engine writes: the parts of the engine and their sizes.

import { ENGINE_SCHEMA, Manifest as ManifestFile, type Part } from "../go/engine.ts";
import { read } from "../json.ts";

export type { Part };

export const PARTS = ["compile", "link", "page", "std", "exec"] as const;

export type PartName = (typeof PARTS)[number];

export interface Part {
  /** Its name in the manifest's folder. Compressed copies have ".br" and ".gz" appended. */
  file: string;
  /** Bytes of the part and of its compressed copies. */
  size: number;
  br: number;
  gz: number;
}

export interface Manifest {
  /** The release of Go, "go1.26.8". */
  go: string;
  godebug: string;
  /** The import paths of the packages that programs may import. */
  imports: string[];
  parts: Record<PartName, Part>;
}

const SCHEMA = "onthestack/engine/1";

/** Reads a manifest; null if it is malformed or of another schema. */
export function readManifest(json: unknown): Manifest | null {
  if (!isFields(json) || json["schema"] !== SCHEMA) return null;
  if (typeof json["go"] !== "string" || !isFields(json["parts"])) return null;
  const parts: Partial<Record<PartName, Part>> = {};
  for (const name of PARTS) {
    const part = json["parts"][name];
    if (!isFields(part) || typeof part["file"] !== "string" || !/^[\w.-]+$/.test(part["file"])) return null;
    const bytes = (key: string) => (typeof part[key] === "number" ? part[key] : 0);
    parts[name] = { file: part["file"], size: bytes("size"), br: bytes("br"), gz: bytes("gz") };
  }
  const imports = Array.isArray(json["imports"]) ? json["imports"].filter((path) => typeof path === "string") : [];
  const godebug = typeof json["godebug"] === "string" ? json["godebug"] : "";
  return { go: json["go"], godebug, imports, parts: parts as Record<PartName, Part> };
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
