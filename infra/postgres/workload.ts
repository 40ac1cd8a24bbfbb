import type * as pulumi from "@pulumi/pulumi";
import type { PostgresInstallation } from "../../config/settings.ts";

/** The resources of an installation of one kind. */
export interface Workload {
  /** Ready before the server is. */
  readonly ready: pulumi.CustomResource;
  /** Labels of the pod that accepts writes. */
  readonly primary: Readonly<Record<string, string>>;
  /** Hosts that the operator creates: for writes, and for reads from replicas. */
  readonly hosts?: { readonly primary: string; readonly replicas: string | undefined };
}

/** Arguments of an installation of either kind. */
export interface Parts {
  readonly name: string;
  readonly install: PostgresInstallation;
  readonly namespace: pulumi.Output<string>;
  /**
   * Name of the Secret with the superuser's `username` and `password`, as text: a changed password replaces the Secret, and the engine would
   * replace a StatefulSet whose spec contains an output of it.
   */
  readonly superuser: string;
  readonly child: pulumi.CustomResourceOptions;
  /** Options of resources with data. */
  readonly kept: pulumi.CustomResourceOptions;
}
