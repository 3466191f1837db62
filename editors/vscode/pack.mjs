// Bundles the extension and writes it as a .vsix, which is a ZIP archive with two descriptions of what it contains:
//   node pack.mjs FILE
// Microsoft's vsce does that too. It has 139 packages, among them native modules for the marketplace's accounts and
// signatures, and needs Node 22.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { zipSync } from "fflate";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const target = process.argv[2];
if (!target) throw new Error("pack.mjs: name the file to write, such as checkalloc.vsix");

// The installed extension has no dependencies: the client is in the bundle, and VS Code provides the module vscode.
const bundle = await build({
  entryPoints: [here("src/extension.ts")],
  bundle: true,
  minify: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  absWorkingDir: here("."),
  external: ["vscode"],
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  write: false,
});

/** The licenses of the packages in the bundle, each of which asks to be passed on with the code. */
async function licenses() {
  const inPackage = /^node_modules\/(@[^/]+\/)?[^/]+/;
  const folders = new Set(Object.keys(bundle.metafile.inputs).flatMap((path) => inPackage.exec(path)?.[0] ?? []));
  const texts = [];
  for (const folder of [...folders].sort()) {
    const file = (await readdir(here(folder))).find((name) => /^licen[cs]e/i.test(name));
    if (!file) throw new Error(`${folder} has no license, so the extension cannot contain it`);
    const text = await readFile(here(`${folder}/${file}`), "utf8");
    texts.push(`${folder.replace("node_modules/", "")}\n\n${text.trim()}\n`);
  }
  return texts.join("\n\n");
}

const described = JSON.parse(await readFile(here("package.json"), "utf8"));
for (const key of ["type", "private", "scripts", "devDependencies"]) delete described[key];
described.engines = { vscode: described.engines.vscode };
described.icon = "icon.png";

const xml = (text) => text.replace(/[<>&"]/g, (c) => `&#${c.charCodeAt(0)};`);
const { name, publisher, version, displayName, description } = described;
const manifest = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${xml(name)}" Version="${xml(version)}" Publisher="${xml(publisher)}"/>
    <DisplayName>${xml(displayName)}</DisplayName>
    <Description xml:space="preserve">${xml(description)}</Description>
    <Tags>${xml(described.keywords.join(","))}</Tags>
    <Categories>${xml(described.categories.join(","))}</Categories>
    <License>extension/LICENSE.txt</License>
    <Icon>extension/icon.png</Icon>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${xml(described.engines.vscode)}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="${xml(described.extensionKind.join(","))}"/>
    </Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/readme.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Icons.Default" Path="extension/icon.png" Addressable="true"/>
  </Assets>
</PackageManifest>
`;
const types = { vsixmanifest: "text/xml", json: "application/json", cjs: "application/javascript" };
Object.assign(types, { md: "text/markdown", txt: "text/plain", png: "image/png" });
const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
${Object.entries(types)
  .map(([extension, type]) => `  <Default Extension=".${extension}" ContentType="${type}"/>`)
  .join("\n")}
</Types>
`;

const bytes = (text) => new TextEncoder().encode(text);
const archive = zipSync(
  {
    "[Content_Types].xml": bytes(contentTypes),
    "extension.vsixmanifest": bytes(manifest),
    "extension/package.json": bytes(`${JSON.stringify(described, null, 2)}\n`),
    "extension/extension.cjs": bundle.outputFiles[0].contents,
    "extension/readme.md": await readFile(here("README.md")),
    "extension/LICENSE.txt": await readFile(here("../../LICENSE")),
    "extension/THIRD-PARTY.txt": bytes(await licenses()),
    "extension/icon.png": await readFile(here("../../site/assets/icon-180.png")),
  },
  // The time of each entry is the same, so that the same sources make the same file.
  { level: 9, mtime: new Date(2026, 0, 1) },
);
await writeFile(target, archive);
console.log(`${target} has ${Math.round(archive.length / 1024)} KiB.`);
