import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { defaultBlueprints } from "../../../local/platform/authentik.ts";
import { filesBelow, type LayerFolder } from "./layer.ts";

/** Folder of blueprints in the real image; stacks mount theirs below it. */
const BLUEPRINTS = "/blueprints";
/** Folders of the system, which contain more than one program. */
const SHARED = ["/", "/usr", "/usr/local"];
/** Programs of the system that a start script may use besides those of every image. */
const UTILITIES = ["bash", "basename", "dirname", "readlink", "realpath"];
/** Time zones, which Python reads. */
const TIME_ZONES = "/usr/share/zoneinfo";

/** Environment of the real image: paths that differ in other installations. */
export const AUTHENTIK_ENVIRONMENT = {
  AUTHENTIK_BLUEPRINTS_DIR: BLUEPRINTS,
  AUTHENTIK_STORAGE__FILE__PATH: "/data",
};

/**
 * Fills a layer with a real authentik: its tree at the same path, with the libraries of the system that it loads.
 * @param executable path of its `ak`
 * @throws Error when its tree is not self-contained
 */
export async function fillAuthentik(files: LayerFolder, executable: string): Promise<void> {
  const tree = treeOf(executable);
  await refuseLinksOutOf(tree);
  await files.tree(tree, tree);
  await files.librariesBelow(tree);
  await files.tree(await defaultBlueprints(executable), BLUEPRINTS);
  await files.tree(TIME_ZONES, TIME_ZONES);
  for (const name of UTILITIES) files.program(`/usr/bin/${name}`, `/usr/bin/${name}`);
  // The worker's folder of certificates.
  files.folder("/certs");
  files.link("/usr/local/bin/ak", realpathSync(executable));
}

/** Returns the folder above the `bin` of an executable, after following links. */
function treeOf(executable: string): string {
  const bin = path.dirname(realpathSync(executable));
  const tree = path.dirname(bin);
  if (path.basename(bin) === "bin" && !SHARED.includes(tree)) return tree;
  throw new Error(
    `${executable}: authentik needs a separate folder with a "bin", because an image copies that folder. Move it, e.g. to /opt/authentik/bin/ak.`,
  );
}

async function refuseLinksOutOf(tree: string): Promise<void> {
  const links = await filesBelow(tree, "-type", "l");
  for (const link of links.filter(existsSync)) {
    const target = realpathSync(link);
    if (target.startsWith(`${tree}/`)) continue;
    throw new Error(`${link} links to ${target}, which is not in the image. Copy it into ${tree}.`);
  }
}
