import { join } from "node:path";
import { expect, test } from "vitest";
import { readStackFile } from "../../config/load.ts";
import { packageFolder } from "../../config/files/folders.ts";
import { PORTS } from "../../local/platform/addresses.ts";
import { deploy, PATIENCE } from "../helpers/program.ts";

test(
  "the local platform checks each port of the containers and Services of the local stack, and authentik's HTTPS port",
  async () => {
    const { resources } = await deploy(readStackFile(join(packageFolder(), "Pulumi.local.yaml"), "local"));
    const ports = resources
      .filter(({ type }) => /:(Deployment|Service)$/.test(type))
      .flatMap(({ visible }) =>
        Array.from(visible.matchAll(/"(?:containerPort|port)":(\d+)/g), ([, port]) => Number(port)),
      );
    expect(PORTS.pods.toSorted()).toEqual([...new Set([...ports, 9443])].toSorted());
  },
  PATIENCE,
);
