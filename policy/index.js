/**
 * The entry point for the Pulumi CLI, which loads it with `require`. The CLI also registers an old compiler for TypeScript, which the import
 * below does not use.
 */
import { flushCompileCache } from "node:module";
import "./pack.ts";

// Node.js writes it at the end of a process, and the engine kills its policy packs.
flushCompileCache();
