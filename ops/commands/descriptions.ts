/** What each command does, for `--help` and for completion. Apart from the commands, some of which take a second to load. */
export const DESCRIPTIONS = {
  audit: "Compare a cluster with the plan of its stack. Only reads.",
  completion: "Print the completion script of a shell, for the name gatehouse. See docs/commands.md.",
  contract: "Check and accept the contract of the data API: contract/<stack>/<schema>.json. See docs/versioning.md.",
  deploy: "Deploy the stack of a cluster context: check, preview, confirm, apply, verify. See docs/deploy.md.",
  diagnose:
    "Print the cause of a login loop, an unprotected service or a domain that does not work. See docs/diagnose.md.",
  diff: "Print which access a change of the stack files adds or removes. See docs/ci.md.",
  doctor: "Check every prerequisite of the first deployment, and print a hint for each. Only reads.",
  import:
    "Write entries of protected_services for existing routes and authentik applications. Only reads. See docs/importing.md.",
  init: "Write a first stack file, and the Pulumi project around it, into this folder.",
  plan: "Print what a stack exposes: hosts, protections, groups, records and grants.",
  preview: "Print what a deployment would change, without a question. See docs/ci.md.",
  verify: "Probe every route, header, name, certificate and grant of a live deployment.",
} as const;

export type CommandName = keyof typeof DESCRIPTIONS;
